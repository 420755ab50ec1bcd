// SPDX-License-Identifier: Apache-2.0
// Draws the part of a time line that is seen: lanes, operations, messages, the critical path and an axis.
import type { Colours } from "../../context";
import type { TimelineSection } from "../../data";
import { linearTicks } from "../chart/scale";
import type { TimelineIndex } from "./span_index";
import type { Box, Surface } from "./surface";
import type { Viewport } from "./viewport";
import { rankName, shortWords } from "./words";

export interface Scene {
  section: TimelineSection;
  index: TimelineIndex;
  view: Viewport;
  colours: Colours;
  gutter: number; // width of the names
  hiddenKinds: ReadonlySet<number>;
  showMessages: boolean;
  showPath: boolean;
  chosenOp: number | null;
  markedRank: number | null;
}

/** What was drawn. */
export interface Painted {
  messages: number; // in view
  arrows: boolean; // whether they are drawn
}

export const axisHeight = 26;
const flatLane = 8; // pixels
const mostArrows = 1500;
const mostHeads = 500;
const letterWidth = 6.2; // of the words in operations

export function kindColour(scene: Pick<Scene, "colours">, kind: number): string {
  const { series } = scene.colours;
  return series[kind % series.length];
}

/** Above and below an operation, in its lane. */
function laneMargin(view: Viewport): number {
  return view.laneHeight >= flatLane ? Math.min(4, 0.15 * view.laneHeight) : 0;
}

function middleOf(scene: Scene, rank: number): number {
  return axisHeight + scene.view.y(rank) + scene.view.laneHeight / 2;
}

function opBox(scene: Scene, op: number): Box {
  const { view, gutter } = scene;
  const { rank, begin, end } = scene.section.ops;
  const margin = laneMargin(view);
  const x = view.x(begin[op]);
  const width = Math.max(1, view.x(end[op]) - x);
  return {
    x: gutter + x,
    y: axisHeight + view.y(rank[op]) + margin,
    width,
    height: Math.max(1, view.laneHeight - 2 * margin),
  };
}

function unitOf(span: number): { name: string; us: number } {
  if (span >= 2e6) return { name: "s", us: 1e6 };
  return span >= 2e3 ? { name: "ms", us: 1e3 } : { name: "us", us: 1 };
}

function paintAxis(surface: Surface, scene: Scene): void {
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

function paintNames(surface: Surface, scene: Scene): void {
  const { view, gutter, colours, section } = scene;
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(13 / view.laneHeight)));
  const letters = Math.max(2, Math.floor((gutter - 8) / letterWidth));
  for (let rank = view.firstRank; rank <= view.lastRank; ++rank) {
    if (rank % every !== 0 && rank !== scene.markedRank) continue;
    const name = rankName(section, rank);
    const text = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
    surface.text(gutter - 6, middleOf(scene, rank), text, { colour: colours.ink, size: 11, align: "right" });
  }
}

function paintLanes(surface: Surface, scene: Scene): void {
  const { view, colours, gutter } = scene;
  const lines: number[] = [];
  for (let rank = view.firstRank; view.laneHeight >= 6 && rank <= view.lastRank; ++rank) {
    const y = axisHeight + view.y(rank) + view.laneHeight;
    lines.push(gutter, y, gutter + view.width, y);
  }
  surface.lines(lines, { colour: colours.faint, width: 1, opacity: 0.45 });
  if (scene.markedRank === null) return;
  const y = axisHeight + view.y(scene.markedRank);
  const box = { x: gutter, y, width: view.width, height: Math.max(2, view.laneHeight) };
  surface.frame(box, { colour: colours.ink, width: 1 });
}

/** What was collected of the lanes: rectangles by kind, and operations with room for words. */
interface Collected {
  rects: number[][];
  wide: number[];
}

/** The operations of a lane; those narrower than a pixel are merged: the longest of each pixel shows. */
function collectLane(scene: Scene, rank: number, into: Collected): void {
  const { view, section, index, hiddenKinds, gutter } = scene;
  const { kind, begin, end } = section.ops;
  const margin = laneMargin(view);
  // Flat lanes lie on whole pixels: sharp, and quicker to draw.
  const snap = view.laneHeight < flatLane ? Math.floor : (pixel: number) => pixel;
  const y = snap(axisHeight + view.y(rank) + margin);
  const height = Math.max(1, snap(axisHeight + view.y(rank) + view.laneHeight - margin) - y);
  const scale = view.width / (view.end - view.begin);
  let pixel = -1;
  let pixelKind = -1;
  let longest = 0;
  const flush = () => {
    if (pixelKind >= 0) into.rects[pixelKind].push(gutter + pixel, y, 1, height);
    pixelKind = -1;
  };
  index.eachOp(rank, view.begin, view.end, (op) => {
    if (hiddenKinds.has(kind[op])) return;
    const left = (begin[op] - view.begin) * scale;
    const width = (end[op] - begin[op]) * scale;
    if (width >= 1) {
      const x = snap(gutter + left);
      into.rects[kind[op]].push(x, y, Math.max(1, snap(gutter + left + width) - x), height);
      if (width > 20 && view.laneHeight >= 14) into.wide.push(op);
      return;
    }
    const at = Math.floor(left);
    if (at !== pixel) flush();
    if (pixelKind < 0 || width > longest) [pixel, pixelKind, longest] = [at, kind[op], width];
  });
  flush();
}

