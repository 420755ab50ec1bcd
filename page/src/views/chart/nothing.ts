// SPDX-License-Identifier: Apache-2.0
// Charts without anything to draw, as of a simulation that deadlocked, and why. No document is needed.
import type { AnyChart, Axis, BarChart, ColumnChart, LineChart } from "../../data";

const isNumber = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && Number.isFinite(value);

function hasNone({ name, unit }: Axis): string {
  const words = name || unit || "";
  return words === "" ? "there is no value" : `“${words}” has no value`;
}

const isLogarithmic = ({ scale }: Axis) => scale === "log" || scale === "bytes";

function whyNoLines({ series, bands, x, y }: LineChart): string {
  if (bands !== undefined && bands.length > 0) return "";
  const points = series.flatMap((each) => each.points.filter(([at, value]) => isNumber(at) && isNumber(value)));
  if (points.length === 0) {
    const deadlocked = series.some((each) => (each.crossed?.length ?? 0) > 0);
    return `${hasNone(y)}${deadlocked ? ", as simulations deadlocked" : ""}`;
  }
  for (const [index, axis] of [x, y].entries())
    if (isLogarithmic(axis) && points.every((point) => point[index]! < 0))
      return `${hasNone(axis)} of 0 or more, as a logarithmic axis needs`;
  return "";
}

function whyNoBars({ rows, columns }: BarChart): string {
  const hasSomething = rows.some((row) => row.remark || row.values.some(isNumber));
  return hasSomething ? "" : columns.map(hasNone).join(", ") || "there is no value";
}

function whyNoColumns({ series, y }: ColumnChart): string {
  const hasSomething = series.some((each) => [...each.values, ...(each.published ?? [])].some(isNumber));
  return hasSomething ? "" : hasNone(y);
}

/** Why nothing of a chart can be drawn; "": something can. */
export function whyNothing(chart: AnyChart): string {
  switch (chart.form) {
    case "lines":
      return whyNoLines(chart);
    case "bars":
      return whyNoBars(chart);
    case "columns":
      return whyNoColumns(chart);
  }
}
