// SPDX-License-Identifier: Apache-2.0
// A section of charts, beside each other where there is room.
import type { PageContext } from "../context";
import type { ChartsSection } from "../data";
import { make } from "../elements";
import { ChartFigure } from "./chart/figure";

export function drawCharts(section: ChartsSection, into: HTMLElement, context: PageContext): void {
  const columns = Math.max(1, section.columns ?? 1);
  const grid = make("div", { class: "chart-grid", style: `--columns: ${columns}` });
  for (const chart of section.charts) grid.append(new ChartFigure(chart, context, section.title).element);
  into.append(grid);
}
