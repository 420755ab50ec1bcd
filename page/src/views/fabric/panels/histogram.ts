// SPDX-License-Identifier: Apache-2.0
// How many channels carry how much: a histogram, which is saved like any other chart.
import type { Colours } from "../../../context";
import { csvField, fileName, make, save } from "../../../elements";
import { formatNumber } from "../../../number";
import { figureFile } from "../../figure_file";
import { histogram, inUnit, loadText, type Bin, type Load } from "../loads";
import type { Model } from "../model";
import { makeSvg } from "../svg";
import { counted } from "../words";

const mostBins = 16;
const [width, height] = [320, 80];

export function histogramFigure(model: Model, colours: () => Colours): HTMLElement {
  const load = model.load();
  const bins = histogram(model.values(), load.most, mostBins);
  const tallest = Math.max(1, ...bins.map((bin) => bin.count));
  const words = `How many channels carry how much; the tallest bar: ${counted(tallest, "channel")}.`;
  const viewBox = `0 0 ${width} ${height + 4}`;
  const svg = makeSvg("svg", { viewBox, class: "histogram", role: "img", "aria-label": words });
  svg.append(...barsOf(load, bins, tallest), makeSvg("path", { d: `M0 ${height}.5H${width}`, class: "axis" }));
  const of = [model.section.title, model.routing()?.engine].filter((word) => word).join(", ");
  const title = `${of}: ${load.name}`;
  const picture = () => save(fileName(title, "svg"), "image/svg+xml", fileOf(title, words, load, bins, colours()));
  const numbers = () => save(fileName(title, "csv"), "text/csv", binsAsCsv(load, bins));
  return make(
    "figure",
    { "data-test": "histogram", "data-bins": bins.length },
    svg,
    make("div", { class: "ends-of-axis" }, make("span", {}, "0"), make("span", {}, loadText(load, load.most))),
    make("figcaption", {}, words),
    make(
      "div",
      { class: "saves controls" },
      make("button", { type: "button", onclick: picture, "data-test": "save-histogram-svg" }, "Save SVG"),
      make("button", { type: "button", onclick: numbers, "data-test": "save-histogram-csv" }, "Save CSV"),
    ),
  );
}

function barsOf(load: Load, bins: Bin[], tallest: number): SVGElement[] {
  const step = width / bins.length;
  return bins.map((bin, i) => {
    const high = bin.count === 0 ? 0 : Math.max(1.5, (0.9 * height * bin.count) / tallest);
    const bar = { x: i * step + 1, y: height - high, width: Math.max(1, step - 2), height: high };
    return makeSvg("rect", bar, makeSvg("title", {}, binText(load, bin)));
  });
}

function binText(load: Load, bin: Bin): string {
  const [low, high] = [bin.low, bin.high].map((value) => formatNumber(value * load.factor));
  return `${low === high ? low : `${low} to ${high}`}${load.unit}: ${counted(bin.count, "channel")}`;
}

/** A bin is a line. */
export function binsAsCsv(load: Load, bins: Bin[]): string {
  const unit = load.unit.trim();
  const lines = bins.map((bin) => [...inUnit(load, [bin.low, bin.high]), bin.count].join(","));
  return [[csvField(`from [${unit}]`), csvField(`to [${unit}]`), "channels"].join(","), ...lines, ""].join("\n");
}

/** The same, twice as large, with its title and the ends of its axis. */
function fileOf(title: string, words: string, load: Load, bins: Bin[], colours: Colours): string {
  const [left, right, bottom] = [10, 10 + 2 * width, 2 * height];
  const tallest = Math.max(1, ...bins.map((bin) => bin.count));
  const text = (x: number, anchor: string, y: number, what: string) =>
    makeSvg("text", { x, y, fill: colours.ink, "font-size": 12, "text-anchor": anchor }, what);
  const drawn = makeSvg(
    "g",
    {},
    makeSvg(
      "g",
      { transform: `translate(${left} 0) scale(2)`, fill: colours.series[0] },
      ...barsOf(load, bins, tallest),
    ),
    makeSvg("path", { d: `M${left} ${bottom}.5H${right}`, stroke: colours.faint }),
    text(left, "start", bottom + 16, "0"),
    text(right, "end", bottom + 16, loadText(load, load.most)),
    text(left, "start", bottom + 36, words),
  );
  const size = { width: right + left, height: bottom + 46 };
  return figureFile({ title, legend: [], ...size, drawn: new XMLSerializer().serializeToString(drawn), colours });
}
