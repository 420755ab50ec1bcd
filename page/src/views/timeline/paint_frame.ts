// SPDX-License-Identifier: Apache-2.0
// Draws what the operations of a time line lie on and between: the axis, ranks and their names, and the shade over
// what was not timed.
import { linearTicks } from "../chart/scale";
import { axisHeight, rankMiddle } from "./geometry";
import type { TimelineScene } from "./scene";
import type { Surface } from "./surface";
import { rankName } from "./words";

const nameHeight = 13; // of the names of ranks
const letterWidth = 6.2;
export const outsideShade = 0.14; // how much of ink lies over what was not timed

function unitOf(span: number): { name: string; us: number } {
  if (span >= 2e6) return { name: "s", us: 1e6 };
  return span >= 2e3 ? { name: "ms", us: 1e3 } : { name: "us", us: 1 };
}

export function paintAxis(surface: Surface, scene: TimelineScene): void {
  const { view, gutter, colours } = scene;
  const unit = unitOf(view.end - view.begin);
  const ticks = linearTicks(
    [view.begin / unit.us, view.end / unit.us],
    Math.max(2, Math.floor(view.width / 110)),
  );
  const grid: number[] = [];
  if (gutter > 34) surface.text(gutter - 6, 10, "rank", { colour: colours.ink, size: 11, align: "right" });
  for (const tick of ticks) {
    const x = gutter + view.x(tick.at * unit.us);
    grid.push(x, axisHeight - 5, x, axisHeight + view.height);
    const align = gutter + view.width - x < 30 ? "right" : x - gutter < 20 ? "left" : "center";
    surface.text(x, 10, `${tick.text} ${unit.name}`, { colour: colours.ink, size: 11, align });
  }
  surface.lines(grid, { colour: colours.faint, width: 1, opacity: 0.7 });
}

/** The ranks whose names are shown: as many as have room. The marked one always is. */
function namedRanks(scene: TimelineScene): number[] {
  const { view, section, markedRank } = scene;
  const meanRank = view.totalHeight / section.ranks.length;
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(nameHeight / meanRank)));
  const named: number[] = [];
  let free = -Infinity;
  for (let rank = view.firstRank; rank <= view.lastRank; ++rank) {
    const y = rankMiddle(scene, rank);
    const isMarked = rank === markedRank;
    const hitsMarked = markedRank !== null && Math.abs(y - rankMiddle(scene, markedRank)) < nameHeight;
    if (!isMarked && (rank % every !== 0 || y < free || hitsMarked)) continue;
    free = y + nameHeight;
    named.push(rank);
  }
  return named;
}

export function paintNames(surface: Surface, scene: TimelineScene): void {
  const { gutter, colours, section } = scene;
  const letters = Math.max(2, Math.floor((gutter - 8) / letterWidth));
  for (const rank of namedRanks(scene)) {
    const name = rankName(section, rank);
    const text = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
    surface.text(gutter - 6, rankMiddle(scene, rank), text, { colour: colours.ink, size: 11, align: "right" });
  }
}

export function paintRanks(surface: Surface, scene: TimelineScene): void {
  const { view, colours, gutter } = scene;
  const lines: number[] = [];
  for (let rank = view.firstRank; rank <= view.lastRank; ++rank) {
    const height = view.rankHeight(rank);
    const y = axisHeight + view.y(rank) + height;
    if (height >= 6) lines.push(gutter, y, gutter + view.width, y);
  }
  surface.lines(lines, { colour: colours.faint, width: 1, opacity: 0.45 });
  if (scene.markedRank === null) return;
  const y = axisHeight + view.y(scene.markedRank);
  const box = { x: gutter, y, width: view.width, height: Math.max(2, view.rankHeight(scene.markedRank)) };
  surface.frame(box, { colour: colours.ink, width: 1 });
}

/** Shades what lies outside the part that was timed. */
export function paintOutside(surface: Surface, scene: TimelineScene): void {
  const { view, gutter, colours, section } = scene;
  if (section.timed === undefined) return;
  const inView = (time: number) => gutter + Math.max(0, Math.min(view.width, view.x(time)));
  const [left, right] = [inView(section.timed.begin), inView(section.timed.end)];
  const boxes = [gutter, axisHeight, left - gutter, view.height];
  boxes.push(right, axisHeight, gutter + view.width - right, view.height);
  surface.rects(boxes, colours.ink, outsideShade);
  const edges = [left, right].filter((x) => x > gutter && x < gutter + view.width);
  const lines = edges.flatMap((x) => [x, axisHeight, x, axisHeight + view.height]);
  surface.lines(lines, { colour: colours.ink, width: 1 });
}

/** How much of the ranks is seen, at the right edge. */
export function paintScrollMark(surface: Surface, scene: TimelineScene): void {
  const { view, gutter, colours } = scene;
  const total = view.totalHeight;
  if (total <= view.height + 1) return;
  const height = Math.max(16, (view.height * view.height) / total);
  const y = axisHeight + (view.top / (total - view.height)) * (view.height - height);
  surface.rects([gutter + view.width - 4, y, 4, height], colours.ink);
}
