// SPDX-License-Identifier: Apache-2.0
// Zooming into a plot: a rectangle drawn over it by the pointer, or steps around a place.
import { make } from "../../elements";
import type { PlotPlaces } from "./reader";
import type { Range } from "./scale";

/** What was dragged over, in pixels; y null: a flat stroke, which means a range of x only. */
export interface Dragged {
  x: Range;
  y: Range | null; // from the bottom
}

const leastWidth = 8; // below it, it was a click
const flat = 24;

const between = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** Calls back with each rectangle that is drawn; `places` null: there is nothing to zoom now. */
export function dragToZoom(box: HTMLElement, places: () => PlotPlaces | null, zoom: (dragged: Dragged) => void): void {
  const mark = make("div", { class: "zoom-mark", hidden: true });
  box.append(mark);
  let start: { x: number; y: number; within: PlotPlaces } | null = null;
  const at = (event: PointerEvent, within: PlotPlaces) => {
    const { left, top } = box.getBoundingClientRect();
    const x = between(event.clientX - left, within.left, within.right);
    return { x, y: between(event.clientY - top, within.top, within.bottom) };
  };
  const draggedTo = (event: PointerEvent): Dragged | null => {
    if (start === null) return null;
    const end = at(event, start.within);
    const x: Range = [Math.min(start.x, end.x), Math.max(start.x, end.x)];
    const y: Range = [Math.max(start.y, end.y), Math.min(start.y, end.y)];
    return x[1] - x[0] < leastWidth ? null : { x, y: y[0] - y[1] < flat ? null : y };
  };
  box.addEventListener("pointerdown", (event) => {
    const within = places();
    if (within === null || event.button !== 0) return;
    start = { ...at(event, within), within };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    const dragged = draggedTo(event);
    mark.hidden = dragged === null;
    if (dragged === null || start === null) return;
    const [bottom, top] = dragged.y ?? [start.within.bottom, start.within.top];
    mark.style.cssText = `left:${dragged.x[0]}px;top:${top}px;width:${dragged.x[1] - dragged.x[0]}px;height:${bottom - top}px`;
  });
  const finish = (event: PointerEvent) => {
    const dragged = event.type === "pointerup" ? draggedTo(event) : null;
    start = null;
    mark.hidden = true;
    if (dragged !== null) zoom(dragged);
  };
  box.addEventListener("pointerup", finish);
  box.addEventListener("pointercancel", finish);
}

/** A range that is so much wider (or narrower) around a place, or around its middle. */
export function zoomedAround([low, high]: Range, at: number | null, factor: number): Range {
  const centre = at ?? (low + high) / 2;
  return [centre - (centre - low) * factor, centre + (high - centre) * factor];
}
