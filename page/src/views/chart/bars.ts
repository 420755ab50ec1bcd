// SPDX-License-Identifier: Apache-2.0
// Bar charts: horizontal bars, a column of them for each quantity; columns lie below each other where there
// is little room.
import type { BarChart, BarRow } from "../../data";
import { formatFixed, titled, withUnit } from "../../number";
import { flatErrorBars } from "./overlays";
import { colourOf, frame, textWidth, type Drawing, type View } from "./drawing";

const rowHeight = 22;
const headHeight = 30; // of a column's name
const leastColumn = 190; // pixels

function isHeading(row: BarRow): boolean {
  return row.values.length === 0 && !row.remark;
}

function namesWidth(chart: BarChart, width: number): number {
  const longest = Math.max(
    0,
    ...chart.rows.filter((row) => !isHeading(row)).map((row) => textWidth(row.name)),
  );
  return Math.min(longest + 16, 0.4 * width);
}

function isStacked(chart: BarChart, width: number): boolean {
  return (width - namesWidth(chart, width)) / chart.columns.length < leastColumn;
}

/** Of the whole plot. */
export function barsHeight(chart: BarChart, width: number): number {
  const one = headHeight + rowHeight * chart.rows.length + 12;
  return isStacked(chart, width) ? one * Math.max(1, chart.columns.length) : one;
}

interface Place {
  left: number;
  top: number;
  width: number;
  named: boolean; // the names of rows stand before it
}

function placeOf(chart: BarChart, column: number, view: View): Place {
  const names = namesWidth(chart, view.width);
  if (isStacked(chart, view.width)) {
    const top = view.top + headHeight + column * (barsHeight(chart, view.width) / chart.columns.length);
    return { left: names, top, width: view.width - names - 8, named: true };
  }
  const each = (view.width - names - 8) / chart.columns.length;
  return { left: names + column * each, top: view.top + headHeight, width: each, named: column === 0 };
}

function namesOption(chart: BarChart, column: number, place: Place, view: View): object {
  const { ink } = view.colours;
  return {
    type: "category",
    gridIndex: column,
    inverse: true,
    data: chart.rows.map((row, i) => ({
      value: String(i),
      textStyle: { fontWeight: isHeading(row) ? 600 : 400 },
    })),
    axisLine: { show: true, lineStyle: { color: view.colours.faint } },
    axisTick: { show: false },
    axisLabel: {
      show: place.named,
      interval: 0,
      color: ink,
      width: place.left - 12,
      overflow: "truncate",
      formatter: (index: string) => chart.rows[Number(index)].name,
    },
  };
}

/** Short units stand at each value, long ones at the head of the column. */
const isShort = (unit: string) => unit.length <= 4;

/** The text after a bar. */
function valueText(chart: BarChart, row: BarRow, column: number): string {
  const { places, unit } = chart.columns[column];
  const value = row.values[column] ?? null;
  if (value === null) return "";
  const error = row.errors?.[column] ?? 0;
  const half = error > 0 ? ` ± ${formatFixed(error, places)}` : "";
  return withUnit(formatFixed(value, places) + half, isShort(unit) ? unit : "");
}

/** A remark stands instead of bars, in the first column. */
function textAfter(chart: BarChart, row: BarRow, column: number): string {
  return valueText(chart, row, column) || (column === 0 ? (row.remark ?? "") : "");
}

/** The end of the longest bar. */
function mostOf(chart: BarChart, column: number): number {
  return Math.max(0, ...chart.rows.map((row) => endOf(row, column))) || 1;
}

function barsOption(chart: BarChart, column: number, place: Place, view: View): object {
  const scale = barsWidth(chart, column, place) / mostOf(chart, column);
  return {
    type: "bar",
    name: chart.columns[column].name,
    xAxisIndex: column,
    yAxisIndex: column,
    barWidth: 13,
    silent: true,
    data: chart.rows.map((row) => ({
      value: row.values[column] ?? (row.remark && column === 0 ? 0 : null),
      itemStyle: { color: colourOf(view, row.colour ?? 0) },
      label: { distance: 5 + scale * (row.errors?.[column] ?? 0) },
    })),
    label: {
      show: true,
      position: "right",
      color: view.colours.ink,
      formatter: (bar: { dataIndex: number }) => textAfter(chart, chart.rows[bar.dataIndex], column),
    },
  };
}

/** Where a bar ends, with its error bar. */
function endOf(row: BarRow, column: number): number {
  return (row.values[column] ?? 0) + (row.errors?.[column] ?? 0);
}

function errorsOption(chart: BarChart, column: number, view: View): object {
  const bars = chart.rows.flatMap((row, i): [number, number, number][] => {
    const error = row.errors?.[column] ?? 0;
    return error > 0 ? [[i, endOf(row, column) - 2 * error, endOf(row, column)]] : [];
  });
  return flatErrorBars(bars, view.colours.ink, column);
}

/** Bars end early enough for the longest text after one. */
function barsWidth(chart: BarChart, column: number, place: Place): number {
  const longest = Math.max(0, ...chart.rows.map((row) => textWidth(valueText(chart, row, column))));
  return Math.max(20, place.width - Math.min(longest, 0.6 * place.width) - 16);
}

export function drawBars(chart: BarChart, view: View): Drawing {
  const places = chart.columns.map((_, i) => placeOf(chart, i, view));
  const height = rowHeight * chart.rows.length;
  return {
    option: {
      ...frame(view),
      title: chart.columns.map((column, i) => ({
        text: isShort(column.unit) ? column.name : titled(column.name, column.unit),
        left: places[i].left - 4,
        top: places[i].top - 26,
        textStyle: { fontSize: 12, fontWeight: 600, color: view.colours.ink },
      })),
      grid: places.map((place, i) => {
        return { left: place.left, top: place.top, width: barsWidth(chart, i, place), height };
      }),
      xAxis: chart.columns.map((_, i) => ({
        type: "value",
        gridIndex: i,
        min: 0,
        max: mostOf(chart, i),
        show: false,
      })),
      yAxis: places.map((place, i) => namesOption(chart, i, place, view)),
      series: chart.columns.flatMap((_, i) => [
        barsOption(chart, i, places[i], view),
        errorsOption(chart, i, view),
      ]),
    },
    stops: [],
    entries: [],
    shown: null,
    whole: null,
  };
}
