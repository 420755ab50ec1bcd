// SPDX-License-Identifier: Apache-2.0
// Keeps moves of a picture fluent: where drawing is quick, each move draws; else a move shifts and scales what
// was drawn last, as it is, and the picture is drawn anew when it rests. Measured times decide, not sizes.
import type { Camera, Viewport } from "./viewport";

const quick = 25; // ms per frame that draws
const settled = 140; // ms after the frames of the last move
const framesMeasured = 3; // a browser prepares frames while the processor of graphics is behind

export class Pace {
  private drawn: Camera; // for which the layers were drawn
  private size = "";
  private frame = Infinity; // ms per frame at the last drawing
  private measuring = false;
  private moves = 0;

  /** `draw` draws for the camera as it is, in the next frame at the latest. */
  constructor(
    private readonly layers: HTMLElement,
    private readonly viewport: Viewport,
    private readonly draw: () => void,
  ) {
    this.drawn = viewport.camera;
  }

  /** The viewport has moved, or has another size. */
  move(): void {
    const { width, height } = this.viewport;
    const size = `${width} ${height}`;
    ++this.moves;
    if (this.frame < quick || size !== this.size || this.isFar()) this.drawNow();
    else this.drawAtRest(this.moves);
    this.size = size;
    this.place();
  }

  /** Draws what was only shifted so far. */
  catchUp(): void {
    if (this.isShifted()) this.drawNow();
  }

  /** Something else draws now: its frames are measured anew. */
  restart(): void {
    this.frame = Infinity;
    this.drawNow();
  }

  /** Moves come once a frame while a hand moves on, and frames may be slow: those are waited for. */
  private drawAtRest(move: number): void {
    const wait = () =>
      setTimeout(() => {
        if (move === this.moves) this.catchUp();
      }, settled);
    requestAnimationFrame(() => requestAnimationFrame(() => move === this.moves && wait()));
  }

  /** The next frames tell how long this one takes. */
  private drawNow(): void {
    const { camera } = this.viewport;
    this.draw();
    requestAnimationFrame((begin) => {
      this.drawn = camera;
      this.place();
      if (!this.measuring) this.measure(begin, framesMeasured);
    });
  }

  private measure(begin: number, frames: number): void {
    this.measuring = frames > 0;
    requestAnimationFrame((now) => {
      if (frames > 1) return this.measure(begin, frames - 1);
      this.measuring = false;
      this.frame = (now - begin) / framesMeasured;
      this.layers.style.willChange = this.frame < quick ? "" : "transform";
      this.layers.dataset.moves = this.frame < quick ? "drawn" : "shifted";
    });
  }

  /** Puts what was drawn where it belongs now. */
  private place(): void {
    const { x, y, scale } = this.viewport.camera;
    const [dx, dy] = [(this.drawn.x - x) * scale, (this.drawn.y - y) * scale];
    const shift = `translate(${dx}px, ${dy}px) scale(${scale / this.drawn.scale})`;
    this.layers.style.transform = this.isShifted() ? shift : "";
  }

  private isShifted(): boolean {
    const { x, y, scale } = this.viewport.camera;
    return x !== this.drawn.x || y !== this.drawn.y || scale !== this.drawn.scale;
  }

  /** Whether too little of what was drawn is in view, or it is too coarse, to wait for rest. */
  private isFar(): boolean {
    const { camera, width, height } = this.viewport;
    const { x, y, scale } = this.drawn;
    const factor = camera.scale / scale;
    const shift = Math.max(Math.abs(x - camera.x) / width, Math.abs(y - camera.y) / height) * camera.scale;
    return factor > 4 || factor < 0.4 || shift > 0.4 * Math.max(1, factor);
  }
}
