// SPDX-License-Identifier: Apache-2.0
// Draws the critical path over a time line: along the rows of operations, and from rank to rank.
import type { TimelinePath } from "../../data";
import { drawnRow, heightInRow, rowSpan, type OpBar } from "./geometry";
import type { TimelineScene } from "./scene";
import { firstWhere } from "./span_index";
import type { Surface } from "./surface";

const rowWithWords = 11; // pixels; in lower rows the path is in the middle, where words would be

/** The triangle at the end of an arrow. */
export function headOf([x1, y1, x2, y2]: number[]): number[] {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 6 * ux, y2 - 6 * uy];
  return [x2, y2, bx - 2.5 * uy, by + 2.5 * ux, bx + 2.5 * uy, by - 2.5 * ux];
}

/** The steps in view: from the first to before the last. */
function stepsInView({ view }: TimelineScene, path: TimelinePath): [number, number] {
  const count = path.rank.length;
  return [
    firstWhere(count, (step) => path.end[step] >= view.begin),
    firstWhere(count, (step) => path.begin[step] > view.end),
  ];
}

/** A step from its begin to its end: x1, y1, x2, y2. */
function lineOf(scene: TimelineScene, path: TimelinePath, step: number): number[] {
  const { view, gutter, pathOps } = scene;
  const share = view.rowHeight > rowWithWords ? 1 : 0.5; // below words
  return [
    gutter + view.x(path.begin[step]),
    heightInRow(scene, path.rank[step], pathOps.from[step], share),
    gutter + view.x(path.end[step]),
    heightInRow(scene, path.to[step], pathOps.to[step], share),
  ];
}

/** Lines that follow each other. Those within one column of pixels become one; where one ends at another height
 * than the next begins, there is a line between them. */
class Polyline {
  readonly lines: number[] = [];
  private column = NaN;
  private low = Infinity;
  private high = -Infinity;
  private x = NaN;
  private y = NaN;

  add([x1, y1, x2, y2]: number[]): void {
    if (Math.floor(x1) === Math.floor(x2)) {
      if (Math.floor(x1) !== this.column) this.flush();
      this.column = Math.floor(x1);
      this.low = Math.min(this.low, y1, y2, Number.isNaN(this.y) ? y1 : this.y);
      this.high = Math.max(this.high, y1, y2, Number.isNaN(this.y) ? y1 : this.y);
      [this.x, this.y] = [x2, y2];
      return;
    }
    this.flush();
    if (!Number.isNaN(this.y) && this.y !== y1) this.lines.push(x1, this.y, x1, y1);
    this.lines.push(x1, y1, x2, y2);
    [this.x, this.y] = [x2, y2];
  }

  flush(): void {
    if (this.low <= this.high) this.lines.push(this.x, this.low, this.x, this.high);
    this.column = NaN;
    this.low = Infinity;
    this.high = -Infinity;
  }
}

/** The parts of operations in view that the path runs through; of several within a pixel the first. */
export function pathBars(scene: TimelineScene, path: TimelinePath): OpBar[] {
  const { view, gutter, section, pathOps, hiddenKinds } = scene;
  const bars: OpBar[] = [];
  const [first, end] = stepsInView(scene, path);
  for (let step = first; step < end; ++step) {
    const op = pathOps.from[step];
    if (path.peer[step] >= 0 || op < 0 || hiddenKinds.has(section.ops.kind[op])) continue;
    const x = gutter + view.x(path.begin[step]);
    const right = Math.max(x + 1, gutter + view.x(path.end[step]));
    const last = bars.at(-1);
    const lastRight = last === undefined ? -Infinity : last.box.x + last.box.width;
    if (last?.op === op && x <= lastRight + 0.5) last.box.width = right - last.box.x;
    else if (right > lastRight || last!.box.width > 1)
      bars.push({ op, box: { x, width: right - x, ...rowSpan(scene, path.rank[step], drawnRow(scene, op)) } });
  }
  return bars;
}

export function paintPath(surface: Surface, scene: TimelineScene, path: TimelinePath): void {
  const { colours, chosenStep, view } = scene;
  const [first, end] = stepsInView(scene, path);
  const polyline = new Polyline();
  const heads: number[] = [];
  for (let step = first; step < end; ++step) {
    const line = lineOf(scene, path, step);
    polyline.add(line);
    const isLong = Math.hypot(line[2] - line[0], line[3] - line[1]) > 12;
    if (path.peer[step] >= 0 && isLong) heads.push(...headOf(line));
  }
  polyline.flush();
  const isDense = polyline.lines.length > view.width;
  const width = isDense ? 2 : 3;
  surface.lines(polyline.lines, { colour: colours.paper, width: width + 4 }); // a halo on any colour
  if (chosenStep !== null)
    surface.lines(lineOf(scene, path, chosenStep), { colour: colours.ink, width: 8 });
  surface.lines(polyline.lines, { colour: colours.path, width });
  if (!isDense) surface.triangles(heads, colours.path);
}
