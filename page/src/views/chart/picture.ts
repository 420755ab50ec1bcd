// SPDX-License-Identifier: Apache-2.0
// A chart as the text of an SVG file: with its title and its legend, in a size that suits a paper.
import type { AnyChart } from "../../data";
import { figureFile } from "../figure_file";
import type { View } from "./drawing";
import { plotApart } from "./engine";
import { drawForm, heightFor } from "./forms";
import { swatchOf } from "./legend";

const width = 680; // pixels, whatever the window has

export function pictureOf(chart: AnyChart, seen: View): string {
  const { colours, hidden } = seen;
  const height = heightFor(chart, width);
  const { option, entries } = drawForm(chart, { ...seen, width, height });
  const plot = plotApart(width, height);
  plot.setOption(option);
  const drawn = plot.renderToSVGString();
  plot.dispose();
  const legend = entries
    .filter((entry) => !hidden.has(entry.name))
    .map((entry) => ({ name: entry.name, swatch: swatchOf(entry).innerHTML }));
  return figureFile({ title: chart.title, legend, width, height, drawn, colours });
}
