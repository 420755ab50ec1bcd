// SPDX-License-Identifier: Apache-2.0
// Where the rows and columns of a bar chart lie: names have the room that they need, and long ones break into lines.
import type { BarChart, BarRow } from "../../data";
import { formatFixed, nothing, titled, withUnit } from "../../number";
import { brokenText, textWidth, widest } from "../../text";

export const lineHeight = 15; // pixels, as all of these
const leastRow = 22;
const leastColumn = 190;
const mostNames = 0.45; // of the width; names that are longer are broken
const margin = 8; // at the right

export interface RowPlace {
  name: string[]; // in lines
  remark: string[];
  isHeading: boolean;
  middle: number; // below the top of the rows
}

export interface ColumnPlace {
  head: string[];
  left: number; // where bars begin
  top: number;
  width: number; // with the text after bars
  bars: number; // of the longest bar
  named: boolean; // the names of rows stand before it
}

export interface BarLayout {
  rows: RowPlace[];
  columns: ColumnPlace[];
  rowsHeight: number;
  headHeight: number;
  height: number; // of everything
}

/** No values: a heading, or a remark instead of bars. */
function isHeading(row: BarRow): boolean {
  return row.values.length === 0 && !row.remark;
}

/** Short units stand at each value, long ones at the head of the column. */
const isShort = (unit: string) => unit.length <= 4;

function headText({ name, unit }: BarChart["columns"][number]): string {
  return isShort(unit) ? name : titled(name, unit);
}

/** The text after a bar. */
export function valueText(chart: BarChart, row: BarRow, column: number): string {
  const { places, unit } = chart.columns[column];
  const value = row.values[column] ?? null;
  if (value === null) return row.values.length === 0 || row.remark ? "" : nothing;
  const error = row.errors?.[column] ?? 0;
  const half = error > 0 ? ` ± ${formatFixed(error, places)}` : "";
  return withUnit(formatFixed(value, places) + half, isShort(unit) ? unit : "");
}

interface Widths {
  all: number;
  names: number;
  column: number;
}

function placeRows(chart: BarChart, widths: Widths): { rows: RowPlace[]; rowsHeight: number } {
  let top = 0;
  const rows = chart.rows.map((row): RowPlace => {
    const heads = isHeading(row);
    const name = brokenText(row.name, heads ? widths.all - margin : widths.names, { bold: heads });
    const remark = row.remark ? brokenText(row.remark, widths.column - margin) : [];
    const height = Math.max(leastRow, lineHeight * Math.max(name.length, remark.length) + 7);
    top += height;
    return { name, remark, isHeading: heads, middle: top - height / 2 };
  });
  return { rows, rowsHeight: top };
}

/** Bars end early enough for the longest text after one. */
function barsWidth(chart: BarChart, column: number, width: number): number {
  const longest = widest(chart.rows.map((row) => valueText(chart, row, column)));
  return Math.max(20, width - Math.min(longest, 0.6 * width) - 16);
}

export function layoutBars(chart: BarChart, width: number): BarLayout {
  const longest = Math.max(0, ...chart.rows.map((row) => (isHeading(row) ? 0 : textWidth(row.name))));
  const names = Math.min(1.03 * longest + 2, mostNames * width);
  const first = names + 14;
  const beside = (width - first - margin) / Math.max(1, chart.columns.length);
  const stacked = beside < leastColumn;
  const column = stacked ? width - first - margin : beside;
  const heads = chart.columns.map((each) => brokenText(headText(each), column - margin, { bold: true }));
  const headHeight = lineHeight * Math.max(1, ...heads.map((head) => head.length)) + 12;
  const { rows, rowsHeight } = placeRows(chart, { all: width, names, column });
  const height = headHeight + rowsHeight + 12;
  const columns = heads.map((head, i): ColumnPlace => {
    const bars = barsWidth(chart, i, column);
    if (stacked) return { head, left: first, top: headHeight + i * height, width: column, bars, named: true };
    return { head, left: first + i * column, top: headHeight, width: column, bars, named: i === 0 };
  });
  return { rows, columns, rowsHeight, headHeight, height: stacked ? height * Math.max(1, heads.length) : height };
}
