// SPDX-License-Identifier: Apache-2.0
// The part of a time line that is seen: a span of time and some of the lanes. No document is needed.

export interface Extent {
  begin: number; // us
  end: number;
  ranks: number;
}

const tallest = 40; // pixels of a lane
const shortestSpan = 1e-4; // us

export class Viewport {
  begin: number;
  end: number;
  top = 0; // pixels of lanes above what is seen
  laneHeight = 20;
  width = 600; // of the lanes, without names
  height = 300;

  constructor(private readonly all: Extent) {
    this.begin = all.begin;
    this.end = all.end;
  }

  resize(width: number, height: number): void {
    this.width = Math.max(40, width);
    this.height = Math.max(40, height);
    this.clamp();
  }

  x(time: number): number {
    return ((time - this.begin) / (this.end - this.begin)) * this.width;
  }
  time(x: number): number {
    return this.begin + (x / this.width) * (this.end - this.begin);
  }
  y(rank: number): number {
    return rank * this.laneHeight - this.top;
  }
  /** The rank at a height; null: none. */
  rank(y: number): number | null {
    const rank = Math.floor((y + this.top) / this.laneHeight);
    return rank >= 0 && rank < this.all.ranks ? rank : null;
  }
  get firstRank(): number {
    return Math.max(0, Math.floor(this.top / this.laneHeight));
  }
  get lastRank(): number {
    return Math.min(this.all.ranks - 1, Math.floor((this.top + this.height) / this.laneHeight));
  }
  get isWhole(): boolean {
    return this.begin <= this.all.begin && this.end >= this.all.end;
  }

  /** Makes the span so much longer (or shorter); what is at x stays there. */
  zoom(factor: number, x: number): void {
    const at = this.time(x);
    const span = Math.min(
      this.all.end - this.all.begin,
      Math.max(shortestSpan, (this.end - this.begin) * factor),
    );
    this.begin = at - (x / this.width) * span;
    this.end = this.begin + span;
    this.clamp();
  }

  /** Moves by pixels. */
  pan(dx: number, dy: number): void {
    const shift = (dx / this.width) * (this.end - this.begin);
    this.begin += shift;
    this.end += shift;
    this.top += dy;
    this.clamp();
  }

  showAll(): void {
    this.begin = this.all.begin;
    this.end = this.all.end;
    this.top = 0;
  }

  /** Changes the height of lanes; what is in the middle stays there. */
  setLaneHeight(height: number): void {
    const middle = (this.top + this.height / 2) / this.laneHeight;
    const least = Math.min(tallest, this.height / this.all.ranks);
    this.laneHeight = Math.max(least, Math.min(tallest, height));
    this.top = middle * this.laneHeight - this.height / 2;
    this.clamp();
  }

  /** Brings a rank into view, and a span of time if it is not. */
  reveal(rank: number, begin?: number, end?: number): void {
    const y = this.y(rank);
    if (y < 0 || y + this.laneHeight > this.height)
      this.top = (rank + 0.5) * this.laneHeight - this.height / 2;
    if (begin !== undefined && end !== undefined && (begin < this.begin || end > this.end)) {
      const span = Math.max(this.end - this.begin, 1.5 * (end - begin));
      this.begin = (begin + end - span) / 2;
      this.end = this.begin + span;
    }
    this.clamp();
  }

  private clamp(): void {
    const span = Math.min(this.end - this.begin, this.all.end - this.all.begin);
    this.begin = Math.max(this.all.begin, Math.min(this.all.end - span, this.begin));
    this.end = this.begin + span;
    const most = Math.max(0, this.all.ranks * this.laneHeight - this.height);
    this.top = Math.max(0, Math.min(most, this.top));
  }
}
