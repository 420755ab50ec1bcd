// SPDX-License-Identifier: Apache-2.0
// The numbers of a chart as a table: what is read aloud, copied and saved as CSV. No document is needed.
import type { AnyChart, BarChart, BarRow, Cell, ColumnChart, LineChart, Series } from "../../data";
import { takeApart } from "./axis_name";

export interface NumberTable {
  header: string[];
  rows: Cell[][];
}

function hasErrors(series: Series): boolean {
  return series.points.some((point) => (point[2] ?? 0) > 0);
}

/** Columns of a series; points of a series at the same x are in rows of their own. */
function lineNumbers(chart: LineChart): NumberTable {
  const { unit } = takeApart(chart.y.name);
  const named = (name: string) => (unit === "" ? name : `${name}, ${unit}`);
  const header = [chart.x.name];
  const rows = new Map<string, Cell[]>();
  for (const [index, series] of chart.series.entries()) {
    const column = header.length;
    const name = series.name || `series ${index + 1}`;
    const withErrors = hasErrors(series);
    header.push(named(name));
    if (withErrors) header.push(named(`± ${name}`));
    const seen = new Map<number, number>();
    for (const [x, y, error] of series.points) {
      if (x === null || y === null) continue;
      const repeat = seen.get(x) ?? 0;
      seen.set(x, repeat + 1);
      const key = `${x} ${repeat}`;
      const row = rows.get(key) ?? [x];
      row[column] = y;
      if (withErrors) row[column + 1] = error ?? null;
      rows.set(key, row);
    }
  }
  const sorted = [...rows.values()].sort((a, b) => Number(a[0]) - Number(b[0]));
  return { header, rows: sorted.map((row) => header.map((_, i) => wordAt(chart, i, row[i] ?? null))) };
}

function wordAt(chart: LineChart, column: number, cell: Cell): Cell {
  return column === 0 && typeof cell === "number" ? (chart.x.words?.[cell] ?? cell) : cell;
}

function barNumbers(chart: BarChart): NumberTable {
  const header = [""];
  const columns: ((row: BarRow) => Cell)[] = [(row) => row.name];
  const add = (name: string, cell: (row: BarRow) => Cell) => {
    header.push(name);
    columns.push(cell);
  };
  for (const [i, { name, unit }] of chart.columns.entries()) {
    const named = unit.trim() === "" ? name : `${name} [${unit.trim()}]`;
    add(named, (row) => row.values[i] ?? null);
    if (chart.rows.some((row) => row.errors !== undefined))
      add(`± ${named}`, (row) => row.errors?.[i] ?? null);
  }
  if (chart.rows.some((row) => row.remark)) add("remark", (row) => row.remark ?? null);
  return { header, rows: chart.rows.map((row) => columns.map((cell) => cell(row))) };
}

function columnNumbers(chart: ColumnChart): NumberTable {
  const header = [chart.y.name];
  const columns: Cell[][] = [chart.groups];
  for (const series of chart.series) {
    header.push(series.name);
    columns.push(series.values);
    if (series.errors !== undefined) {
      header.push(`± ${series.name}`);
      columns.push(series.errors);
    }
    if (series.published !== undefined) {
      header.push(`${series.name}, published`);
      columns.push(series.published);
    }
  }
  return { header, rows: chart.groups.map((_, i) => columns.map((column) => column[i] ?? null)) };
}

export function numbersOf(chart: AnyChart): NumberTable {
  switch (chart.form) {
    case "lines":
      return lineNumbers(chart);
    case "bars":
      return barNumbers(chart);
    case "columns":
      return columnNumbers(chart);
  }
}
