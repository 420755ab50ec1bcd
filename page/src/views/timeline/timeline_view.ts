// SPDX-License-Identifier: Apache-2.0
// A time line on the page: a canvas that shows a part of it, its controls, and what is pointed at in words.
import type { PageContext } from "../../context";
import type { Cell, TimelinePath, TimelineSection } from "../../data";
import { fileName, make, save } from "../../elements";
import { headed } from "../../number";
import { isCommand } from "../input";
import { csvText } from "../table/csv";
import { makeControls, makeLegend, makeRanksButton, showFit, type ControlActions } from "./controls";
import { findAt, findRank, noSuchRank, type FoundSpan } from "./find";
import { axisHeight, gutterFor } from "./geometry";
import { listenToGestures } from "./gestures";
import { opColumns } from "./op_columns";
import { makeOpTable } from "./op_table";
import { paint, type Painted } from "./paint";
import { describeStep, pathSentence } from "./path";
import { makePathTable } from "./path_table";
import { pictureOf } from "./picture";
import { makeScene, recolour, type TimelineScene } from "./scene";
import { firstWhere } from "./span_index";
import { CanvasSurface } from "./surface";
import { usualRow } from "./viewport";
import { describeCall, describeMessage, describeOp, partOf, rankWithHost } from "./words";

const usualHeight = 520; // pixels; many ranks have more
const mostHeight = 760;
const thinRank = 2.5;
const keysInWords =
  "+ and - zoom, arrows move, 0 shows all of the time, r all ranks or rows that can be read, Enter chooses an " +
  "operation, comma and full stop the one beside it";
const keysOfPath = ", brackets go along the critical path";

export class TimelineView {
  readonly element = make("div", { class: "timeline-view", "data-test": "timeline" });
  private readonly canvas = make("canvas", { tabindex: 0, role: "application", "data-test": "ranks" });
  private readonly printed = make("div", { class: "ranks-printed", "aria-hidden": "true" });
  private readonly tip = make("div", { class: "tip", hidden: true, "data-test": "tip" });
  private readonly words = make("p", { class: "chosen", role: "status", "data-test": "chosen" });
  private readonly remark = make("p", { class: "note remark", "data-test": "remark" });
  private readonly ranksButton = makeRanksButton((fits) => this.fitRanks(fits));
  private readonly swatches: HTMLElement[] = [];
  private readonly scene: TimelineScene;
  private painted: Painted = { messages: 0, arrows: false };
  private pending = false;

  constructor(
    private readonly section: TimelineSection,
    private readonly context: PageContext,
  ) {
    this.scene = makeScene(section, context.colours());
    const { rows } = this.scene;
    const actions = this.actions();
    const box = make("div", { class: "ranks-box" }, this.canvas, this.tip);
    this.element.append(
      makeLegend(section, this.swatches, actions),
      makeControls(section, this.ranksButton, actions),
      box,
      this.printed,
      this.words,
      this.remark,
    );
    if (section.path !== undefined) this.addPath(section.path);
    this.element.append(makeOpTable(this.scene, (op) => this.showOp(op)));
    const mostRows = rows.count.reduce((most, each) => Math.max(most, each));
    this.element.dataset.rows = String(mostRows);
    const keys = keysInWords + (section.path === undefined ? "" : keysOfPath);
    this.canvas.setAttribute("aria-label", `${section.title}: ${keys}`);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(box);
    context.onColours(() => this.paintNow());
  }

  private addPath(path: TimelinePath): void {
    this.element.append(
      make("p", { class: "path-sentence", "data-test": "path-sentence" }, pathSentence(path)),
      makePathTable(this.section, path, (step) => {
        this.showStep(path, step);
        this.canvas.scrollIntoView({ block: "center" });
      }),
    );
  }

  /** Paper has a picture of its own, of what is in view on the screen. */
  private resize(): void {
    if (matchMedia("print").matches) return;
    const width = this.element.clientWidth;
    if (width === 0) return;
    const { scene, section } = this;
    scene.gutter = gutterFor(section, width);
    const most = Math.max(usualHeight, Math.min(mostHeight, axisHeight + thinRank * section.ranks.length));
    const height = Math.min(most, axisHeight + scene.view.totalRows * usualRow);
    const density = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    this.canvas.style.height = `${height}px`;
    scene.view.resize(width - scene.gutter, height - axisHeight);
    this.paintNow();
  }

