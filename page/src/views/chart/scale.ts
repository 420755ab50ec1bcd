// SPDX-License-Identifier: Apache-2.0
// Scales of axes: where a value lies (its logarithm, on logarithmic ones), and round values to label. No
// document is needed.
import type { Axis } from "../../data";
import { formatBytes, formatFixed, formatNumber } from "../../number";

export type Range = [low: number, high: number];

export const clamped = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

export interface Tick {
  at: number; // on the axis
  text: string;
}

export interface Scale {
  /** Where a value lies on the axis; null: nowhere. */
  place(value: number): number | null;
  /** All that the values need. */
  whole: Range;
  /** About so many labels. */
  ticks(range: Range, about: number): Tick[];
}

/** Steps of 1, 2 or 5 times a power of ten. */
export function roundStep(span: number, about: number): number {
  const least = span / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const mostTicks = 200; // whatever the range: steps that vanish beside their values would never end

/** Digits that tell neighbours so far from each other apart. */
function digitsFor(size: number, step: number): number {
  return Math.max(4, Math.min(15, 1 + Math.ceil(Math.log10(size / step))));
}

export function linearTicks([low, high]: Range, about: number, leastStep = 0): Tick[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [{ at: low, text: formatNumber(low) }];
  const step = Math.max(leastStep, roundStep(high - low, about));
  const places = Math.max(0, Math.min(20, -Math.floor(Math.log10(step) + 1e-9)));
  const size = Math.max(Math.abs(low), Math.abs(high));
  const isFixed = size >= 1e-4 && step < 1e15;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.min(mostTicks, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => {
    const at = (first + i) * step;
    return { at, text: isFixed ? formatFixed(at, places) : formatNumber(at, digitsFor(size, step)) };
  });
}

export function extent(values: Iterable<number>): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Units of what is counted; without one, a whole number is a count. */
const countable = new Set([
  ...["", "ranks", "hosts", "nodes", "switches", "links", "ports", "lanes", "processes", "jobs", "iterations"],
  ...["hops", "routes", "steps", "flits", "packets", "messages", "cycles", "bytes", "B"],
]);

/** Whether an axis counts things, of which there is no half. */
function isCount(values: number[], axis: Axis): boolean {
  return countable.has(axis.unit ?? "") && values.length > 0 && values.every(Number.isInteger);
}

function linearScale(values: number[], axis: Axis, upright: boolean): Scale {
  const leastStep = isCount(values, axis) ? 1 : 0;
  let [low, high] = extent(values);
  if (low > 0 && (upright || low < 0.5 * high)) low = 0;
  if (axis.limit !== undefined && high > axis.limit) high = axis.limit;
  if (high <= low) high = low + 1;
  if (upright) {
    const step = Math.max(leastStep, roundStep(high - low, 5));
    high = high === axis.limit ? high : Math.ceil(high / step - 1e-9) * step;
    low = Math.floor(low / step + 1e-9) * step;
  } else {
    const margin = 0.02 * (high - low);
    low -= low === 0 ? 0 : margin;
    high += margin;
  }
  const limit = axis.limit ?? Infinity;
  return {
    place: (value) => (Number.isFinite(value) ? Math.min(value, limit) : null),
    whole: [low, high],
    ticks: (range, about) => linearTicks(range, about, leastStep),
  };
}

/** Labels between neighbouring powers, where a range has hardly any of them. */
function ticksBetween(
  [low, high]: Range,
  base: number,
  about: number,
  text: (value: number) => string,
): Tick[] {
  return linearTicks([base ** low, base ** high], about)
    .filter((tick) => tick.at > 0)
    .map((tick) => ({
      at: Math.log(tick.at) / Math.log(base),
      text: base === 2 ? text(tick.at) : tick.text,
    }));
}

/** Ranges of logarithms within those of numbers. */
function withinNumbers([low, high]: Range, base: number): Range {
  const most = Math.log(Number.MAX_VALUE) / Math.log(base);
  return [clamped(low, -most, most), clamped(high, -most, most)];
}

function decadeTicks(range: Range, about: number): Tick[] {
  const [low, high] = withinNumbers(range, 10);
  const step = Math.max(1, Math.ceil((high - low) / about));
  const ticksAt = (factors: number[]): Tick[] => {
    const ticks: Tick[] = [];
    for (let power = Math.floor(low); power <= high; ++power) {
      if (power % step !== 0) continue;
      for (const factor of factors) {
        const at = power + Math.log10(factor);
        if (at >= low - 1e-9 && at <= high + 1e-9)
          ticks.push({ at, text: formatNumber(factor * 10 ** power, 2) });
      }
    }
    return ticks;
  };
  // The coarsest that label enough of the range.
  for (const factors of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]]) {
    const ticks = ticksAt(factors);
    if (ticks.length >= 4 || (factors.length === 1 && ticks.length > about / 2)) return ticks;
  }
  return ticksBetween([low, high], 10, about, formatNumber);
}

