// SPDX-License-Identifier: Apache-2.0
// What links carry: values by channel, their statistics, and links as CSV. Pure functions.
import { csvField } from "../../elements";
import { formatNumber } from "../../number";
import type { LinkLoads, Routing } from "../../data";
import type { Topology } from "./topology";

/** A quantity that colours links. */
export interface Load {
  name: string;
  unit: string; // after a number; with a space or empty
  factor: number; // from values to what is shown: 100 for shares
  times: number[]; // in us; one: it does not change
  values: ArrayLike<number>[]; // by time, then channel
  most: number; // over all times
  hottest: number; // the value that has the hottest colour
}

export function routesLoad(routing: Routing): Load {
  return {
    name: "routes per channel",
    unit: " routes",
    factor: 1,
    times: [0],
    values: [routing.load],
    most: greatest(routing.load),
    hottest: hottestOf([routing.load]),
  };
}

export function measuredLoad(loads: LinkLoads): Load {
  const share = loads.unit === "";
  const most = loads.values.reduce((most, each) => Math.max(most, greatest(each)), 0);
  return {
    name: loads.name,
    unit: share ? " %" : ` ${loads.unit}`,
    factor: share ? 100 : 1,
    times: loads.times,
    values: loads.values,
    most,
    hottest: share ? Math.max(most, 1) : hottestOf(loads.values),
  };
}

/** Loads are high or low beside those of other channels: where all carry the same, none is hot. */
function hottestOf(samples: ArrayLike<number>[]): number {
  return samples.reduce((most, each) => Math.max(most, greatest(each), 2 * meanOfUsed(each)), 0);
}

function meanOfUsed(values: ArrayLike<number>): number {
  let sum = 0;
  let used = 0;
  for (let i = 0; i < values.length; ++i) {
    sum += values[i];
    if (values[i] > 0) ++used;
  }
  return used === 0 ? 0 : sum / used;
}

function greatest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; ++i) if (values[i] > most) most = values[i];
  return most;
}

export function loadText(load: Load, value: number | undefined): string {
  return value === undefined ? "unknown" : formatNumber(value * load.factor) + load.unit;
}

/** Values in the unit of their load, without the last digits, which multiplying blurs. */
export function inUnit(load: Load, values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => Number((value * load.factor).toPrecision(12)));
}

/** The hotter direction of each link. */
export function hotterDirections(values: ArrayLike<number>, links: number): Float64Array {
  const hotter = new Float64Array(links);
  for (let k = 0; k < links; ++k) hotter[k] = Math.max(values[2 * k] ?? 0, values[2 * k + 1] ?? 0);
  return hotter;
}

/** The busiest channels, the busiest first; none that carries nothing. */
export function busiest(values: ArrayLike<number>, most: number): number[] {
  const channels = Array.from({ length: values.length }, (_, c) => c).filter((c) => values[c] > 0);
  channels.sort((a, b) => values[b] - values[a] || a - b);
  return channels.slice(0, most);
}

export interface Bin {
  low: number;
  high: number;
  count: number;
}

/** How many channels carry how much; whole numbers get bins of whole width. */
export function histogram(values: ArrayLike<number>, most: number, bins: number): Bin[] {
  const whole = Array.prototype.every.call(values, Number.isInteger);
  const width = whole ? Math.max(1, Math.ceil((most + 1) / bins)) : most / bins || 1;
  const count = whole ? Math.ceil((most + 1) / width) : bins;
  const out = Array.from({ length: count }, (_, i) => ({ low: i * width, high: (i + 1) * width, count: 0 }));
  for (let c = 0; c < values.length; ++c)
    ++out[Math.min(count - 1, Math.max(0, Math.floor(values[c] / width)))].count;
  if (whole) for (const bin of out) bin.high -= 1;
  return out;
}

export interface LoadSummary {
  most: number;
  mean: number;
  unused: number; // channels that carry nothing
}

export function summary(values: ArrayLike<number>): LoadSummary {
  let sum = 0;
  let unused = 0;
  for (let c = 0; c < values.length; ++c) {
    sum += values[c];
    if (values[c] === 0) ++unused;
  }
  return { most: greatest(values), mean: values.length === 0 ? 0 : sum / values.length, unused };
}

/** Links whose load differs in one direction or both. */
export function changedLinks(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  const changed: number[] = [];
  for (let k = 0; 2 * k < a.length; ++k)
    if (a[2 * k] !== b[2 * k] || a[2 * k + 1] !== b[2 * k + 1]) changed.push(k);
  return changed;
}

export interface LinkColumn {
  name: string;
  values: ArrayLike<number>; // by channel
}

/** One line per link, with each load in both directions. */
export function linksAsCsv(topology: Topology, columns: LinkColumn[]): string {
  const { links } = topology.section;
  const heads = ["switch", "port", "to switch", "to port", "speed"];
  for (const each of columns) heads.push(`${each.name}, there`, `${each.name}, back`);
  const lines = [heads.map(csvField).join(",")];
  for (let k = 0; k < topology.links; ++k) {
    const [a, b] = [topology.switchName(links.a[k]), topology.switchName(links.b[k])];
    const ends = [a, links.a_port[k], b, links.b_port[k]];
    const loads = columns.flatMap(({ values }) => [values[2 * k] ?? null, values[2 * k + 1] ?? null]);
    lines.push([...ends, links.speed[k] ?? "", ...loads].map(csvField).join(","));
  }
  return lines.join("\n") + "\n";
}