  private repaint(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paintNow();
    });
  }

  private paintNow(): void {
    const pen = this.canvas.getContext("2d", { willReadFrequently: true });
    if (pen === null) return;
    const density = devicePixelRatio || 1;
    pen.setTransform(density, 0, 0, density, 0, 0);
    recolour(this.scene, this.context.colours());
    this.print(matchMedia("print").matches);
    this.painted = paint(new CanvasSurface(pen), this.scene);
    this.swatches.forEach((swatch, kind) => (swatch.style.background = this.scene.kindColours[kind]));
    this.showRemark();
    const { begin, end, fitsRanks, hasRoom, firstRank, lastRank } = this.scene.view;
    showFit(this.ranksButton, fitsRanks, hasRoom);
    Object.assign(this.element.dataset, {
      begin: String(begin),
      end: String(end),
      messages: String(this.painted.messages),
      rowHeight: String(this.scene.view.rowHeight),
      shownRanks: String(lastRank - firstRank + 1),
    });
  }

  /** Paper has the picture that is saved: its words are large enough there. */
  private print(isPrinting: boolean): void {
    if (!isPrinting) return this.printed.replaceChildren();
    const picture = new DOMParser().parseFromString(pictureOf(this.scene, ""), "image/svg+xml");
    this.printed.replaceChildren(picture.documentElement);
  }

  private showRemark(): void {
    const { messages, arrows } = this.painted;
    const many = this.scene.showMessages && !arrows && messages > 0;
    const parts = [
      many ? `${messages} messages are in view: zoom in to see their arrows` : "",
      this.section.left_out ?? "",
    ];
    this.remark.textContent = parts.filter((part) => part !== "").join(". ");
  }

  private actions(): ControlActions {
    const { scene } = this;
    const then = <A extends unknown[]>(act: (...values: A) => void) => {
      return (...values: A) => {
        act(...values);
        this.repaint();
      };
    };
    return {
      toggleKind: then(
        (kind, shown) => void (shown ? scene.hiddenKinds.delete(kind) : scene.hiddenKinds.add(kind)),
      ),
      showCalls: then((shown) => void (scene.showCalls = shown)),
      showMessages: then((shown) => void (scene.showMessages = shown)),
      showPath: then((shown) => void (scene.showPath = shown)),
      dimRest: then((dim) => void (scene.dimRest = dim)),
      zoom: then((factor) => scene.view.zoom(factor, scene.view.width / 2)),
      showAll: then(() => scene.view.showAll()),
      scaleRows: then((factor) => scene.view.setRowHeight(scene.view.rowHeight * factor)),
      find: (text) => this.find(text),
      savePicture: () => this.savePicture(),
      saveOps: () => this.saveOps(),
    };
  }

  private listen(): void {
    const { view } = this.scene;
    const move = (change: () => void) => {
      change();
      this.tip.hidden = true;
      this.repaint();
    };
    listenToGestures(this.canvas, {
      zoom: (factor, x) => move(() => view.zoom(factor, Math.max(0, x - this.scene.gutter))),
      pan: (dx, dy) => move(() => view.pan(dx, dy)),
      hover: (x, y) => this.hover(x, y),
      leave: () => void (this.tip.hidden = true),
      choose: (x, y) => this.choose(this.foundAt(x, y)),
      isWhole: () => view.isWhole,
    });
    this.canvas.addEventListener("keydown", (event) => {
      if (isCommand(event) || !this.press(event.key)) return;
      event.preventDefault();
      this.tip.hidden = true;
      this.repaint();
    });
  }

  /** Whether the key means something here. */
  private press(key: string): boolean {
    const { view } = this.scene;
    const keys: Record<string, () => void> = {
      "+": () => view.zoom(0.5, view.width / 2),
      "=": () => view.zoom(0.5, view.width / 2),
      "-": () => view.zoom(2, view.width / 2),
      "0": () => view.showAll(),
      ArrowLeft: () => view.pan(-0.2 * view.width, 0),
      ArrowRight: () => view.pan(0.2 * view.width, 0),
      ArrowUp: () => view.pan(0, -40),
      ArrowDown: () => view.pan(0, 40),
      Enter: () => this.chooseFirst(),
      ".": () => this.chooseBeside(1),
      ",": () => this.chooseBeside(-1),
      "]": () => this.showStepBeside(1),
      "[": () => this.showStepBeside(-1),
      r: () => this.fitRanks(!view.fitsRanks),
      Escape: () => this.choose(null),
    };
    keys[key]?.();
    return key in keys;
  }

  private foundAt(x: number, y: number): FoundSpan | null {
    return findAt(this.scene, x, y, this.painted.arrows);
  }

  private describe(found: FoundSpan): string {
    if ("message" in found) return describeMessage(this.section, found.message);
    if ("call" in found) return describeCall(this.section, found.call);
    const words = describeOp(this.section, found.op) + partOf(this.section, this.scene.index.callOf(found.op));
    return found.stacked > 1 ? `${words}; one of ${found.stacked} on top of each other here` : words;
  }

  private hover(x: number, y: number): void {
    const found = this.foundAt(x, y);
    this.tip.hidden = found === null;
    if (found === null) return;
    this.tip.textContent = this.describe(found);
    const left = Math.max(0, Math.min(x + 12, this.element.clientWidth - this.tip.offsetWidth));
    const above = y + 16 + this.tip.offsetHeight > this.canvas.clientHeight;
    const top = above ? Math.max(0, y - 10 - this.tip.offsetHeight) : y + 16;
    this.tip.style.cssText = `left:${left}px;top:${top}px`;
  }

  private choose(found: FoundSpan | null): void {
    this.scene.chosenOp = found !== null && "op" in found ? found.op : null;
    this.scene.chosenStep = null;
    this.words.textContent = found === null ? "" : this.describe(found);
    this.repaint();
  }

  /** The first operation in view, of the rank that was found or of the first. */
  private chooseFirst(): void {
    const { view, index, markedRank } = this.scene;
    let first: number | null = null;
    index.eachOp(markedRank ?? view.firstRank, view.begin, view.end, (op) => (first ??= op));
    this.choose(first === null ? null : { op: first, stacked: 1 });
  }

  private chooseBeside(by: number): void {
    const { chosenOp, index, view } = this.scene;
    if (chosenOp === null) return this.chooseFirst();
    const op = index.neighbour(chosenOp, by);
    if (op === null) return;
    const { rank, begin, end } = this.section.ops;
    view.reveal(rank[op], begin[op], end[op]);
    this.choose({ op, stacked: 1 });
  }

  /** An operation of the table. */
  private showOp(op: number): void {
    const { rank, begin, end } = this.section.ops;
    this.scene.view.zoomTo(begin[op], end[op]);
    this.scene.view.reveal(rank[op]);
    this.choose({ op, stacked: 1 });
    this.canvas.scrollIntoView({ block: "center" });
  }

  /** The rank that is looked at stays in view. */
  private fitRanks(fits: boolean): void {
    const { view, markedRank, chosenOp } = this.scene;
    const rank = chosenOp === null ? markedRank : this.section.ops.rank[chosenOp];
    view.fitRanks(fits);
    if (rank !== null) view.reveal(rank);
    this.repaint();
  }

  /** Says what is wrong; "": the rank is shown. */
  private find(text: string): string {
    const rank = findRank(this.section, text);
    this.scene.markedRank = rank;
    if (rank !== null) {
      this.scene.view.reveal(rank);
      this.words.textContent = rankWithHost(this.section, rank);
    }
    this.repaint();
    return rank === null ? noSuchRank(this.section, text) : "";
  }

  private showStep(path: TimelinePath, step: number): void {
    const { view } = this.scene;
    view.zoomTo(path.begin[step], path.end[step]);
    view.reveal(path.to[step]);
    view.reveal(path.rank[step]);
    this.scene.chosenStep = step;
    this.words.textContent = describeStep(this.section, path, step);
    this.repaint();
  }

  /** The step of the critical path after the chosen one, or before it; without one, the first in view. */
  private showStepBeside(by: number): void {
    const { path } = this.section;
    if (path === undefined) return;
    const { chosenStep, view } = this.scene;
    const first = firstWhere(path.end.length - 1, (step) => path.end[step] > view.begin);
    const step = chosenStep === null ? first : chosenStep + by;
    if (step >= 0 && step < path.rank.length) this.showStep(path, step);
  }

  private savePicture(): void {
    const title = `${this.context.page.title}: ${this.section.title}`;
    save(fileName(this.section.title, "svg"), "image/svg+xml", pictureOf(this.scene, title));
  }

  private saveOps(): void {
    const { view, index, hiddenKinds } = this.scene;
    const columns = opColumns(this.scene);
    const rows: Cell[][] = [];
    for (let rank = view.firstRank; rank <= view.lastRank; ++rank)
      index.eachOp(rank, view.begin, view.end, (op) => {
        if (!hiddenKinds.has(this.section.ops.kind[op])) rows.push(columns.map((column) => column.cell(op)));
      });
    const header = columns.map(({ name, unit }) => headed(name, unit));
    save(fileName(this.section.title, "csv"), "text/csv", csvText(header, rows));
  }
}
