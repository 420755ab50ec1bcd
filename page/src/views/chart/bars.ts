// SPDX-License-Identifier: Apache-2.0
// Bar charts: horizontal bars, a column of them for each quantity; columns lie below each other where there
// is little room.
import type { BarChart, BarRow } from "../../data";
import { fontFamily } from "../../text";
import { layoutBars, lineHeight, valueText, type BarLayout, type ColumnPlace } from "./bar_layout";
import { colourOf, frame, type Drawing, type View } from "./drawing";

const barHeight = 13; // pixels

/** Of the whole plot. */
export function barsHeight(chart: BarChart, width: number): number {
  return layoutBars(chart, width).height;
}

/** Where a bar ends, with its error bar. */
function endOf(row: BarRow, column: number): number {
  return (row.values[column] ?? 0) + (row.errors?.[column] ?? 0);
}

/** The end of the longest bar. */
function mostOf(chart: BarChart, column: number): number {
  return Math.max(0, ...chart.rows.map((row) => endOf(row, column))) || 1;
}

function textShape(text: string, x: number, y: number, view: View): object {
  const style = { text, x, y, fill: view.colours.ink, verticalAlign: "middle", lineHeight };
  return { type: "text", style: { ...style, font: `12px ${fontFamily}` } };
}

/** The shapes of a row within a column: its bar, its error bar, and the text after them; or its remark. */
function rowShapes(chart: BarChart, layout: BarLayout, column: number, i: number, view: View): object[] {
  const { left, top, bars } = layout.columns[column];
  const row = chart.rows[i];
  const { remark, middle } = layout.rows[i];
  const y = top + middle;
  const value = row.values[column] ?? null;
  const words = column === 0 && remark.length > 0 ? remark.join("\n") : valueText(chart, row, column);
  if (value === null) return [textShape(words, left + 5, y, view)];
  const x = (at: number) => left + (bars * Math.max(0, at)) / mostOf(chart, column);
  const error = row.errors?.[column] ?? 0;
  const shape = { x: left, y: y - barHeight / 2, width: x(value) - left, height: barHeight };
  const bar = { type: "rect", shape, style: { fill: colourOf(view, row.colour ?? 0) } };
  const line = { x1: x(value - error), y1: y, x2: x(value + error), y2: y };
  const stroke = { type: "line", shape: line, style: { stroke: view.colours.ink, lineWidth: 1.2 } };
  const text = textShape(valueText(chart, row, column), x(value + error) + 5, y, view);
  return error > 0 ? [bar, stroke, text] : [bar, text];
}

/** A series that draws all rows of a column. */
function columnOption(chart: BarChart, layout: BarLayout, column: number, view: View): object {
  const children = chart.rows.flatMap((_, i) => rowShapes(chart, layout, column, i, view));
  return {
    type: "custom",
    name: chart.columns[column].name,
    xAxisIndex: column,
    yAxisIndex: column,
    silent: true,
    data: [0],
    encode: { x: -1, y: -1 },
    renderItem: () => ({ type: "group", children }),
  };
}

/** The names of rows, on the line that bars stand on. */
function namesOption({ rows, rowsHeight }: BarLayout, { named }: ColumnPlace, column: number, view: View): object {
  const names = new Map(rows.map(({ middle, name, isHeading }) => [middle, isHeading ? "" : name.join("\n")]));
  return {
    type: "value",
    gridIndex: column,
    inverse: true,
    min: 0,
    max: rowsHeight,
    axisLine: { show: true, onZero: false, lineStyle: { color: view.colours.faint } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      show: named,
      color: view.colours.ink,
      lineHeight,
      customValues: [...names.keys()],
      formatter: (middle: number) => names.get(middle) ?? "",
    },
  };
}

function titleOption(lines: string[], left: number, top: number, view: View): object {
  return {
    text: lines.join("\n"),
    left,
    top,
    padding: [0, 4],
    backgroundColor: view.colours.paper, // over the line that bars stand on
    textStyle: { fontSize: 12, fontWeight: 600, lineHeight, color: view.colours.ink },
  };
}

/** The names of columns, and the headings of rows: from the left edge across the bars. */
function titlesOf({ columns, rows, headHeight }: BarLayout, view: View): object[] {
  const heads = columns.map(({ head, left, top }) => titleOption(head, left - 4, top - headHeight + 4, view));
  const headings = columns.flatMap(({ top, named }) =>
    rows.flatMap(({ name, isHeading, middle }) => {
      if (!named || !isHeading || name[0] === "") return [];
      return [titleOption(name, 0, top + middle - (lineHeight * name.length) / 2, view)];
    }),
  );
  return [...heads, ...headings];
}

export function drawBars(chart: BarChart, view: View): Drawing {
  const layout = layoutBars(chart, view.width);
  const { columns, rowsHeight } = layout;
  return {
    option: {
      ...frame(view),
      title: titlesOf(layout, view),
      grid: columns.map(({ left, top, bars }) => ({ left, top, width: bars, height: rowsHeight })),
      xAxis: columns.map((_, gridIndex) => ({ type: "value", gridIndex, min: 0, max: 1, show: false })),
      yAxis: columns.map((place, i) => namesOption(layout, place, i, view)),
      series: columns.map((_, i) => columnOption(chart, layout, i, view)),
    },
    stops: [],
    entries: [],
    shown: null,
    whole: null,
  };
}