function powerOfTwoTicks(range: Range, about: number, text: (value: number) => string): Tick[] {
  const [low, high] = withinNumbers(range, 2);
  const step = [1, 2, 3, 4, 5, 10].find((each) => (high - low) / each <= about) ?? 10;
  const ticks: Tick[] = [];
  for (let power = Math.ceil(low / step - 1e-9) * step; power <= high + 1e-9; power += step)
    ticks.push({ at: power, text: text(2 ** power) });
  return ticks.length >= 2 ? ticks : ticksBetween([low, high], 2, about, text);
}

/** Whether values on an axis are bytes. */
export function isOfBytes(axis: Axis): boolean {
  return axis.unit === "bytes" || axis.unit === "B";
}

/** 0 lies at the low edge, a little before the least value above it. */
function logScale(values: number[], axis: Axis): Scale {
  const base = axis.scale === "bytes" ? 2 : 10;
  const limit = axis.limit ?? Infinity;
  const logarithm = (value: number) => Math.log(Math.min(value, limit)) / Math.log(base);
  const range = extent(values.filter((value) => value > 0).map(logarithm));
  const margin = Math.max(0.03 * (range[1] - range[0]), 0.05);
  const zero = range[0] - Math.max(1.5 * margin, base === 2 ? 1 : 0.3);
  const hasZero = values.some((value) => value === 0);
  const text = isOfBytes(axis) ? formatBytes : (value: number) => formatNumber(value);
  const ticksOf = (range: Range, about: number) =>
    base === 2 ? powerOfTwoTicks(range, about, text) : decadeTicks(range, about);
  return {
    place: (value) => (value > 0 ? logarithm(value) : value === 0 ? zero : null),
    whole: [hasZero ? zero : range[0] - margin, range[1] + margin],
    ticks: (shown, about) => {
      const ticks = ticksOf(hasZero ? [Math.max(shown[0], range[0]), shown[1]] : shown, about);
      return hasZero && shown[0] <= zero ? [{ at: zero, text: "0" }, ...ticks] : ticks;
    },
  };
}

function wordScale(words: string[]): Scale {
  return {
    place: (value) => value,
    whole: [-0.5, words.length - 0.5],
    ticks: ([low, high], about) => {
      const step = Math.max(1, Math.ceil((high - low) / about));
      return words
        .map((text, at) => ({ at, text }))
        .filter(({ at }) => at % step === 0 && at >= low && at <= high);
    },
  };
}

/** The scale of an axis that has to show the given values; upright: from bottom to top. */
export function scaleOf(axis: Axis, values: number[], upright: boolean): Scale {
  if (axis.words !== undefined) return wordScale(axis.words);
  if (axis.scale === "log" || axis.scale === "bytes") return logScale(values, axis);
  return linearScale(values, axis, upright);
}
