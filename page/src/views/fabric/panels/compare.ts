// SPDX-License-Identifier: Apache-2.0
// Two routings of one fabric in numbers: loads of both, what differs, and the route that is chosen.
import { make } from "../../../elements";
import { formatNumber } from "../../../number";
import { changedLinks, summary } from "../loads";
import type { Model } from "../model";
import type { Walk } from "../routes";
import { nameButton, paragraph, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

const listed = 10;

export function comparePanel(model: Model): Panel {
  const element = make("div");
  return {
    id: "compare",
    title: "Compare",
    element,
    exists: () => model.choice.compared !== null,
    update: () => element.replaceChildren(...compareText(model, model.choice.routing, model.choice.compared!)),
  };
}

function compareText(model: Model, first: number, second: number): HTMLElement[] {
  const [a, b] = [model.routing(first)!, model.routing(second)!];
  const [mine, other] = [summary(a.load), summary(b.load)];
  const changed = changedLinks(a.load, b.load);
  const all = formatNumber(model.topology.links);
  const compared = (what: string, x: number, y: number, unit: string) =>
    row([what, formatNumber(x) + unit, formatNumber(y) + unit, signed(y - x) + unit], { "data-test": "difference" });
  const verdicts = [a, b].map((routing) => routing.proof?.verdict ?? "no proof");
  const rows = [
    compared("most on a channel", mine.most, other.most, " routes"),
    compared("mean of channels", mine.mean, other.mean, " routes"),
    compared("unused channels", mine.unused, other.unused, ""),
    compared("lanes", a.lanes, b.lanes, ""),
    row(["proof", ...verdicts, ""]),
    ...routeRows(model, first, second),
  ];
  return [
    table(["", a.engine, b.engine, "change"], rows, "comparison"),
    make("p", { "data-test": "changed-links" }, `${counted(changed.length, "link")} of ${all} changed.`),
    ...mostChanged(model, a.load, b.load, changed),
  ];
}

function signed(value: number): string {
  return value > 0 ? `+${formatNumber(value)}` : formatNumber(value);
}

function routeRows(model: Model, first: number, second: number): HTMLTableRowElement[] {
  const [a, b] = [model.walk(first), model.walk(second)];
  if (a === null || b === null) return [];
  const { topology } = model;
  const words = (walk: Walk) => (walk.end === "reached" ? counted(walk.hops.length, "switch", "switches") : walk.end);
  const reached = a.end === "reached" && b.end === "reached";
  const what = `${topology.hostName(a.from)} → ${topology.hostName(a.to)}`;
  return [row([what, words(a), words(b), reached ? signed(b.hops.length - a.hops.length) : ""])];
}

/** The links whose hotter direction changed most. */
function mostChanged(model: Model, a: number[], b: number[], changed: number[]): HTMLElement[] {
  if (changed.length === 0) return [paragraph("Both routings load every link alike.")];
  const channels = changed.flatMap((link) => [2 * link, 2 * link + 1]);
  const change = (channel: number) => Math.abs(b[channel] - a[channel]);
  channels.sort((x, y) => change(y) - change(x) || x - y);
  const rows = channels.slice(0, listed).map((channel) => {
    const pressed = () => model.select({ form: "link", link: channel >> 1 });
    const name = nameButton(model.topology.channelName(channel), pressed);
    return row([name, formatNumber(a[channel]), formatNumber(b[channel]), signed(b[channel] - a[channel])]);
  });
  const heads = ["channel", "routes before", "after", "change"];
  return [make("h3", {}, "Changed most"), table(heads, rows, "changed-most")];
}