function collectOps(scene: Scene): Collected {
  const { view } = scene;
  const collected: Collected = { rects: scene.section.kinds.map(() => []), wide: [] };
  let lastRow = -1;
  for (let rank = view.firstRank; rank <= view.lastRank; ++rank) {
    const row = Math.floor(view.y(rank));
    if (row === lastRow) continue; // lanes below a pixel: the first of each shows
    lastRow = row;
    collectLane(scene, rank, collected);
  }
  return collected;
}

function paintOps(surface: Surface, scene: Scene): void {
  const { rects, wide } = collectOps(scene);
  rects.forEach((list, kind) => surface.rects(list, kindColour(scene, kind)));
  for (const op of wide) paintWords(surface, scene, op);
}

/** Words in an operation, as many as fit into what is seen of it. */
function paintWords(surface: Surface, scene: Scene, op: number): void {
  const box = opBox(scene, op);
  const left = Math.max(box.x, scene.gutter);
  const room = Math.min(box.x + box.width, scene.gutter + scene.view.width) - left - 6;
  const kind = scene.section.kinds[scene.section.ops.kind[op]];
  const words = [shortWords(scene.section, op), kind].find((text) => text.length * letterWidth <= room);
  if (words !== undefined)
    surface.text(left + 3, box.y + box.height / 2, words, { colour: scene.colours.paper, size: 11 });
}

/** From send to receive, at a height of each lane. */
function arrowOf(scene: Scene, message: number, heightOf: typeof middleOf): number[] {
  const { from, to, sent, received } = scene.section.messages;
  const { view, gutter } = scene;
  const x1 = gutter + view.x(sent[message]);
  const x2 = gutter + view.x(received[message]);
  return [x1, heightOf(scene, from[message]), x2, heightOf(scene, to[message])];
}

function headOf([x1, y1, x2, y2]: number[]): number[] {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 6 * ux, y2 - 6 * uy];
  return [x2, y2, bx - 2.5 * uy, by + 2.5 * ux, bx + 2.5 * uy, by - 2.5 * ux];
}

function paintMessages(surface: Surface, scene: Scene): Painted {
  const { view, index, section, colours } = scene;
  const lines: number[] = [];
  const heads: number[] = [];
  let count = 0;
  index.eachMessage(view.begin, view.end, (message) => {
    const low = Math.min(section.messages.from[message], section.messages.to[message]);
    const high = Math.max(section.messages.from[message], section.messages.to[message]);
    if (high < view.firstRank || low > view.lastRank || ++count > mostArrows) return;
    const arrow = arrowOf(scene, message, middleOf);
    lines.push(...arrow);
    if (Math.hypot(arrow[2] - arrow[0], arrow[3] - arrow[1]) > 8) heads.push(...headOf(arrow));
  });
  const arrows = scene.showMessages && count <= mostArrows;
  if (arrows) {
    surface.lines(lines, { colour: colours.ink, width: 1, opacity: count > mostHeads ? 0.3 : 0.6 });
    if (count <= mostHeads) surface.triangles(heads, colours.ink);
  }
  return { messages: count, arrows };
}

/** Below the words of a lane, where it has them. */
function pathHeight(scene: Scene, rank: number): number {
  const { laneHeight } = scene.view;
  return middleOf(scene, rank) + (laneHeight >= 14 ? 0.32 * laneHeight : 0);
}

/** Along lanes, and along messages between them. */
function pathLines(scene: Scene): number[] {
  const { section, view, gutter } = scene;
  const lines: number[] = [];
  for (const step of section.path) {
    if (step.end < view.begin || step.begin > view.end) continue;
    if (step.message !== undefined) lines.push(...arrowOf(scene, step.message, pathHeight));
    else {
      const y = pathHeight(scene, step.rank);
      lines.push(gutter + view.x(step.begin), y, gutter + view.x(step.end), y);
    }
  }
  return lines;
}

function paintPath(surface: Surface, scene: Scene): void {
  const lines = pathLines(scene);
  surface.lines(lines, { colour: scene.colours.paper, width: 5 });
  surface.lines(lines, { colour: scene.colours.bad, width: 2.5 });
}

/** How much of the lanes is seen, at the right edge. */
function paintScrollMark(surface: Surface, scene: Scene): void {
  const { view, section, gutter, colours } = scene;
  const total = section.ranks.length * view.laneHeight;
  if (total <= view.height + 1) return;
  const height = Math.max(16, (view.height * view.height) / total);
  const y = axisHeight + (view.top / (total - view.height)) * (view.height - height);
  surface.rects([gutter + view.width - 4, y, 4, height], colours.ink);
}

export function paint(surface: Surface, scene: Scene): Painted {
  const { view, colours, gutter } = scene;
  const lanes = { x: gutter, y: axisHeight, width: view.width, height: view.height };
  surface.rects([0, 0, gutter + view.width, axisHeight + view.height], colours.paper);
  paintAxis(surface, scene);
  surface.within({ x: 0, y: axisHeight - 6, width: gutter, height: view.height + 6 }, () =>
    paintNames(surface, scene),
  );
  let painted: Painted = { messages: 0, arrows: false };
  surface.within(lanes, () => {
    paintLanes(surface, scene);
    paintOps(surface, scene);
    painted = paintMessages(surface, scene);
    if (scene.showPath) paintPath(surface, scene);
    if (scene.chosenOp !== null)
      surface.frame(opBox(scene, scene.chosenOp), { colour: colours.ink, width: 2 });
    paintScrollMark(surface, scene);
  });
  return painted;
}
