// SPDX-License-Identifier: Apache-2.0
// Draws the part of a time line that is seen: operations, messages and the critical path, on the frame around them.
import type { TimelinePath } from "../../data";
import { between } from "../../mix";
import { arrowOf, axisHeight, isMerged, opBox, rowSpan, type OpBar } from "./geometry";
import { importance } from "./kinds";
import { paintCalls } from "./paint_calls";
import { paintAxis, paintNames, paintOutside, paintRanks, paintScrollMark } from "./paint_frame";
import { headOf, paintPath, pathBars } from "./paint_path";
import type { TimelineScene } from "./scene";
import type { Rectangle, Surface } from "./surface";
import { shortWords } from "./words";

/** What was drawn. */
export interface Painted {
  messages: number; // in view
  arrows: boolean; // whether they are drawn
}

const rowWithWords = 11; // pixels
const mostArrows = 1500;
const mostHeads = 500;
const letterWidth = 6.2; // of the words in operations

/** Whether the critical path stands out from everything else. */
const isDim = ({ section, showPath, dimRest }: TimelineScene) =>
  section.path !== undefined && showPath && dimRest;

/** The colour of what is not on the critical path then. */
function dimColour(scene: TimelineScene, kind: number): string {
  return between(scene.kindColours[kind], scene.colours.paper, 0.6);
}

/** What was collected of the ranks: rectangles by kind, and operations with room for words. */
interface Collected {
  rects: number[][];
  wide: number[];
}

/** The operations of one row that are narrower than a pixel: the longest of each pixel shows. */
class NarrowOps {
  private pixel = -1;
  private kind = -1;
  private longest = 0;

  constructor(
    private readonly span: { y: number; height: number },
    private readonly into: Collected,
  ) {}

  add(pixel: number, kind: number, width: number): void {
    if (pixel !== this.pixel) this.flush();
    if (this.kind < 0 || width > this.longest)
      [this.pixel, this.kind, this.longest] = [pixel, kind, width];
  }

  flush(): void {
    const { y, height } = this.span;
    if (this.kind >= 0) this.into.rects[this.kind].push(this.pixel, y, 1, height);
    this.kind = -1;
  }
}

/** Adds a rectangle; one that overlaps the last of its row makes that longer instead. */
function addRect(list: number[], { x, y, width, height }: Rectangle): void {
  const last = list.length - 4;
  if (last >= 0 && list[last + 1] === y && x >= list[last] && x <= list[last] + list[last + 2])
    list[last + 2] = Math.max(list[last + 2], x + width - list[last]);
  else list.push(x, y, width, height);
}

function collectRank(scene: TimelineScene, rank: number, into: Collected): void {
  const { view, section, index, hiddenKinds, gutter, rows } = scene;
  const { kind, begin, end } = section.ops;
  const merged = isMerged(scene, rank);
  const spans = Array.from({ length: merged ? 1 : rows.count[rank] }, (_, row) => rowSpan(scene, rank, row));
  const narrow = spans.map((span) => new NarrowOps(span, into));
  const words = !merged && spans[0].height >= rowWithWords;
  const snap = spans[0].height < rowWithWords ? Math.floor : (pixel: number) => pixel;
  const scale = view.width / (view.end - view.begin);
  index.eachOp(rank, view.begin, view.end, (op) => {
    if (hiddenKinds.has(kind[op])) return;
    const row = merged ? 0 : rows.row[op];
    const left = gutter + (begin[op] - view.begin) * scale;
    const width = (end[op] - begin[op]) * scale;
    if (width < 1) return narrow[row].add(Math.floor(left), kind[op], width);
    const x = snap(left);
    const drawn = Math.max(1, snap(left + width) - x - (width > 4 ? 1 : 0)); // apart from the next
    addRect(into.rects[kind[op]], { x, width: drawn, ...spans[row] });
    if (words && width > 20 && rows.crowded[op] === 0) into.wide.push(op);
  });
  for (const each of narrow) each.flush();
}

function collectOps(scene: TimelineScene): Collected {
  const { view } = scene;
  const collected: Collected = { rects: scene.section.kinds.map(() => []), wide: [] };
  let lastRow = -1;
  for (let rank = view.firstRank; rank <= view.lastRank; ++rank) {
    const row = Math.floor(view.y(rank));
    if (row === lastRow) continue; // ranks below a pixel: the first of each shows
    lastRow = row;
    collectRank(scene, rank, collected);
  }
  return collected;
}

