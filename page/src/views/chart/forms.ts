// SPDX-License-Identifier: Apache-2.0
// The forms of charts: each with the module that draws it and the height that it wants.
import type { AnyChart } from "../../data";
import { barsHeight, drawBars } from "./bars";
import { drawColumns } from "./columns";
import type { Drawing, View } from "./drawing";
import { drawLines } from "./lines";

export function drawForm(chart: AnyChart, view: View): Drawing {
  switch (chart.form) {
    case "lines":
      return drawLines(chart, view);
    case "bars":
      return drawBars(chart, view);
    case "columns":
      return drawColumns(chart, view);
  }
}

export function heightFor(chart: AnyChart, width: number): number {
  if (chart.form === "bars") return barsHeight(chart, width);
  return Math.round(Math.min(380, Math.max(250, 0.55 * width)));
}
