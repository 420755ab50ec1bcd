// SPDX-License-Identifier: Apache-2.0
// Loads of links in numbers: most and mean, a histogram, and the busiest channels.
import type { Colours } from "../../../context";
import { make } from "../../../elements";
import { formatNumber } from "../../../number";
import { busiest, loadText, summary, type Load } from "../loads";
import type { Model } from "../model";
import { histogramFigure } from "./histogram";
import { facts, nameButton, paragraph, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

const listed = 10;

export function loadsPanel(model: Model, colours: () => Colours): Panel {
  const element = make("div");
  return {
    id: "loads",
    title: "Loads",
    element,
    exists: () => model.values().length > 0,
    update: () => element.replaceChildren(...loadsText(model, colours)),
  };
}

function loadsText(model: Model, colours: () => Colours): HTMLElement[] {
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
    histogramFigure(model, colours),
    ...busiestTable(model, load, values),
  ];
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
