// SPDX-License-Identifier: Apache-2.0
// A chart as the text of an SVG file: as it is shown, with its title and its legend.
import type { AnyChart } from "../../data";
import { cross, textWidth, type Entry, type View } from "./drawing";
import { plotApart } from "./engine";
import { drawForm, heightFor } from "./forms";

const titleHeight = 34;
const legendRow = 22;

function legendRows(entries: Entry[], width: number): number {
  const total = entries.reduce((sum, entry) => sum + textWidth(entry.name) + 46, 0);
  return Math.ceil(total / (width - 32));
}

/** Icons of ECharts for what the legend of the page draws itself. */
function iconOf(entry: Entry): string {
  return entry.symbol === "none" ? "roundRect" : entry.symbol;
}

export function pictureOf(chart: AnyChart, seen: View): string {
  const { width, colours, hidden } = seen;
  const entries = drawForm(chart, seen).entries.filter((entry) => !hidden.has(entry.name));
  const rows = legendRows(entries, width);
  const top = titleHeight + rows * legendRow;
  const height = heightFor(chart, width) + top;
  const { option } = drawForm(chart, { ...seen, height, top });
  const titles = Array.isArray(option.title) ? option.title : [];
  const plot = plotApart(width, height);
  const stroked = { color: "transparent", borderColor: colours.ink, borderWidth: 2 };
  plot.setOption({
    ...option,
    backgroundColor: colours.paper,
    title: [
      ...titles,
      {
        text: chart.title,
        left: 8,
        top: 8,
        textStyle: { fontSize: 14, color: colours.ink, width: width - 16, overflow: "truncate" },
      },
    ],
    legend: {
      show: rows > 0,
      left: 8,
      top: titleHeight,
      itemGap: 14,
      textStyle: { color: colours.ink },
      data: entries.map((entry) => ({
        name: entry.name,
        icon: iconOf(entry),
        itemStyle: entry.symbol === cross ? stroked : { color: entry.colour },
      })),
    },
  });
  const text = plot.renderToSVGString();
  plot.dispose();
  return text;
}
