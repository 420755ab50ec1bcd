// SPDX-License-Identifier: Apache-2.0
// Loads of links in numbers: most and mean, a histogram, and the busiest channels.
import { make } from "../../../elements";
import { formatNumber } from "../../../number";
import { busiest, histogram, loadText, summary, type Bin, type Load } from "../loads";
import type { Model } from "../model";
import { makeSvg } from "../svg";
import { facts, nameButton, paragraph, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

const listed = 10;

export function loadsPanel(model: Model): Panel {
  const element = make("div");
  return {
    id: "loads",
    title: "Loads",
    element,
    exists: () => model.values().length > 0,
    update: () => element.replaceChildren(...loadsText(model)),
  };
}

function loadsText(model: Model): HTMLElement[] {
  const load = model.load();
  const values = model.values();
  const { most, mean, unused } = summary(values);
  return [
    make("h3", {}, model.choice.compared === null ? load.name : `${load.name}: ${model.routing()!.engine}`),
    facts([
      ["most", loadText(load, most)],
      ["mean", loadText(load, mean)],
      ["carry nothing", `${counted(unused, "channel")} of ${formatNumber(values.length)}`],
    ]),
    histogramFigure(load, histogram(values, load.most, 16)),
    ...busiestTable(model, load, values),
  ];
}

function histogramFigure(load: Load, bins: Bin[]): HTMLElement {
  const tallest = Math.max(1, ...bins.map((bin) => bin.count));
  const step = 320 / bins.length;
  const words = `How many channels carry how much; the tallest bar: ${counted(tallest, "channel")}.`;
  const svg = makeSvg("svg", { viewBox: "0 0 320 84", class: "histogram", role: "img", "aria-label": words });
  bins.forEach((bin, i) => {
    const height = bin.count === 0 ? 0 : Math.max(1.5, (72 * bin.count) / tallest);
    const bar = { x: i * step + 1, y: 80 - height, width: Math.max(1, step - 2), height };
    svg.append(makeSvg("rect", bar, makeSvg("title", {}, binText(load, bin))));
  });
  svg.append(makeSvg("path", { d: "M0 80.5H320", class: "axis" }));
  const most = make("span", {}, loadText(load, load.most));
  return make(
    "figure",
    { "data-test": "histogram", "data-bins": bins.length },
    svg,
    make("div", { class: "ends-of-axis" }, make("span", {}, "0"), most),
    make("figcaption", {}, words),
  );
}

function binText(load: Load, bin: Bin): string {
  const [low, high] = [bin.low, bin.high].map((value) => formatNumber(value * load.factor));
  return `${low === high ? low : `${low} to ${high}`}${load.unit}: ${counted(bin.count, "channel")}`;
}

function busiestTable(model: Model, load: Load, values: ArrayLike<number>): HTMLElement[] {
  const channels = busiest(values, listed);
  if (channels.length === 0) return [paragraph("No channel carries anything.")];
  const last = values[channels[channels.length - 1]];
  const asBusy = Array.prototype.filter.call(values, (value: number) => value === last).length;
  const more = asBusy - channels.filter((channel) => values[channel] === last).length;
  const rows = channels.map((channel) => {
    const name = model.topology.channelName(channel);
    const pressed = () => model.select({ form: "link", link: channel >> 1 });
    return row([nameButton(name, pressed, "busiest"), loadText(load, values[channel])]);
  });
  return [
    make("h3", {}, "Busiest channels"),
    table(["channel", "load"], rows, "busiest-channels"),
    ...(more > 0 ? [paragraph(`and ${formatNumber(more)} more with as much`, "hint")] : []),
  ];
}
