// SPDX-License-Identifier: Apache-2.0
// Finds what lies at a place of a time line, and ranks by their names. No document is needed.
import type { TimelineSection } from "../../data";
import { arrowOf, axisHeight, callSpan, drawnRow, rowAt } from "./geometry";
import { importance } from "./kinds";
import type { TimelineScene } from "./scene";

/** An operation, of so many that are drawn on top of each other there; a message; or a call. */
export type FoundSpan = { op: number; stacked: number } | { message: number } | { call: number };

const near = 3; // pixels
const flatRow = 6; // pixels; on such rows arrows are found before operations

interface PlaceInRow {
  x: number;
  rank: number;
  row: number;
}

function opAt(scene: TimelineScene, { x, rank, row }: PlaceInRow): FoundSpan | null {
  const { view, index, section, hiddenKinds } = scene;
  const { begin, end, kind } = section.ops;
  const time = view.time(x);
  let best: number | null = null;
  let least = Infinity;
  let stacked = 0;
  index.eachOp(rank, view.time(x - near), view.time(x + near), (op) => {
    if (hiddenKinds.has(kind[op]) || drawnRow(scene, op) !== row) return;
    const outside = Math.max(begin[op] - time, time - end[op], 0);
    if (outside === 0) ++stacked;
    // Of those around the place, what lies on top; of these the shortest.
    const below = 1e12 * (2 - importance(section.kinds[kind[op]]));
    const distance = outside > 0 ? 1e15 + outside : below + end[op] - begin[op];
    if (distance <= least) [best, least] = [op, distance];
  });
  return best === null ? null : { op: best, stacked };
}

/** The innermost call at a place of the band above the operations. */
function callAt(scene: TimelineScene, x: number, y: number, rank: number): number | null {
  const span = callSpan(scene, rank);
  if (span === null || y > span.y + span.height) return null;
  let found: number | null = null;
  scene.index.eachCall(rank, scene.view.time(x - 1), scene.view.time(x + 1), (call) => (found = call));
  return found;
}

function distanceToLine(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const share =
    length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
  return Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1));
}

function messageAt(scene: TimelineScene, x: number, y: number): number | null {
  const { view, index, gutter } = scene;
  let best: number | null = null;
  let least = near + 1;
  index.eachMessage(view.time(x - gutter - near), view.time(x - gutter + near), (message) => {
    const [x1, y1, x2, y2] = arrowOf(scene, message);
    const distance = distanceToLine(x, y, x1, y1, x2, y2);
    if (distance < least) [best, least] = [message, distance];
  });
  return best;
}

/** What is at a pixel of the whole picture. */
export function findAt(scene: TimelineScene, pixelX: number, pixelY: number, arrows: boolean): FoundSpan | null {
  const x = pixelX - scene.gutter;
  const y = pixelY - axisHeight;
  const rank = scene.view.rank(y);
  if (x < 0 || y < 0 || rank === null) return null;
  const call = callAt(scene, x, pixelY, rank);
  if (call !== null) return { call };
  const message = arrows ? messageAt(scene, pixelX, pixelY) : null;
  const op = opAt(scene, { x, rank, row: rowAt(scene, rank, pixelY) });
  if (op !== null && (message === null || scene.view.rowHeight >= flatRow)) return op;
  return message === null ? null : { message };
}

/** A rank by its number, its name or its host, or the beginning of one; null: none. */
export function findRank(section: TimelineSection, text: string): number | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const names = section.ranks.map(({ name, host }) => [name.toLowerCase(), host.toLowerCase()]);
  const exact = names.findIndex((each) => each.includes(wanted));
  if (exact >= 0) return exact;
  const number = Number(wanted);
  if (Number.isInteger(number) && number >= 0 && number < section.ranks.length) return number;
  const begun = names.findIndex((each) => each.some((name) => name.startsWith(wanted)));
  return begun >= 0 ? begun : null;
}

/** What would be right where no rank was found. */
export function noSuchRank(section: TimelineSection, text: string): string {
  const { name, host } = section.ranks[0];
  const last = section.ranks.length - 1;
  const numbers = last === 0 ? "0, the only one" : `from 0 to ${last}`;
  const example = host === "" ? `a name like ${name}` : `a name or host like ${name} or ${host}`;
  return `There is no rank “${text.trim()}”: type a number ${numbers}, or ${example}.`;
}
