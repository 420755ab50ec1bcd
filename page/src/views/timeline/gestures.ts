// SPDX-License-Identifier: Apache-2.0
// Wheel, pointer and keys over a time line, turned into movements of what is seen.

export interface Movements {
  zoom(factor: number, x: number): void;
  pan(dx: number, dy: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  choose(x: number, y: number): void;
  /** Whether there is nothing more to zoom out to: then the wheel scrolls the page. */
  isWhole(): boolean;
}

interface Touch {
  x: number;
  y: number;
}

const clickDistance = 4; // pixels

function placeOf(event: MouseEvent, element: HTMLElement): Touch {
  const { left, top } = element.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

function listenToWheel(element: HTMLElement, movements: Movements): void {
  element.addEventListener(
    "wheel",
    (event) => {
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (movements.isWhole() && (sideways || event.deltaY > 0)) return;
      event.preventDefault();
      if (sideways) movements.pan(event.deltaX || event.deltaY, 0);
      else movements.zoom(Math.exp(event.deltaY * 0.0015), placeOf(event, element).x);
    },
    { passive: false },
  );
}

/** One pointer pans, two zoom. */
function listenToPointers(element: HTMLElement, movements: Movements): void {
  const held = new Map<number, Touch>();
  let moved = 0;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held.set(event.pointerId, placeOf(event, element));
    element.setPointerCapture(event.pointerId);
    if (held.size === 1) moved = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const now = placeOf(event, element);
    const before = held.get(event.pointerId);
    if (before === undefined) return movements.hover(now.x, now.y);
    const others = [...held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    held.set(event.pointerId, now);
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved < clickDistance) return;
    movements.leave();
    if (others.length === 0) return movements.pan(before.x - now.x, before.y - now.y);
    const [other] = others;
    const factor = Math.max(1, Math.abs(before.x - other.x)) / Math.max(1, Math.abs(now.x - other.x));
    movements.zoom(factor, (now.x + other.x) / 2);
  });
  const release = (event: PointerEvent) => {
    const place = held.get(event.pointerId);
    held.delete(event.pointerId);
    if (event.type === "pointerup" && place !== undefined && moved < clickDistance)
      movements.choose(place.x, place.y);
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("pointerleave", () => movements.leave());
}

export function listenToGestures(element: HTMLElement, movements: Movements): void {
  listenToWheel(element, movements);
  listenToPointers(element, movements);
}
