// SPDX-License-Identifier: Apache-2.0
// Line charts: series with error bars, markers, bands and marks on two axes of any scale.
import type { LineChart, Series } from "../../data";
import { between } from "../../mix";
import { formatBytes, formatNumber, withUnit } from "../../number";
import {
  axisTitle,
  colourOf,
  cross,
  drawAxis,
  frame,
  type Drawing,
  type Entry,
  type Stop,
  type StopValue,
  type View,
} from "./drawing";
import { errorBars } from "./overlays";
import { extent, isOfBytes, scaleOf, type Range, type Scale } from "./scale";

/** A point on the axes; null: the line stops. */
type Placed = [x: number, y: number | null];

interface Plane {
  x: Scale;
  y: Scale;
}

const symbols = ["circle", "rect", "triangle", "diamond"];
const coloursBeforeRepeat = 8;
const ringSize = 11;
const deadlock = "deadlock";

function colourIndex(chart: LineChart, index: number): number {
  return chart.series[index].colour ?? index;
}

/** Markers differ among series of one colour, and where colours begin again. */
function symbolOf(chart: LineChart, index: number): string {
  if (chart.series[index].published) return "emptyCircle";
  const colour = colourIndex(chart, index);
  const before = chart.series.slice(0, index).filter((_, i) => colourIndex(chart, i) === colour).length;
  return symbols[(colour + Math.floor(colour / coloursBeforeRepeat) + before) % symbols.length];
}

function isMarked(series: Series): boolean {
  return Boolean(series.marked || series.unlined || series.published);
}

export function place(series: Series, plane: Plane): Placed[] {
  return series.points.map(([x, y]) => [
    x === null ? NaN : (plane.x.place(x) ?? NaN),
    y === null ? null : plane.y.place(y),
  ]);
}

/** Points that are no steady state: hollow markers and crosses. */
function unsteady(series: Series): Set<number> {
  return new Set([...(series.open ?? []), ...(series.crossed ?? [])]);
}

/** The line to a hollow marker is dashed: the solid part without it, and the dashed one. */
export function partAtOpen(
  points: Placed[],
  open: ReadonlySet<number>,
): { solid: Placed[]; dashed: Placed[] } {
  const solid: Placed[] = [];
  const dashed: Placed[] = [];
  for (const [i, point] of points.entries()) {
    if (open.has(i) && i > 0) {
      solid.push([point[0], null]);
      dashed.push(points[i - 1], point, [point[0], null]);
    }
    solid.push(point);
  }
  return { solid, dashed };
}

/** A point between gaps, which no line reaches. */
function isAlone(points: Placed[], i: number): boolean {
  const isGap = (point: Placed | undefined) => point === undefined || point[1] === null;
  return isGap(points[i - 1]) && isGap(points[i + 1]);
}

/** Markers of the points that have one: hollow for what is published or open, crosses for deadlocks. */
function markersOf(series: Series, points: Placed[], look: Entry, view: View): object[] {
  const [open, crossed] = [new Set(series.open), new Set(series.crossed)];
  const symbol = series.published || look.symbol === "none" ? "circle" : look.symbol;
  const fill = series.published ? "transparent" : view.colours.paper;
  const stroked = (color: string) => ({ color, borderColor: look.colour, borderWidth: 2 });
  return points.flatMap((value, i): object[] => {
    if (value[1] === null) return [];
    if (crossed.has(i))
      return view.hidden.has(deadlock)
        ? []
        : [{ value, symbol: cross, symbolSize: 9, itemStyle: stroked("transparent") }];
    if (open.has(i) || series.published) return [{ value, symbol, itemStyle: stroked(fill) }];
    return isMarked(series) || isAlone(points, i) ? [{ value, symbol, itemStyle: { color: look.colour } }] : [];
  });
}

function markersOption(data: object[], published: boolean): object {
  return {
    type: "line",
    data,
    symbolSize: published ? ringSize : 7,
    showAllSymbol: true,
    lineStyle: { width: 0 },
    silent: true,
    z: published ? 6 : 4,
  };
}

