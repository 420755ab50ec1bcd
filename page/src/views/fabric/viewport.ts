// SPDX-License-Identifier: Apache-2.0
// The camera over a fabric, which several pictures may share, and the gestures that move it.
import type { Box, Point } from "./geometry";

/** The point in the middle, and pixels per unit of the fabric. */
export interface Camera extends Point {
  scale: number;
}

export class Viewport {
  camera: Camera = { x: 0, y: 0, scale: 1 };
  width = 1;
  height = 1;
  private fitted = true; // nobody has moved it yet
  private readonly listeners = new Set<() => void>();

  constructor(private readonly bounds: Box) {}

  /** Calls back at every move; returns what ends that. */
  onMove(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  resize(width: number, height: number): void {
    if (width < 2 || height < 2 || (width === this.width && height === this.height)) return;
    this.width = width;
    this.height = height;
    if (this.fitted) this.fit();
    else this.moved();
  }

  fit(): void {
    const { left, top, right, bottom } = this.bounds;
    this.camera = { x: (left + right) / 2, y: (top + bottom) / 2, scale: this.fittingScale() };
    this.fitted = true;
    this.moved();
  }

  /** Zooms around a point of the screen; without one, around the middle. */
  zoom(factor: number, around: Point = { x: this.width / 2, y: this.height / 2 }): void {
    const fixed = this.toFabric(around);
    const least = this.fittingScale();
    const scale = Math.max(0.4 * least, Math.min(200 * least, this.camera.scale * factor));
    this.moveTo({
      x: fixed.x - (around.x - this.width / 2) / scale,
      y: fixed.y - (around.y - this.height / 2) / scale,
      scale,
    });
  }

  /** Moves the fabric by pixels. */
  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.camera;
    this.moveTo({ x: x - dx / scale, y: y - dy / scale, scale });
  }

  moveTo(camera: Camera): void {
    const { left, top, right, bottom } = this.bounds;
    this.camera = {
      x: Math.max(left, Math.min(right, camera.x)),
      y: Math.max(top, Math.min(bottom, camera.y)),
      scale: camera.scale,
    };
    this.fitted = false;
    this.moved();
  }

  toFabric(screen: Point): Point {
    const { x, y, scale } = this.camera;
    return { x: x + (screen.x - this.width / 2) / scale, y: y + (screen.y - this.height / 2) / scale };
  }

  /** What is seen, in coordinates of the fabric. */
  visible(): Box {
    const first = this.toFabric({ x: 0, y: 0 });
    const last = this.toFabric({ x: this.width, y: this.height });
    return { left: first.x, top: first.y, right: last.x, bottom: last.y };
  }

  private fittingScale(): number {
    const { left, top, right, bottom } = this.bounds;
    return Math.min(this.width / (right - left || 1), this.height / (bottom - top || 1));
  }

  private moved(): void {
    for (const listener of this.listeners) listener();
  }
}

export interface GestureHandlers {
  click(at: Point): void;
  hover(at: Point | null): void;
  escape(): void;
}

/** Lets an element move a viewport by wheel, drag, pinch and keys. */
export function attachGestures(element: HTMLElement, viewport: Viewport, handlers: GestureHandlers): void {
  const place = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 18 : 1);
      viewport.zoom(Math.exp(-0.0016 * Math.max(-300, Math.min(300, pixels))), place(event));
    },
    { passive: false },
  );
  element.addEventListener("keydown", (event) => {
    if (event.target === element && moveByKey(event.key, viewport, handlers)) event.preventDefault();
  });
  attachPointers(element, viewport, handlers, place);
}

function moveByKey(key: string, viewport: Viewport, handlers: GestureHandlers): boolean {
  const step = 60; // pixels
  const moves: Record<string, () => void> = {
    "+": () => viewport.zoom(1.4),
    "=": () => viewport.zoom(1.4),
    "-": () => viewport.zoom(1 / 1.4),
    "0": () => viewport.fit(),
    ArrowLeft: () => viewport.pan(step, 0),
    ArrowRight: () => viewport.pan(-step, 0),
    ArrowUp: () => viewport.pan(0, step),
    ArrowDown: () => viewport.pan(0, -step),
    Escape: () => handlers.escape(),
  };
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  move?.();
  return move !== undefined;
}

/** Drag moves, two fingers pinch, and a press that does not move clicks. */
function attachPointers(
  element: HTMLElement,
  viewport: Viewport,
  handlers: GestureHandlers,
  place: (event: MouseEvent) => Point,
): void {
  const down = new Map<number, Point>();
  let travelled = 0;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (down.size === 0) travelled = 0;
    down.set(event.pointerId, place(event));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = down.get(event.pointerId);
    if (before === undefined) return handlers.hover(now);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) pinch(viewport, before, now, other);
    else if (travelled + apart(before, now) > 4) viewport.pan(now.x - before.x, now.y - before.y);
    travelled += apart(before, now);
    down.set(event.pointerId, now);
  });
  element.addEventListener("pointerup", (event) => {
    if (down.delete(event.pointerId) && down.size === 0 && travelled <= 4) handlers.click(place(event));
  });
  element.addEventListener("pointercancel", (event) => void down.delete(event.pointerId));
  element.addEventListener("pointerleave", () => handlers.hover(null));
}

function pinch(viewport: Viewport, before: Point, now: Point, other: Point): void {
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
  viewport.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
  viewport.zoom(apart(now, other) / (apart(before, other) || 1), middle);
}

function apart(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
