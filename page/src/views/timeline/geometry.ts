// SPDX-License-Identifier: Apache-2.0
// Where operations, rows and the ends of arrows lie in the picture of a time line. No document is needed.
import type { TimelineSection } from "../../data";
import { widest } from "../../text";
import type { TimelineScene } from "./scene";
import type { Rectangle } from "./surface";

export const axisHeight = 26;
const leastRow = 3; // pixels; below, operations of a rank are drawn as one row
const smallRow = 8; // pixels; such rows lie on whole pixels: sharp, and quicker to draw
const [leastBand, mostBand] = [5, 13]; // pixels, of the calls above the operations of a rank

/** The width of the names of ranks, before a picture that is so wide with them. */
export function gutterFor(section: TimelineSection, width: number): number {
  const names = widest(section.ranks.map(({ name }) => name), { size: 11 });
  return Math.min(names + 14, 0.28 * width);
}

/** Whether the operations of a rank are drawn on top of each other, as its rows are too flat. */
export function isMerged({ view, rows }: TimelineScene, rank: number): boolean {
  return rows.count[rank] > 1 && view.rowHeight < leastRow;
}

/** The row that an operation is drawn in. */
export function drawnRow(scene: TimelineScene, op: number): number {
  return isMerged(scene, scene.section.ops.rank[op]) ? 0 : scene.rows.row[op];
}

/** The height of the calls above the operations of a rank; 0: they are not drawn. */
function bandHeight({ view, showCalls }: TimelineScene): number {
  const room = showCalls ? view.bandHeight : 0;
  return room < leastBand ? 0 : Math.min(mostBand, room);
}

/** Where a rank has its calls and its rows. */
interface RankLayout {
  top: number;
  band: number;
  rowsTop: number;
  step: number; // from a row to the next
  rows: number;
}

function layoutOf(scene: TimelineScene, rank: number): RankLayout {
  const { view } = scene;
  const height = view.rankHeight(rank);
  const margin = height >= smallRow ? view.rankMargin : 0;
  const top = axisHeight + view.y(rank) + margin;
  const band = bandHeight(scene);
  const rows = isMerged(scene, rank) ? 1 : scene.rows.count[rank];
  return { top, band, rowsTop: top + band, step: (height - 2 * margin - band) / rows, rows };
}

/** The top and the height of the calls of a rank; null: they are not drawn. */
export function callSpan(scene: TimelineScene, rank: number): { y: number; height: number } | null {
  const { top, band } = layoutOf(scene, rank);
  return band === 0 ? null : { y: top, height: band - 2 };
}

/** The top and the height of a row of a rank. */
export function rowSpan(scene: TimelineScene, rank: number, row: number): { y: number; height: number } {
  const { rowsTop, step, rows } = layoutOf(scene, rank);
  const y = rowsTop + row * step;
  if (step >= smallRow) return { y, height: step - (rows > 1 ? 1 : 0) };
  const pixel = Math.floor(y);
  return { y: pixel, height: Math.max(1, Math.floor(y + step) - pixel - (rows > 1 ? 1 : 0)) };
}

/** An operation, or a part of it, where it is drawn. */
export interface OpBar {
  op: number;
  box: Rectangle;
}

export function opBox(scene: TimelineScene, op: number): Rectangle {
  const { view, gutter, section } = scene;
  const { rank, begin, end } = section.ops;
  const x = view.x(begin[op]);
  const width = Math.max(1, view.x(end[op]) - x);
  return { x: gutter + x, width, ...rowSpan(scene, rank[op], drawnRow(scene, op)) };
}

/** The row at a height of the picture: the nearest of the rank. */
export function rowAt(scene: TimelineScene, rank: number, y: number): number {
  const { rowsTop, step, rows } = layoutOf(scene, rank);
  return Math.max(0, Math.min(rows - 1, Math.floor((y - rowsTop) / step)));
}

export function rankMiddle({ view }: TimelineScene, rank: number): number {
  return axisHeight + view.y(rank) + view.rankHeight(rank) / 2;
}

/** A height in an operation's row: 0 is its top, 1 its bottom; without an operation (-1), the middle of the
 * rank. */
export function heightInRow(scene: TimelineScene, rank: number, op: number, share = 0.5): number {
  if (op < 0) return rankMiddle(scene, rank);
  const { y, height } = rowSpan(scene, rank, drawnRow(scene, op));
  return y + share * height;
}

/** A message from its send to its receive, at a height in their rows: x1, y1, x2, y2. */
export function arrowOf(scene: TimelineScene, message: number, share = 0.5): number[] {
  const { from, to, sent, received } = scene.section.messages;
  const { view, gutter, messageOps } = scene;
  return [
    gutter + view.x(sent[message]),
    heightInRow(scene, from[message], messageOps.send[message], share),
    gutter + view.x(received[message]),
    heightInRow(scene, to[message], messageOps.receive[message], share),
  ];
}
