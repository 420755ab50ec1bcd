// SPDX-License-Identifier: Apache-2.0
// Pointers, wheel and keys over something that moves and zooms: shared by fabrics, time lines and charts.

export interface Point {
  x: number;
  y: number;
}

export interface PointerActions {
  hover(at: Point): void;
  leave(): void;
  click(at: Point): void;
  /** One pointer moves. */
  drag(before: Point, now: Point): void;
  /** One of two pointers moves. */
  pinch(before: Point, now: Point, other: Point): void;
}

const clickDistance = 4; // pixels

/** Where an event lies within an element. */
export function placeOf(event: MouseEvent, element: HTMLElement): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** Whether a key is meant for the browser: Ctrl and + zoom the page. */
export function isCommand({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

/** How far a wheel turned, in pixels; lines count as some. */
export function wheelPixels({ deltaY, deltaMode }: WheelEvent): number {
  return Math.max(-300, Math.min(300, deltaY * (deltaMode === 1 ? 18 : 1)));
}

/** A press that does not move clicks. One finger up or down scrolls the page, by `touch-action: pan-y`; two
 * fingers never do. */
export function listenToPointers(element: HTMLElement, actions: PointerActions): void {
  const held = new Map<number, Point>();
  let moved = 0;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (held.size === 0) moved = 0;
    held.set(event.pointerId, placeOf(event, element));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const now = placeOf(event, element);
    const before = held.get(event.pointerId);
    if (before === undefined) return actions.hover(now);
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    held.set(event.pointerId, now);
    moved += distance(before, now);
    if (moved < clickDistance) return;
    actions.leave();
    if (other === undefined) actions.drag(before, now);
    else actions.pinch(before, now, other);
  });
  element.addEventListener("pointerup", (event) => {
    const wasHeld = held.delete(event.pointerId);
    if (wasHeld && held.size === 0 && moved < clickDistance) actions.click(placeOf(event, element));
  });
  element.addEventListener("pointercancel", (event) => void held.delete(event.pointerId));
  element.addEventListener("pointerleave", () => actions.leave());
  const keepTwoFingers = (event: TouchEvent) => {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  };
  element.addEventListener("touchmove", keepTwoFingers, { passive: false });
}
