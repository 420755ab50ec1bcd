// SPDX-License-Identifier: Apache-2.0
// The picture of a fabric, or two beside each other while routings are compared: they share one camera.
import type { PageContext } from "../../context";
import { make } from "../../elements";
import type { Named } from "./matching";
import type { Model } from "./model";
import { Picture } from "./picture";
import { svgFile } from "./svg_file";
import { Viewport } from "./viewport";

const unfoldFrom = 90; // pixels between switches: then hosts have room
const mostUnfolded = 200; // switches
const settled = 150; // ms after the last move

export class Pictures {
  readonly element: HTMLElement;
  private readonly viewport: Viewport;
  private readonly row = make("div", { class: "fabric-pictures" });
  private pictures: Picture[] = [];
  private drawn = false;
  private timer: number | undefined;

  constructor(
    private readonly model: Model,
    private readonly context: PageContext,
  ) {
    this.viewport = new Viewport(model.geometry.bounds);
    this.element = make("div", { class: "fabric-pictures-box" }, this.row, this.buttons());
    new ResizeObserver(() => (this.drawn ? this.measure() : this.redraw())).observe(this.row);
    if (model.geometry.folded)
      this.viewport.onMove(() => {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.unfold(), settled);
      });
  }

  redraw(): void {
    const wanted = this.model.choice.compared === null ? 1 : 2;
    while (this.pictures.length > wanted) this.pictures.pop()!.remove();
    while (this.pictures.length < wanted) this.add();
    this.row.dataset.pictures = String(wanted);
    this.pictures.forEach((picture) => {
      const engine = wanted === 2 ? this.model.routing(picture.routingNumber())!.engine : "";
      picture.element.dataset.engine = engine;
    });
    if (this.row.clientWidth === 0) return; // drawn once it has a size
    this.drawn = true;
    this.measure();
    this.pictures.forEach((picture) => picture.redraw());
    if (this.model.geometry.folded) this.unfold();
  }

  /** What is seen, as an SVG document. */
  asSvg(): string {
    const drawn = this.pictures.map((picture) => ({
      engine: this.model.routing(picture.routingNumber())?.engine ?? "",
      svg: picture.asSvg(),
    }));
    return svgFile(drawn, this.model, this.context.colours());
  }

  fit(): void {
    this.viewport.fit();
  }

  /** Moves to a switch or host, near enough to see it. */
  jump({ kind, number }: Named): void {
    const { geometry } = this.model;
    const at = kind === "switch" ? geometry.switchAt(number) : geometry.hostAt(number);
    this.viewport.moveTo({ ...at, scale: Math.max(this.viewport.camera.scale, 110 / geometry.pitch) });
  }

  private add(): void {
    const second = this.pictures.length === 1;
    const { model } = this;
    const routing = () => (second ? (model.choice.compared ?? model.choice.routing) : model.choice.routing);
    const picture = new Picture(model, this.context, this.viewport, routing);
    this.pictures.push(picture);
    this.row.append(picture.element);
  }

  private measure(): void {
    const box = this.pictures[0]?.element;
    if (box !== undefined) this.viewport.resize(box.clientWidth, box.clientHeight);
  }

  /** Unfolds the hosts of the switch that is selected, and of those that are seen from near. */
  private unfold(): void {
    const { geometry, topology, choice, section } = this.model;
    const { selection } = choice;
    const wanted = new Set<number>();
    if (selection.form === "switch") wanted.add(selection.at);
    if (selection.form === "route")
      for (const host of [selection.from, selection.to]) if (host !== null) wanted.add(section.hosts.on[host]);
    if (geometry.pitch * this.viewport.camera.scale >= unfoldFrom) {
      const { left, top, right, bottom } = this.viewport.visible();
      for (let at = 0; at < topology.switches && wanted.size < mostUnfolded; ++at) {
        const { x, y } = geometry.switchAt(at);
        if (x > left && x < right && y > top && y < bottom) wanted.add(at);
      }
    }
    const same = wanted.size === choice.unfolded.size && [...wanted].every((at) => choice.unfolded.has(at));
    if (!same) this.model.change({ unfolded: wanted });
  }

  private buttons(): HTMLElement {
    const button = (word: string, label: string, pressed: () => void) => {
      const attributes = { title: label, "aria-label": label, "data-test": label.replace(" ", "-") };
      return make("button", { type: "button", ...attributes, onclick: pressed }, word);
    };
    return make(
      "div",
      { class: "zoom controls" },
      button("+", "zoom in", () => this.viewport.zoom(1.4)),
      button("−", "zoom out", () => this.viewport.zoom(1 / 1.4)),
      button("⤢", "fit", () => this.fit()),
    );
  }
}
