// SPDX-License-Identifier: Apache-2.0
// The numbers of a chart as a table: what is read aloud, copied and saved as CSV. No document is needed.
import type { AnyChart, BarChart, BarRow, Cell, ColumnChart, LineChart, Series } from "../../data";
import { headed } from "../../number";

export interface NumberTable {
  header: string[];
  rows: Cell[][];
}

function hasErrors(series: Series): boolean {
  return series.points.some((point) => (point[2] ?? 0) > 0);
}

/** Columns of a series; points of a series at the same x are in rows of their own. */
function lineNumbers(chart: LineChart): NumberTable {
  const header = [headed(chart.x.name, chart.x.unit) || "x"];
  const rows = new Map<string, Cell[]>();
  for (const [index, series] of chart.series.entries()) {
    const column = header.length;
    const name = series.name || `series ${index + 1}`;
    const withErrors = hasErrors(series);
    const unit = series.unit ?? chart.y.unit;
    header.push(headed(name, unit));
    if (withErrors) header.push(headed(`± ${name}`, unit));
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
  const header = ["name"];
  const columns: ((row: BarRow) => Cell)[] = [(row) => row.name];
  const add = (name: string, cell: (row: BarRow) => Cell) => {
    header.push(name);
    columns.push(cell);
  };
  for (const [i, { name, unit }] of chart.columns.entries()) {
    add(headed(name, unit), (row) => row.values[i] ?? null);
    if (chart.rows.some((row) => (row.errors?.[i] ?? 0) > 0))
      add(headed(`± ${name}`, unit), (row) => row.errors?.[i] ?? null);
  }
  if (chart.rows.some((row) => row.remark)) add("remark", (row) => row.remark ?? null);
  return { header, rows: chart.rows.map((row) => columns.map((cell) => cell(row))) };
}

function columnNumbers(chart: ColumnChart): NumberTable {
  const header = ["group"];
  const columns: Cell[][] = [chart.groups];
  const add = (name: string, values: (number | null)[] | undefined) => {
    if (values === undefined) return;
    header.push(headed(name, chart.y.unit));
    columns.push(values);
  };
  for (const series of chart.series) {
    add(series.name, series.values);
    add(`± ${series.name}`, series.errors);
    add(`${series.name}, published`, series.published);
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
