// SPDX-License-Identifier: Apache-2.0
// Finds what lies at a place of a time line, and ranks by their names. No document is needed.
import type { TimelineSection } from "../../data";
import { axisHeight, type Scene } from "./paint";

export type Found = { op: number } | { message: number };

const near = 3; // pixels

function opAt(scene: Scene, x: number, rank: number): number | null {
  const { view, index, section, hiddenKinds } = scene;
  const { begin, end, kind } = section.ops;
  const time = view.time(x);
  let best: number | null = null;
  let least = Infinity;
  index.eachOp(rank, view.time(x - near), view.time(x + near), (op) => {
    if (hiddenKinds.has(kind[op])) return;
    const outside = Math.max(begin[op] - time, time - end[op], 0);
    // Of those around the place, the shortest: it lies on top.
    const distance = outside > 0 ? 1e9 + outside : end[op] - begin[op];
    if (distance <= least) [best, least] = [op, distance];
  });
  return best;
}

function distanceToLine(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const share =
    length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
  return Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1));
}

function messageAt(scene: Scene, x: number, y: number): number | null {
  const { view, index, section } = scene;
  const { from, to, sent, received } = section.messages;
  const half = view.laneHeight / 2;
  let best: number | null = null;
  let least = near + 1;
  index.eachMessage(view.time(x - near), view.time(x + near), (message) => {
    const [y1, y2] = [view.y(from[message]) + half, view.y(to[message]) + half];
    const distance = distanceToLine(x, y, view.x(sent[message]), y1, view.x(received[message]), y2);
    if (distance < least) [best, least] = [message, distance];
  });
  return best;
}

/** What is at a pixel of the whole picture. */
export function findAt(scene: Scene, pixelX: number, pixelY: number, arrows: boolean): Found | null {
  const x = pixelX - scene.gutter;
  const y = pixelY - axisHeight;
  const rank = scene.view.rank(y);
  if (x < 0 || y < 0 || rank === null) return null;
  const message = arrows ? messageAt(scene, x, y) : null;
  const op = opAt(scene, x, rank);
  if (op !== null && (message === null || scene.view.laneHeight >= 10)) return { op };
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