function seriesOptions(series: Series, look: Entry, plane: Plane, view: View): object[] {
  const points = place(series, plane);
  const { solid, dashed } = partAtOpen(points, unsteady(series));
  const line = (data: Placed[], dashes: boolean) => ({
    type: "line",
    data,
    showSymbol: false,
    silent: true,
    step: series.stepped ? "end" : false,
    lineStyle: {
      width: series.unlined || series.published ? 0 : 2,
      color: look.colour,
      type: dashes ? [6, 4] : "solid",
    },
    itemStyle: { color: look.colour },
  });
  const area = series.filled ? { areaStyle: areaStyle(series, look.colour, view) } : {};
  const options: object[] = [{ ...line(solid, Boolean(series.dashed)), ...area, name: series.name }];
  if (dashed.length > 0) options.push(line(dashed, true));
  const bars = points.flatMap((point, i) => errorBar(series.points[i], point, plane));
  if (bars.length > 0) options.push(errorBars(bars, look.colour));
  const markers = markersOf(series, points, look, view);
  if (markers.length > 0) options.push(markersOption(markers, Boolean(series.published)));
  return options;
}

/** What is opaque hides what lies below it, in the colour that it would have on paper. */
function areaStyle(series: Series, colour: string, view: View): object {
  const share = 0.22;
  return series.opaque
    ? { color: between(view.colours.paper, colour, share), opacity: 1, origin: "start" }
    : { color: colour, opacity: share, origin: "start" };
}

function errorBar(point: (number | null)[], placed: Placed, plane: Plane): [number, number, number][] {
  const [, y, error] = point;
  if (y === null || placed[1] === null || error === null || !(error > 0)) return [];
  return [[placed[0], plane.y.place(y - error) ?? plane.y.whole[0], plane.y.place(y + error) ?? placed[1]]];
}

function bandOption(band: NonNullable<LineChart["bands"]>[number], plane: Plane, view: View): object {
  const corners = [...band.low, ...[...band.high].reverse()].map(([x, y]) => [
    plane.x.place(x),
    plane.y.place(y),
  ]);
  return {
    type: "custom",
    name: band.name,
    silent: true,
    clip: true,
    z: 0,
    data: [0],
    encode: { x: -1, y: -1 },
    itemStyle: { color: view.colours.ink, opacity: 0.1 },
    renderItem: (_params: unknown, api: { coord(at: unknown): number[] }) => ({
      type: "polygon",
      shape: { points: corners.filter(([x, y]) => x !== null && y !== null).map((at) => api.coord(at)) },
      style: { fill: view.colours.ink, opacity: 0.1 },
    }),
  };
}

function marksOption(chart: LineChart, plane: Plane, view: View): object {
  const data = (chart.marks ?? []).map((mark) => ({
    xAxis: plane.x.place(mark.x),
    label: { formatter: () => mark.word, position: "insideEndTop", color: view.colours.ink },
  }));
  const lineStyle = { color: view.colours.ink, opacity: 0.6, width: 1, type: [3, 3] };
  return {
    type: "line",
    data: [],
    markLine: { silent: true, symbol: "none", animation: false, lineStyle, data },
  };
}

function planeOf(chart: LineChart): Plane {
  const shown = chart.series.flatMap((series) => series.points);
  const bounds = (chart.bands ?? []).flatMap((band) => [...band.low, ...band.high]);
  const xs = [...shown, ...bounds].flatMap(([x, y]) => (x === null || y === null ? [] : [x]));
  const ys = [...shown, ...bounds].flatMap(([, y, error]) => (y === null ? [] : [y, y + (error ?? 0)]));
  for (const mark of chart.marks ?? []) xs.push(mark.x);
  return { x: scaleOf(chart.x, xs, false), y: scaleOf(chart.y, ys, true) };
}

function lookOf(series: Series): Entry["look"] {
  if (series.published) return "ring";
  if (series.unlined) return "marker";
  if (series.dashed) return "dashed";
  return series.filled ? "area" : "line";
}

function seriesEntries(chart: LineChart, view: View): Entry[] {
  return chart.series.map((series, i) => ({
    name: series.name,
    colour: series.published ? view.colours.ink : colourOf(view, colourIndex(chart, i)),
    symbol: isMarked(series) ? symbolOf(chart, i) : "none",
    look: lookOf(series),
  }));
}

function headingOf(chart: LineChart, x: number): string {
  const { name, unit = "", words } = chart.x;
  const word = words?.[x];
  if (word !== undefined) return word;
  const short = isOfBytes(chart.x) && x >= 1024 ? ` (${formatBytes(x)})` : "";
  const value = `${withUnit(formatNumber(x, 6), unit)}${short}`;
  return name === "" || name === unit ? value : `${name}: ${value}`;
}

function outcomeAt(series: Series, index: number): string {
  if (series.crossed?.includes(index)) return ` (${deadlock})`;
  return series.open?.includes(index) ? " (hollow)" : "";
}

