// SPDX-License-Identifier: Apache-2.0
// The camera over a fabric, which several pictures may share, and the gestures that move it.
import { distance, isCommand, listenToPointers, placeOf, wheelPixels, type Point } from "../input";
import type { Box } from "./geometry";

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

  /** Whether all of the fabric can be seen: the wheel zooms out no further. */
  get isWhole(): boolean {
    return this.camera.scale <= this.fittingScale();
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

  /** Whether a point of the fabric is seen. */
  sees({ x, y }: Point): boolean {
    const { left, top, right, bottom } = this.visible();
    return x >= left && x <= right && y >= top && y <= bottom;
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
  element.addEventListener(
    "wheel",
    (event) => {
      if (viewport.isWhole && event.deltaY > 0) return; // scrolls the page
      event.preventDefault();
      viewport.zoom(Math.exp(-0.0016 * wheelPixels(event)), placeOf(event, element));
    },
    { passive: false },
  );
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || isCommand(event)) return;
    if (moveByKey(event.key, viewport, handlers)) event.preventDefault();
  });
  listenToPointers(element, {
    hover: (at) => handlers.hover(at),
    leave: () => handlers.hover(null),
    click: (at) => handlers.click(at),
    drag: (before, now) => viewport.pan(now.x - before.x, now.y - before.y),
    pinch: (before, now, other) => pinch(viewport, before, now, other),
  });
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

function pinch(viewport: Viewport, before: Point, now: Point, other: Point): void {
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
  viewport.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
  viewport.zoom(distance(now, other) / (distance(before, other) || 1), middle);
}
