// SPDX-License-Identifier: Apache-2.0
// Zooming into a plot: a rectangle drawn over it by the pointer, or steps around a place.
import { make } from "../../elements";
import type { PlotPlaces } from "./reader";
import { clamped, type Range } from "./scale";

/** What was dragged over, in pixels; y null: a flat stroke, which means a range of x only. */
export interface Dragged {
  x: Range;
  y: Range | null; // from the bottom
}

const leastWidth = 8; // below it, it was a click
const flat = 24;

interface Corner {
  x: number;
  y: number;
}

/** Where the pointer is, but not outside the plot. */
function cornerAt(event: PointerEvent, box: HTMLElement, within: PlotPlaces): Corner {
  const { left, top } = box.getBoundingClientRect();
  const x = clamped(event.clientX - left, within.left, within.right);
  return { x, y: clamped(event.clientY - top, within.top, within.bottom) };
}

/** Null: too narrow to mean anything. */
function draggedBetween(start: Corner, end: Corner): Dragged | null {
  const x: Range = [Math.min(start.x, end.x), Math.max(start.x, end.x)];
  const y: Range = [Math.max(start.y, end.y), Math.min(start.y, end.y)];
  return x[1] - x[0] < leastWidth ? null : { x, y: y[0] - y[1] < flat ? null : y };
}

function placeMark(mark: HTMLElement, { x, y }: Dragged, within: PlotPlaces): void {
  const [bottom, top] = y ?? [within.bottom, within.top];
  mark.style.cssText = `left:${x[0]}px;top:${top}px;width:${x[1] - x[0]}px;height:${bottom - top}px`;
}

/** Calls back with each rectangle that is drawn; `places` null: there is nothing to zoom now. */
export function dragToZoom(
  box: HTMLElement,
  places: () => PlotPlaces | null,
  zoom: (dragged: Dragged) => void,
): void {
  const mark = make("div", { class: "zoom-mark", hidden: true });
  box.append(mark);
  let start: { corner: Corner; within: PlotPlaces } | null = null;
  box.addEventListener("pointerdown", (event) => {
    const within = places();
    if (within === null || event.button !== 0) return;
    start = { corner: cornerAt(event, box, within), within };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (start === null) return;
    const dragged = draggedBetween(start.corner, cornerAt(event, box, start.within));
    mark.hidden = dragged === null;
    if (dragged !== null) placeMark(mark, dragged, start.within);
  });
  const finish = (event: PointerEvent) => {
    if (start === null) return;
    const dragged = draggedBetween(start.corner, cornerAt(event, box, start.within));
    start = null;
    mark.hidden = true;
    if (dragged !== null && event.type === "pointerup") zoom(dragged);
  };
  box.addEventListener("pointerup", finish);
  box.addEventListener("pointercancel", finish);
}

const leastShare = 1e-9; // of the whole
const leastResolved = 1e-12; // of the values themselves, which have 16 digits

/** The nearest range within the whole that can still be told apart from a point. */
export function limited([low, high]: Range, whole: Range): Range {
  const length = whole[1] - whole[0];
  const size = Math.max(Math.abs(whole[0]), Math.abs(whole[1]));
  const least = Math.min(length, Math.max(leastShare * length, leastResolved * size));
  const width = clamped(high - low, least, length);
  const start = clamped((low + high - width) / 2, whole[0], whole[1] - width);
  return [start, width === length ? whole[1] : start + width];
}

/** A range that is so much wider (or narrower) around a place, or around its middle. */
export function zoomedAround([low, high]: Range, at: number | null, factor: number): Range {
  const centre = at ?? (low + high) / 2;
  return [centre - (centre - low) * factor, centre + (high - centre) * factor];
}
