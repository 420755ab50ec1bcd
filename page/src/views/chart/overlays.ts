// SPDX-License-Identifier: Apache-2.0
// What ECharts has no series for: error bars, and rings at columns for what a paper prints.

interface RenderApi {
  value(dimension: number): number;
  coord(at: [number, number]): [number, number];
  barLayout(look: object): { offsetCenter: number }[];
}

/** Where a column stands within its group: it is the index-th of those in the layout. */
export interface Beside {
  index: number;
  layout: object;
}

function shiftOf(api: RenderApi, beside?: Beside): number {
  return beside === undefined ? 0 : api.barLayout(beside.layout)[beside.index].offsetCenter;
}

/** Vertical lines with caps. */
export function errorBars(
  bars: [x: number, low: number, high: number][],
  colour: string,
  beside?: Beside,
): object {
  return {
    type: "custom",
    data: bars,
    encode: { x: 0, y: [1, 2] },
    silent: true,
    clip: true,
    z: 5,
    renderItem: (_params: unknown, api: RenderApi) => {
      const shift = shiftOf(api, beside);
      const [x, low] = api.coord([api.value(0), api.value(1)]);
      const high = api.coord([api.value(0), api.value(2)])[1];
      const line = (x1: number, y1: number, x2: number, y2: number) => ({
        type: "line",
        shape: { x1: x1 + shift, y1, x2: x2 + shift, y2 },
        style: { stroke: colour, lineWidth: 1.2 },
      });
      return {
        type: "group",
        children: [line(x, low, x, high), line(x - 4, low, x + 4, low), line(x - 4, high, x + 4, high)],
      };
    },
  };
}

export function ringsAtColumns(rings: [group: number, y: number][], colour: string, beside: Beside): object {
  return {
    type: "custom",
    data: rings,
    encode: { x: 0, y: 1 },
    silent: true,
    z: 6,
    renderItem: (_params: unknown, api: RenderApi) => {
      const [x, cy] = api.coord([api.value(0), api.value(1)]);
      const shape = { cx: x + shiftOf(api, beside), cy, r: 5 };
      return { type: "circle", shape, style: { fill: "none", stroke: colour, lineWidth: 2 } };
    },
  };
}
