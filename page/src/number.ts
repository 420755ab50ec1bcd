// SPDX-License-Identifier: Apache-2.0
// Numbers as text: everything on the page that shows one asks here. No document is needed.
import type { Cell } from "./data";

/** What stands where there is no number. */
export const nothing = "–";

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number by its significant digits: 0.1234, 12.5, 65536, 1.2e-7. Digits before the point all stay. */
export function formatNumber(value: number | null, digits = 4): string {
  if (value === null || Number.isNaN(value)) return nothing;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-5 || size >= 1e15) {
    const [factor, exponent] = value.toExponential(digits - 1).split("e");
    return `${trimZeros(factor)}e${exponent.replace("+", "")}`;
  }
  if (Number.isInteger(value)) return String(value);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return formatFixed(Number(trimZeros(value.toFixed(Math.min(places, 20)))));
}

/** A number without an exponent; with so many digits after the point, if asked for. */
export function formatFixed(value: number, places?: number): string {
  const text = places === undefined ? trimZeros(value.toFixed(10)) : value.toFixed(places);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

function placesOf(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}

/** Digits after the point that show so many significant ones of a number. */
function placesFor(size: number, digits: number): number {
  return Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
}

const mostPlaces = 6;
const mostDigits = 10; // of a number, before and after its point

/** How the numbers of a column are shown, so that their points stand below each other: all with the same
 * digits after the point. Those that would vanish by it are shown by themselves, as are all where sizes
 * differ too much. */
export function columnFormat(values: Iterable<number>): (value: number) => string {
  const sizes: number[] = [];
  let needed = 0;
  for (const value of values) {
    if (value === 0 || !Number.isFinite(value)) continue;
    sizes.push(Math.abs(value));
    needed = Math.max(needed, placesOf(formatNumber(value)));
  }
  if (sizes.length === 0) return (each) => formatNumber(each);
  sizes.sort((a, b) => a - b);
  const small = sizes[Math.floor(sizes.length / 10)];
  const large = sizes[sizes.length - 1];
  const places = Math.min(needed, Math.max(placesFor(large, 4), placesFor(small, 3)));
  const alone = places > mostPlaces || Math.log10(large) + places > mostDigits;
  const vanishes = (value: number) => value !== 0 && Math.abs(value) < 0.5 * 10 ** -places;
  return (each) =>
    alone || vanishes(each) || !Number.isFinite(each) ? formatNumber(each, 3) : formatFixed(each, places);
}

/** Bytes by the unit that suits them: "64 B", "1 KiB", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${formatNumber(value, 3)} ${units[unit]}`;
}

/** Bytes to the last one, and by the unit that suits them: "1096 B (1.07 KiB)". */
export function exactBytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${bytes} B (${formatBytes(bytes)})`;
}

/** A duration, or a point in time, by the unit that suits it: "12.5 us", "3.2 ms". */
export function formatTime(us: number, digits = 4): string {
  const size = Math.abs(us);
  if (size >= 1e6) return `${formatNumber(us / 1e6, digits)} s`;
  if (size >= 1e3) return `${formatNumber(us / 1e3, digits)} ms`;
  return `${formatNumber(us, digits)} us`;
}

export function formatPercent(percent: number, digits = 3): string {
  return `${formatNumber(percent, digits)} %`;
}

/** A cell of a table by itself. */
export function formatCell(cell: Cell): string {
  if (cell === null) return nothing;
  if (typeof cell === "number") return formatNumber(cell);
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return cell;
}

/** The name of a quantity with its unit, to be read: "latency, us". */
export function titled(name: string, unit = ""): string {
  return joined(name, unit, `${name}, ${unit}`);
}

/** The name of a quantity with its unit, at the head of a column of a file: "latency [us]". */
export function headed(name: string, unit = ""): string {
  return joined(name, unit, `${name} [${unit}]`);
}

/** Both, unless one of them says it all. */
function joined(name: string, unit: string, both: string): string {
  if (unit === "" || unit === name) return name;
  return name === "" ? unit : both;
}

/** A number with its unit, if it has one. */
export function withUnit(text: string, unit: string): string {
  return unit === "" ? text : `${text} ${unit}`;
}
