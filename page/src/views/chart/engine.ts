// SPDX-License-Identifier: Apache-2.0
// The parts of Apache ECharts that charts use: nothing else of it is bundled.
import { BarChart, CustomChart, LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TitleComponent } from "echarts/components";
import { init, use, type ECharts } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

export type { ECharts, EChartsCoreOption as ChartOption } from "echarts/core";

use([
  BarChart,
  CustomChart,
  LineChart,
  GridComponent,
  MarkLineComponent,
  TitleComponent,
  SVGRenderer,
]);

export function plotInto(element: HTMLElement): ECharts {
  return init(element, null, { renderer: "svg" });
}

/** A plot that is on no page: only to be turned into text. */
export function plotApart(width: number, height: number): ECharts {
  return init(null, null, { renderer: "svg", ssr: true, width, height });
}
