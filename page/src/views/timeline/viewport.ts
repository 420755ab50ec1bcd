// SPDX-License-Identifier: Apache-2.0
// The part of a time line that is seen: a span of time and some of the ranks. No document is needed.

export interface Extent {
  begin: number; // us
  end: number;
  rows: Uint8Array; // by rank: it has that many
  band: number; // rows above those of each rank, for the calls that they are part of
  readableRow: number; // pixels
}

export const usualRow = 20; // pixels, where there is room
const tallestRow = 28;
const marginRows = 0.2; // above and below the rows of a rank
const shortestSpan = 1e-4; // us
const leastZoom = 0.1; // us, of a span that is zoomed to

export class TimelineViewport {
  begin: number;
  end: number;
  top = 0; // pixels of ranks above what is seen
  rowHeight: number;
  fitsRanks = true; // whether rows are as flat as all ranks need
  width = 600; // of the ranks, without names
  height = 300;

  /** Rows and margins above each rank; last, those of all. */
  private readonly above: Float64Array;

  constructor(private readonly all: Extent) {
    this.above = new Float64Array(all.rows.length + 1);
    const others = all.band + 2 * marginRows;
    all.rows.forEach((rows, rank) => (this.above[rank + 1] = this.above[rank] + rows + others));
    this.rowHeight = usualRow;
    this.begin = all.begin;
    this.end = all.end;
  }

  resize(width: number, height: number): void {
    this.width = Math.max(40, width);
    this.height = Math.max(40, height);
    if (this.fitsRanks) this.rowHeight = this.fittedRow;
    this.clamp();
  }

  /** Shows all ranks, or rows that can be read, from the first rank on. */
  fitRanks(fits: boolean): void {
    this.setRowHeight(fits ? this.fittedRow : this.all.readableRow);
    this.top = 0;
  }
  /** Whether all ranks are seen in rows that can be read. */
  get hasRoom(): boolean {
    return this.fittedRow >= this.all.readableRow;
  }
  private get fittedRow(): number {
    return Math.min(usualRow, this.height / this.totalRows);
  }

  /** The same time and ranks in another width. */
  withWidth(width: number): TimelineViewport {
    const { begin, end, top, rowHeight, fitsRanks, height } = this;
    return Object.assign(new TimelineViewport(this.all), { begin, end, top, rowHeight, fitsRanks, height, width });
  }

  x(time: number): number {
    return ((time - this.begin) / (this.end - this.begin)) * this.width;
  }
  time(x: number): number {
    return this.begin + (x / this.width) * (this.end - this.begin);
  }
  y(rank: number): number {
    return this.above[rank] * this.rowHeight - this.top;
  }
  rankHeight(rank: number): number {
    return (this.above[rank + 1] - this.above[rank]) * this.rowHeight;
  }
  get rankMargin(): number {
    return marginRows * this.rowHeight;
  }
  get bandHeight(): number {
    return this.all.band * this.rowHeight;
  }
  /** Rows and margins of all ranks. */
  get totalRows(): number {
    return this.above[this.all.rows.length];
  }
  get totalHeight(): number {
    return this.totalRows * this.rowHeight;
  }
  /** The rank at a height; null: none. */
  rank(y: number): number | null {
    const row = (y + this.top) / this.rowHeight;
    return row >= 0 && row < this.totalRows ? this.rankAtRow(row) : null;
  }
  get firstRank(): number {
    return this.rankAtRow(this.top / this.rowHeight);
  }
  get lastRank(): number {
    return this.rankAtRow((this.top + this.height) / this.rowHeight);
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

  /** Changes the height of rows; what is in the middle stays there. */
  setRowHeight(height: number): void {
    const middle = (this.top + this.height / 2) / this.rowHeight;
    const least = Math.min(tallestRow, this.height / this.totalRows);
    this.rowHeight = Math.max(least, Math.min(tallestRow, height));
    this.fitsRanks = this.rowHeight === this.fittedRow;
    this.top = middle * this.rowHeight - this.height / 2;
    this.clamp();
  }

  /** Brings a rank into view, and a span of time if it is not. */
  reveal(rank: number, begin?: number, end?: number): void {
    const y = this.y(rank);
    const height = this.rankHeight(rank);
    if (y < 0 || y + height > this.height) this.top += y + height / 2 - this.height / 2;
    if (begin !== undefined && end !== undefined && (begin < this.begin || end > this.end)) {
      const span = Math.max(this.end - this.begin, 1.5 * (end - begin));
      this.begin = (begin + end - span) / 2;
      this.end = this.begin + span;
    }
    this.clamp();
  }

  /** Makes a span of time the middle third of what is seen. */
  zoomTo(begin: number, end: number): void {
    const span = Math.max(3 * (end - begin), leastZoom);
    this.begin = (begin + end - span) / 2;
    this.end = this.begin + span;
    this.clamp();
  }

  /** The last rank that begins at or above a row. */
  private rankAtRow(row: number): number {
    let low = 0;
    let high = this.all.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.above[middle] <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private clamp(): void {
    const span = Math.min(this.end - this.begin, this.all.end - this.all.begin);
    this.begin = Math.max(this.all.begin, Math.min(this.all.end - span, this.begin));
    this.end = this.begin + span;
    const most = Math.max(0, this.totalHeight - this.height);
    this.top = Math.max(0, Math.min(most, this.top));
  }
}
