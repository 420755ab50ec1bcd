// SPDX-License-Identifier: Apache-2.0
// What the forms of charts have in common: the view that they are drawn for, and what comes of it.
import type { Colours } from "../../context";
import type { Axis } from "../../data";
import { titled } from "../../number";
import { fontFamily, widest } from "../../text";
import type { ChartOption } from "./engine";
import type { Range, Scale } from "./scale";

/** How a chart is looked at. */
export interface View {
  width: number; // pixels
  height: number;
  colours: Colours;
  hidden: ReadonlySet<string>; // names of series
  /** The part that is zoomed to, on the axes; none: all of it. */
  zoom: { x: Range; y: Range | null } | null;
}

/** A place along the x axis at which values can be read. */
export interface Stop {
  at: number; // on the axis
  read(): Reading;
}

/** What is shown of a stop. */
export interface Reading {
  heading: string;
  values: StopValue[];
}

export interface StopValue {
  name: string;
  colour: string;
  text: string; // with its unit
}

/** An entry of the legend. */
export interface Entry {
  name: string;
  colour: string;
  symbol: string; // "none": no marker
  look: "line" | "dashed" | "area" | "ring" | "marker";
}

export interface Drawing {
  option: ChartOption;
  stops: Stop[];
  entries: Entry[];
  /** What the axes show; null: nothing can be read or zoomed along them. */
  shown: { x: Range; y: Range } | null;
  /** All that can be zoomed into; null: nothing. */
  whole: { x: Range; y: Range } | null;
}

/** What all plots begin with. */
export function frame(view: View): ChartOption {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily, fontSize: 12, color: view.colours.ink },
  };
}

export function colourOf(view: View, index: number): string {
  const { series } = view.colours;
  return series[index % series.length];
}

/** A marker that ECharts has no name for. */
export const cross = "path://M0 0 L8 8 M8 0 L0 8";

const longestLabel = 120; // pixels

interface AxisLook {
  axis: Axis;
  scale: Scale;
  range: Range;
  about: number; // labels
}

/** An axis for ECharts, and how many pixels its labels need. */
export interface AxisDrawing {
  option: object;
  room: number; // beside the plot, with its name
  overhang: number; // beyond either end
}

/** How far turned labels reach down. */
export function turnedHeight(width: number): number {
  return 0.57 * width + 14;
}

/** The words beside an axis. */
export function axisTitle({ name, unit, scale }: Axis): string {
  const title = titled(name, unit);
  return scale === "log" && title !== "" ? `${title} (logarithmic)` : title;
}

/** The option of an axis whose labels lie where its scale wants them. */
export function drawAxis(look: AxisLook, view: View, upright: boolean): AxisDrawing {
  const name = axisTitle(look.axis);
  const ticks = look.scale.ticks(look.range, look.about);
  const texts = new Map(ticks.map((tick) => [tick.at, tick.text]));
  const values = ticks.map((tick) => tick.at);
  const { ink, faint } = view.colours;
  const longest = Math.min(longestLabel, widest(ticks.map((tick) => tick.text)) + 2);
  const crowded = !upright && longest > (0.85 * view.width) / ticks.length;
  const depth = crowded ? turnedHeight(longest) : 20;
  const option = {
    type: "value",
    min: look.range[0],
    max: look.range[1],
    name,
    nameLocation: upright ? "end" : "middle",
    nameGap: upright ? 10 : depth + 6,
    nameTextStyle: { color: ink, align: upright ? "left" : "center" },
    axisLine: { show: true, onZero: false, lineStyle: { color: faint } },
    axisTick: { show: true, customValues: values, lineStyle: { color: faint } },
    axisLabel: {
      color: ink,
      customValues: values,
      hideOverlap: true,
      rotate: crowded ? 35 : 0,
      width: longestLabel,
      overflow: "truncate",
      formatter: (value: number) => texts.get(value) ?? "",
    },
    splitLine: { show: upright, lineStyle: { color: faint, opacity: 0.5 } },
  };
  const room = upright ? longest + 16 : depth + (name === "" ? 4 : 24);
  return { option, room, overhang: upright || crowded ? 0 : longest / 2 };
}