/** The most important kinds last: on top. Returns the operations with room for words. */
function paintOps(surface: Surface, scene: TimelineScene): number[] {
  const { rects, wide } = collectOps(scene);
  const { kinds } = scene.section;
  const order = kinds.map((_, kind) => kind).sort((a, b) => importance(kinds[a]) - importance(kinds[b]));
  const dim = isDim(scene);
  for (const kind of order) surface.rects(rects[kind], dim ? dimColour(scene, kind) : scene.kindColours[kind]);
  return wide;
}

/** Words in the bar of an operation, as many as fit into what is seen of it, on its colour: arrows pass behind
 * them, and the critical path has the lower edge. */
function paintWords(surface: Surface, scene: TimelineScene, { op, box }: OpBar, dim: boolean): void {
  const { section, gutter, view, colours } = scene;
  const left = Math.max(box.x, gutter);
  const room = Math.min(box.x + box.width, gutter + view.width) - left - 6;
  const size = Math.min(11, box.height - 1);
  const widthOf = (text: string) => (text.length * letterWidth * size) / 11;
  const kind = section.ops.kind[op];
  const words = [shortWords(section, op), section.kinds[kind]].find((text) => widthOf(text) <= room);
  if (words === undefined) return;
  const behind = dim ? dimColour(scene, kind) : scene.kindColours[kind];
  surface.rects([left + 1, box.y, widthOf(words) + 4, box.height - 2], behind);
  surface.text(left + 3, box.y + box.height / 2, words, { colour: dim ? colours.ink : colours.paper, size });
}

function paintMessages(surface: Surface, scene: TimelineScene): Painted {
  const { view, index, section, colours } = scene;
  const lines: number[] = [];
  const heads: number[] = [];
  let count = 0;
  index.eachMessage(view.begin, view.end, (message) => {
    const low = Math.min(section.messages.from[message], section.messages.to[message]);
    const high = Math.max(section.messages.from[message], section.messages.to[message]);
    if (high < view.firstRank || low > view.lastRank || ++count > mostArrows) return;
    const arrow = arrowOf(scene, message);
    lines.push(...arrow);
    if (Math.hypot(arrow[2] - arrow[0], arrow[3] - arrow[1]) > 8) heads.push(...headOf(arrow));
  });
  const arrows = scene.showMessages && count <= mostArrows;
  if (arrows) {
    const opacity = isDim(scene) ? 0.12 : count > mostHeads ? 0.3 : 0.6;
    surface.lines(lines, { colour: colours.ink, width: 1, opacity });
    if (count <= mostHeads && !isDim(scene)) surface.triangles(heads, colours.ink);
  }
  return { messages: count, arrows };
}

/** The bars that the critical path runs through, in their full colours; with words where there is room. */
function paintPathAlone(surface: Surface, scene: TimelineScene, path: TimelinePath): void {
  const { kind } = scene.section.ops;
  const bars = pathBars(scene, path);
  for (const { op, box } of bars)
    surface.rects([box.x, box.y, box.width, box.height], scene.kindColours[kind[op]]);
  paintPath(surface, scene, path);
  for (const bar of bars)
    if (bar.box.width > 20 && bar.box.height >= rowWithWords) paintWords(surface, scene, bar, false);
}

function paintPathAndWords(surface: Surface, scene: TimelineScene, wide: number[]): void {
  const { path } = scene.section;
  const dim = isDim(scene);
  if (scene.showPath && path !== undefined && !dim) paintPath(surface, scene, path);
  for (const op of wide) paintWords(surface, scene, { op, box: opBox(scene, op) }, dim);
  if (dim && path !== undefined) paintPathAlone(surface, scene, path);
}

export function paint(surface: Surface, scene: TimelineScene): Painted {
  const { view, colours, gutter } = scene;
  const ranks = { x: gutter, y: axisHeight, width: view.width, height: view.height };
  surface.rects([0, 0, gutter + view.width, axisHeight + view.height], colours.paper);
  paintAxis(surface, scene);
  surface.within({ x: 0, y: axisHeight - 6, width: gutter, height: view.height + 6 }, () =>
    paintNames(surface, scene),
  );
  let painted: Painted = { messages: 0, arrows: false };
  surface.within(ranks, () => {
    paintRanks(surface, scene);
    const wide = paintOps(surface, scene);
    painted = paintMessages(surface, scene);
    paintCalls(surface, scene);
    paintOutside(surface, scene);
    paintPathAndWords(surface, scene, wide);
    if (scene.chosenOp !== null)
      surface.frame(opBox(scene, scene.chosenOp), { colour: colours.ink, width: 2 });
    paintScrollMark(surface, scene);
  });
  return painted;
}