function valueAt(chart: LineChart, entries: Entry[], i: number, index: number): StopValue {
  const series = chart.series[i];
  const [, y, error] = series.points[index];
  const half = error !== null && error > 0 ? ` ± ${formatNumber(error, 3)}` : "";
  const unit = series.unit ?? chart.y.unit ?? "";
  const text = withUnit(formatNumber(y) + half, unit) + outcomeAt(series, index);
  return { name: series.name || `series ${i + 1}`, colour: entries[i].colour, text };
}

/** All values at each x that any series has. */
function stopsOf(chart: LineChart, entries: Entry[], plane: Plane, view: View): Stop[] {
  const pointsAt = new Map<number, [series: number, index: number][]>();
  for (const [i, series] of chart.series.entries()) {
    if (view.hidden.has(series.name)) continue;
    for (const [index, [x, y]] of series.points.entries()) {
      if (x === null || y === null) continue;
      const points = pointsAt.get(x);
      if (points === undefined) pointsAt.set(x, [[i, index]]);
      else points.push([i, index]);
    }
  }
  const stops = [...pointsAt].flatMap(([x, points]): Stop[] => {
    const at = plane.x.place(x);
    if (at === null) return [];
    const values = () => points.map(([i, index]) => valueAt(chart, entries, i, index));
    return [{ at, read: () => ({ heading: headingOf(chart, x), values: values() }) }];
  });
  return stops.sort((a, b) => a.at - b.at);
}

/** The least and the greatest y of what lies within a range of x. */
function fitted(chart: LineChart, plane: Plane, x: Range, view: View): Range {
  const ys = chart.series
    .filter((series) => !view.hidden.has(series.name))
    .flatMap((series) => place(series, plane))
    .flatMap(([at, y]) => (y !== null && at >= x[0] && at <= x[1] ? [y] : []));
  if (ys.length === 0) return plane.y.whole;
  const [low, high] = extent(ys);
  const size = Math.max(Math.abs(low), Math.abs(high));
  const margin = high - low > 1e-9 * size ? 0.08 * (high - low) : 0.1 * size || 1;
  return [low - margin, high + margin];
}

function hasCrosses(chart: LineChart): boolean {
  return chart.series.some((series) => series.crossed?.length);
}

/** Series and bands with names, each name once, and what crosses mean. */
function legendEntries(chart: LineChart, entries: Entry[], view: View): Entry[] {
  const bands = (chart.bands ?? []).map((band): Entry => {
    return { name: band.name, colour: view.colours.ink, symbol: "none", look: "area" };
  });
  const { ink } = view.colours;
  const crosses: Entry[] = hasCrosses(chart)
    ? [{ name: deadlock, colour: ink, symbol: cross, look: "marker" }]
    : [];
  const all = [...entries, ...bands, ...crosses];
  return all.filter(({ name }, i) => name !== "" && all.findIndex((other) => other.name === name) === i);
}

export function drawLines(chart: LineChart, view: View): Drawing {
  const plane = planeOf(chart);
  const entries = seriesEntries(chart, view);
  const x = view.zoom?.x ?? plane.x.whole;
  const y = view.zoom === null ? plane.y.whole : (view.zoom.y ?? fitted(chart, plane, x, view));
  const across = Math.max(2, Math.floor(view.width / (chart.x.words === undefined ? 75 : 34)));
  const series = chart.series.flatMap((each, i) =>
    view.hidden.has(each.name) ? [] : seriesOptions(each, entries[i], plane, view),
  );
  const bands = (chart.bands ?? []).filter((band) => !view.hidden.has(band.name));
  const xAxis = drawAxis({ axis: chart.x, scale: plane.x, range: x, about: across }, view, false);
  const yAxis = drawAxis({ axis: chart.y, scale: plane.y, range: y, about: 5 }, view, true);
  return {
    option: {
      ...frame(view),
      grid: {
        left: Math.max(yAxis.room, xAxis.overhang),
        right: Math.max(24, xAxis.overhang),
        top: axisTitle(chart.y) === "" ? 12 : 34,
        bottom: xAxis.room,
      },
      xAxis: xAxis.option,
      yAxis: yAxis.option,
      series: [
        ...bands.map((band) => bandOption(band, plane, view)),
        ...series,
        marksOption(chart, plane, view),
      ],
    },
    stops: stopsOf(chart, entries, plane, view),
    entries: legendEntries(chart, entries, view),
    shown: { x, y },
    whole: { x: plane.x.whole, y: plane.y.whole },
  };
}
