// SPDX-License-Identifier: Apache-2.0
// Filters of tables: words, ranges of numbers, sets of values. No document is needed.
import type { Cell } from "../../data";

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
};

const factors: Record<string, number> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** A number, and how far from it those are that are rounded to it. */
interface Typed {
  value: number;
  half: number;
}

/** K, M and G are those of bytes, as are KiB, MiB and GiB: counts, which are not rounded. */
function typedNumber(text: string): Typed | null {
  const parts = /^\s*([-+]?(?:\d+\.?(\d*)|\.(\d+))(?:e([-+]?\d+))?)\s*([kmg]?)(?:i?b)?\s*$/i.exec(text);
  if (parts === null) return null;
  const [, digits, after = "", alone = "", exponent = "0", suffix] = parts;
  const factor = factors[suffix.toLowerCase()];
  const last = 10 ** (Number(exponent) - after.length - alone.length);
  return { value: Number(digits) * factor, half: factor === 1 ? 0.5 * last * (1 + 1e-9) : 0 };
}

/** Equal within the digits that were typed. */
function isNear(value: number, typed: Typed): boolean {
  return value === typed.value || Math.abs(value - typed.value) <= typed.half;
}

/** ">0.5", "10..20", "..20", "3"; null: no range. */
export function rangeTest(text: string): Test | null {
  const numeric =
    (test: (value: number) => boolean): Test =>
    (cell) =>
      typeof cell === "number" && test(cell);
  const compared = /^\s*(>=|<=|!=|>|<|=)(.+)$/.exec(text);
  if (compared !== null) {
    const bound = typedNumber(compared[2]);
    if (bound === null) return null;
    if (compared[1] === "=") return numeric((value) => isNear(value, bound));
    if (compared[1] === "!=") return numeric((value) => !isNear(value, bound));
    return numeric((value) => comparisons[compared[1]](value, bound.value));
  }
  const ends = text.split("..");
  if (ends.length === 1) {
    const typed = typedNumber(text);
    return typed === null ? null : numeric((value) => isNear(value, typed));
  }
  const [low, high] = ends.map((end) => (end.trim() === "" ? undefined : typedNumber(end)));
  if (ends.length > 2 || low === null || high === null || (low === undefined && high === undefined))
    return null;
  return numeric((value) => value >= (low?.value ?? -Infinity) && value <= (high?.value ?? Infinity));
}

/** Why a text is no range, in words; "": it is one, or there is none. */
export function rangeProblem(text: string): string {
  if (text.trim() === "" || rangeTest(text) !== null) return "";
  const right = "type a number, or a range like >0.5, 10..20 or !=3";
  return `“${text.trim()}” is not understood, so nothing is filtered by it: ${right}.`;
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

/** How the cells of a column are shown. */
export interface CellFormat {
  numeric: boolean;
  format(cell: Cell): string;
}

/** What words are looked for in: a cell as it is shown, and all digits of a number. */
export function searchedText(cell: Cell, { format }: CellFormat): string {
  return typeof cell === "number" ? `${format(cell)}\t${cell}` : format(cell);
}

/** Text of a column of numbers that is no range (yet) filters nothing. */
export function columnTest(filter: ColumnFilter, column: CellFormat): Test {
  const range = column.numeric ? rangeTest(filter.text) : null;
  const words = column.numeric ? [] : wordsOf(filter.text);
  return (cell) =>
    (filter.chosen === null || filter.chosen.has(column.format(cell))) &&
    (range === null || range(cell)) &&
    (words.length === 0 || hasWords(searchedText(cell, column), words));
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
