// SPDX-License-Identifier: Apache-2.0
// Filters of tables: words, ranges of numbers, sets of values. No document is needed.
import type { Cell } from "../../data";
import { formatCell } from "../../number";

export type Test = (cell: Cell) => boolean;

/** Words in lower case; all of them have to match. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export function hasWords(text: string, words: string[]): boolean {
  const low = text.toLowerCase();
  return words.every((word) => low.includes(word));
}

const comparisons: Record<string, (a: number, b: number) => boolean> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

const factors: Record<string, number> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** A number; K, M and G are those of bytes, as are KiB, MiB and GiB. */
function numberOf(text: string): number | null {
  const parts = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([kmg]?)(?:i?b)?\s*$/i.exec(text);
  return parts === null ? null : Number(parts[1]) * factors[parts[2].toLowerCase()];
}

/** ">0.5", "10..20", "..20", "3"; null: no range. */
export function rangeTest(text: string): Test | null {
  const numeric =
    (test: (value: number) => boolean): Test =>
    (cell) =>
      typeof cell === "number" && test(cell);
  const compared = /^\s*(>=|<=|!=|>|<|=)(.+)$/.exec(text);
  if (compared !== null) {
    const bound = numberOf(compared[2]);
    return bound === null ? null : numeric((value) => comparisons[compared[1]](value, bound));
  }
  const ends = text.split("..");
  if (ends.length === 1) {
    const exact = numberOf(text);
    return exact === null ? null : numeric((value) => value === exact);
  }
  const [low, high] = ends.map((end) => (end.trim() === "" ? undefined : numberOf(end)));
  if (ends.length > 2 || low === null || high === null || (low === undefined && high === undefined))
    return null;
  return numeric((value) => value >= (low ?? -Infinity) && value <= (high ?? Infinity));
}

/** What is asked of one column. */
export interface ColumnFilter {
  text: string; // a range, or words; "": none
  chosen: ReadonlySet<string> | null; // values as text; null: all
}

export const noFilter: ColumnFilter = { text: "", chosen: null };

export function isFiltering(filter: ColumnFilter): boolean {
  return filter.text.trim() !== "" || filter.chosen !== null;
}

/** Text of a column of numbers that is no range (yet) is looked for as words. */
export function columnTest(filter: ColumnFilter, numeric: boolean): Test {
  const range = numeric ? rangeTest(filter.text) : null;
  const words = range === null ? wordsOf(filter.text) : [];
  return (cell) =>
    (filter.chosen === null || filter.chosen.has(formatCell(cell))) &&
    (range === null || range(cell)) &&
    (words.length === 0 || hasWords(formatCell(cell), words));
}

export function describeFilter(filter: ColumnFilter): string {
  const parts: string[] = [];
  if (filter.text.trim() !== "") parts.push(filter.text.trim());
  if (filter.chosen !== null) parts.push(listed([...filter.chosen]));
  return parts.join(", ");
}

function listed(values: string[]): string {
  const most = 4;
  if (values.length === 0) return "none";
  return values.length <= most
    ? values.join(", ")
    : `${values.slice(0, most - 1).join(", ")} and ${values.length - most + 1} more`;
}
