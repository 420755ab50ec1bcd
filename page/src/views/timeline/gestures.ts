// SPDX-License-Identifier: Apache-2.0
// Wheel and pointers over a time line, turned into movements of what is seen.
import { listenToPointers, placeOf, wheelPixels, type Point } from "../input";

export interface Movements {
  zoom(factor: number, x: number): void;
  pan(dx: number, dy: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  choose(x: number, y: number): void;
  /** Whether there is nothing more to zoom out to: then the wheel scrolls the page. */
  isWhole(): boolean;
}

function listenToWheel(element: HTMLElement, movements: Movements): void {
  element.addEventListener(
    "wheel",
    (event) => {
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (movements.isWhole() && (sideways || event.deltaY > 0)) return;
      event.preventDefault();
      if (sideways) movements.pan(event.deltaX || event.deltaY, 0);
      else movements.zoom(Math.exp(wheelPixels(event) * 0.0015), placeOf(event, element).x);
    },
    { passive: false },
  );
}

/** One pointer pans, two zoom. */
export function listenToGestures(element: HTMLElement, movements: Movements): void {
  listenToWheel(element, movements);
  const apart = (a: Point, b: Point) => Math.max(1, Math.abs(a.x - b.x));
  listenToPointers(element, {
    hover: ({ x, y }) => movements.hover(x, y),
    leave: () => movements.leave(),
    click: ({ x, y }) => movements.choose(x, y),
    drag: (before, now) => movements.pan(before.x - now.x, before.y - now.y),
    pinch: (before, now, other) =>
      movements.zoom(apart(before, other) / apart(now, other), (now.x + other.x) / 2),
  });
}
