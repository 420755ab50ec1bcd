// SPDX-License-Identifier: Apache-2.0
// Column charts: vertical bars in groups, with error bars, and rings for what a paper prints.
import type { ColumnChart } from "../../data";
import { formatNumber, withUnit } from "../../number";
import { widest } from "../../text";
import {
  colourOf,
  drawAxis,
  frame,
  turnedHeight,
  type AxisDrawing,
  type Drawing,
  type Entry,
  type Stop,
  type StopValue,
  type View,
} from "./drawing";
import { errorBars, ringsAtColumns } from "./overlays";
import { scaleOf, type Scale } from "./scale";

type ColumnSeries = ColumnChart["series"][number];

const published = "published";
const longestGroup = 140; // pixels
const gaps = { barGap: "10%", barCategoryGap: "28%" };

function scaleFor(chart: ColumnChart): Scale {
  const values = chart.series.flatMap((series) => [
    ...series.values.map((value, i) => (value === null ? null : value + (series.errors?.[i] ?? 0))),
    ...(series.published ?? []),
  ]);
  return scaleOf(
    chart.y,
    values.filter((value) => value !== null),
    true,
  );
}

/** Columns of one series; it is the index-th of so many that are shown. */
function seriesOptions(
  series: ColumnSeries,
  colour: string,
  index: number,
  count: number,
  scale: Scale,
  view: View,
): object[] {
  const beside = { index, layout: { ...gaps, count } };
  const options: object[] = [
    {
      type: "bar",
      name: series.name,
      data: series.values.map((value) => (value === null ? null : scale.place(value))),
      itemStyle: { color: colour },
      silent: true,
      ...gaps,
    },
  ];
  const bars = series.values.flatMap((value, i): [number, number, number][] => {
    const error = series.errors?.[i] ?? 0;
    if (value === null || !(error > 0)) return [];
    return [[i, scale.place(value - error) ?? scale.whole[0], scale.place(value + error) ?? scale.whole[1]]];
  });
  if (bars.length > 0) options.push(errorBars(bars, view.colours.ink, beside));
  const rings = (series.published ?? []).flatMap((value, i): [number, number][] => {
    const y = value === null ? null : scale.place(value);
    return y === null ? [] : [[i, y]];
  });
  if (rings.length > 0 && !view.hidden.has(published))
    options.push(ringsAtColumns(rings, view.colours.ink, beside));
  return options;
}

function valuesAt(chart: ColumnChart, entries: Entry[], group: number, view: View): StopValue[] {
  const unit = chart.y.unit ?? "";
  return chart.series.flatMap((series, k) => {
    const value = series.values[group] ?? null;
    if (view.hidden.has(series.name) || value === null) return [];
    const error = series.errors?.[group] ?? 0;
    const half = error > 0 ? ` ± ${formatNumber(error, 3)}` : "";
    const printed = series.published?.[group] ?? null;
    const beside = printed === null ? "" : ` (${published}: ${withUnit(formatNumber(printed), unit)})`;
    const text = withUnit(formatNumber(value) + half, unit) + beside;
    return [{ name: series.name, colour: entries[k].colour, text }];
  });
}

function stopsOf(chart: ColumnChart, entries: Entry[], view: View): Stop[] {
  return chart.groups.map((heading, at) => {
    return { at, read: () => ({ heading, values: valuesAt(chart, entries, at, view) }) };
  });
}

function drawGroups(chart: ColumnChart, view: View): AxisDrawing {
  const longest = Math.min(longestGroup, widest(chart.groups) + 2);
  const each = (0.85 * view.width) / Math.max(1, chart.groups.length);
  const option = {
    type: "category",
    data: chart.groups,
    axisLine: { lineStyle: { color: view.colours.faint } },
    axisTick: { show: false },
    axisLabel: {
      color: view.colours.ink,
      interval: each < 12 ? "auto" : 0,
      rotate: longest > each ? 35 : 0,
      width: longestGroup,
      overflow: "truncate",
    },
  };
  return { option, room: longest > each ? turnedHeight(longest) : 26, overhang: 0 };
}

export function drawColumns(chart: ColumnChart, view: View): Drawing {
  const scale = scaleFor(chart);
  const entries = chart.series.map((series, i): Entry => {
    return { name: series.name, colour: colourOf(view, i), symbol: "rect", look: "marker" };
  });
  const ring: Entry = { name: published, colour: view.colours.ink, symbol: "emptyCircle", look: "ring" };
  const shown = chart.series
    .map((series, i) => ({ series, i }))
    .filter(({ series }) => !view.hidden.has(series.name));
  const y = drawAxis({ axis: chart.y, scale, range: scale.whole, about: 5 }, view, true);
  const groups = drawGroups(chart, view);
  return {
    option: {
      ...frame(view),
      grid: { left: y.room, right: 16, top: 34, bottom: groups.room },
      xAxis: groups.option,
      yAxis: { ...y.option, startValue: scale.whole[0] },
      series: shown.flatMap(({ series, i }, index) =>
        seriesOptions(series, entries[i].colour, index, shown.length, scale, view),
      ),
    },
    stops: stopsOf(chart, entries, view),
    entries: chart.series.some((series) => series.published !== undefined) ? [...entries, ring] : entries,
    shown: { x: [-0.5, chart.groups.length - 0.5], y: scale.whole },
    whole: null,
  };
}
