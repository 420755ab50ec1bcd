// SPDX-License-Identifier: Apache-2.0
// One picture of a fabric with the loads of one routing: scene, highlights, and what is under the pointer.
import type { Colours, PageContext } from "../../context";
import { make } from "../../elements";
import type { Point } from "../input";
import type { Found } from "./geometry";
import { highlightsOf, stepsBack, type Highlight } from "./highlights";
import { between } from "../../mix";
import { stepColours, stepOf } from "./load_colours";
import { hotterDirections, loadText } from "./loads";
import type { Model } from "./model";
import { Names } from "./names";
import { Highlights, Overlay } from "./overlay";
import { Pace } from "./pace";
import { atRest } from "./rest";
import { reserveWebgl, sameLook, wantsWebgl, webglIsQuick, type Look, type Scene } from "./scene";
import { makeSvg } from "./svg";
import { SvgFabric, SvgScene, viewBox } from "./svg_scene";
import { attachGestures, type Viewport } from "./viewport";
import { WebglScene } from "./webgl_scene";
import { counted } from "./words";

const findWithin = 5; // pixels

export class Picture {
  readonly element: HTMLElement;
  private readonly stage = make("div", { class: "fabric-stage" });
  private readonly layers = make("div", { class: "fabric-layers" }, this.stage);
  private readonly pace: Pace;
  private readonly tip = make("div", { class: "fabric-tip", role: "tooltip", hidden: true });
  private readonly printed = make("div", { class: "fabric-printed", "aria-hidden": "true" });
  private scene: Scene | null = null;
  private overlay: Overlay | null = null;
  private look: Look | null = null;
  private pointer: Point | null = null;
  private readonly stopMoves: () => void;
  private stopStart: () => void = () => {};

  constructor(
    private readonly model: Model,
    private readonly context: PageContext,
    private readonly viewport: Viewport,
    readonly routingNumber: () => number,
  ) {
    this.element = make(
      "div",
      {
        class: "fabric-picture",
        tabindex: 0,
        role: "application",
        "aria-label": "picture of the fabric: arrow keys move it, plus and minus zoom, 0 fits it, Escape clears",
        "data-test": "picture",
      },
      this.layers,
      this.tip,
      this.printed,
    );
    this.pace = new Pace(this.layers, viewport, () => {
      this.scene?.move();
      this.overlay?.move();
    });
    attachGestures(this.element, viewport, {
      click: (at) => this.click(at),
      hover: (at) => this.hover(at),
      escape: () => model.select({ form: "nothing" }),
    });
    this.stopMoves = viewport.onMove(() => this.move());
    this.stage.addEventListener("webglcontextlost", () => this.fallBack(), true);
  }

  /** Draws all anew: other colours, another choice. */
  redraw(): void {
    const colours = this.context.colours();
    const before = this.look;
    this.look = this.lookNow(colours);
    const highlights = highlightsOf(this.model, this.routingNumber(), colours);
    if (this.scene === null) {
      this.replaceScene(new SvgScene(this.stage, this.model.geometry, this.viewport, this.look));
      this.overlay = new Overlay(this.layers, this.model.geometry, this.viewport);
      if (wantsWebgl(this.model.geometry)) this.stopStart = atRest([webglIsQuick, () => this.startWebgl()]);
    } else if (before === null || !sameLook(before, this.look)) this.scene.show(this.look);
    this.overlay!.show(highlights, this.model.choice.unfolded, this.look);
    this.pace.catchUp();
    this.element.classList.toggle("stepping-back", stepsBack(this.model, highlights));
    const printing = matchMedia("print").matches;
    this.printed.replaceChildren(...(printing ? [this.drawn(highlights, this.look)] : []));
  }

  /** Draws by WebGL from now on, where that is quick: what is seen, chosen and focused stays. */
  private startWebgl(): void {
    const release = webglIsQuick() ? reserveWebgl() : null;
    if (release === null) return;
    this.pace.catchUp();
    this.replaceScene(new WebglScene(this.stage, this.model.geometry, this.viewport, this.look!, release));
    this.pace.restart();
  }

  /** Draws by SVG from now on: the browser has taken WebGL away. */
  private fallBack(): void {
    if (this.scene?.kind === "webgl")
      this.replaceScene(new SvgScene(this.stage, this.model.geometry, this.viewport, this.look!));
  }

  private replaceScene(scene: Scene): void {
    this.scene?.remove();
    this.scene = scene;
    this.element.dataset.scene = scene.kind;
  }

  remove(): void {
    this.stopMoves();
    this.stopStart();
    this.scene?.remove();
    this.element.remove();
  }

  /** What is seen, as SVG. */
  asSvg(): SVGSVGElement {
    const colours = this.context.colours();
    return this.drawn(highlightsOf(this.model, this.routingNumber(), colours), this.lookNow(colours));
  }

  private drawn(highlights: Highlight[], look: Look): SVGSVGElement {
    const { geometry, choice } = this.model;
    const { width, height, camera } = this.viewport;
    const fabric = new SvgFabric(geometry, look);
    const above = new Highlights(geometry);
    const names = new Names(geometry);
    above.show(highlights, choice.unfolded, look);
    names.show(highlights, choice.unfolded, look);
    fabric.rescale(camera.scale);
    above.rescale(camera.scale);
    names.place(this.viewport);
    if (stepsBack(this.model, highlights)) fabric.group.setAttribute("opacity", "0.4");
    const { left, top, right, bottom } = this.viewport.visible();
    return makeSvg(
      "svg",
      { width, height, viewBox: viewBox(this.viewport), "font-family": "sans-serif" },
      makeSvg("rect", { x: left, y: top, width: right - left, height: bottom - top, fill: look.paper }),
      fabric.group,
      above.group,
      names.group,
    );
  }

  private lookNow(colours: Colours): Look {
    const most = this.model.hottest();
    const hotter = hotterDirections(this.model.values(this.routingNumber()), this.model.topology.links);
    return {
      linkSteps: Uint8Array.from(hotter, (value) => stepOf(value, most)),
      stepColours: stepColours(colours.scale),
      switchColour: between(colours.ink, colours.paper, 0.3),
      hostColour: between(colours.ink, colours.paper, 0.6),
      ink: colours.ink,
      paper: colours.paper,
    };
  }

  private move(): void {
    // Browsers count the pages before they let the picture for paper be drawn: its place is kept.
    this.printed.style.aspectRatio = `${this.viewport.width} / ${this.viewport.height}`;
    this.element.dataset.scale = this.viewport.camera.scale.toPrecision(4);
    this.pace.move();
    this.showTip(null);
  }

  private find(at: Point): Found | null {
    const tolerance = findWithin / this.viewport.camera.scale;
    return this.model.geometry.find(this.viewport.toFabric(at), tolerance, this.model.choice.unfolded);
  }

  private click(at: Point): void {
    const found = this.find(at);
    if (found === null) this.model.select({ form: "nothing" });
    else if (found.form === "host") this.model.selectHost(found.number);
    else if (found.form === "link") this.model.select({ form: "link", link: found.number });
    else this.model.select({ form: "switch", at: found.number });
  }

  /** Looks once a frame at most for what is under the pointer. */
  private hover(at: Point | null): void {
    const waiting = this.pointer !== null;
    this.pointer = at;
    if (waiting && at !== null) return;
    requestAnimationFrame(() => {
      const pointer = this.pointer;
      this.pointer = null;
      const found = pointer === null ? null : this.find(pointer);
      this.showTip(found === null ? null : this.describe(found), pointer ?? undefined);
      this.element.classList.toggle("pointing", found !== null);
    });
  }

  private showTip(lines: string[] | null, at: Point = { x: 0, y: 0 }): void {
    this.tip.hidden = lines === null;
    if (lines === null) return;
    this.tip.replaceChildren(...lines.map((line) => make("div", {}, line)));
    const right = at.x > this.viewport.width / 2;
    this.tip.style.left = right ? "auto" : `${at.x + 14}px`;
    this.tip.style.right = right ? `${this.viewport.width - at.x + 14}px` : "auto";
    this.tip.style.top = `${Math.min(at.y + 10, this.viewport.height - 24 * lines.length)}px`;
  }

  private describe({ form, number }: Found): string[] {
    const { topology, section } = this.model;
    if (form === "host") {
      const at = section.hosts.on[number];
      const place = `on ${topology.switchName(at)}:${section.hosts.port[number]}`;
      return [`host ${topology.hostName(number)}`, ...listed(topology.hostAddress(number)), place];
    }
    if (form === "switch") {
      const hosts = counted(topology.hostsOn[number].length, "host");
      const ports = `${counted(section.switches.ports[number], "port")}, ${hosts}`;
      return [`switch ${topology.switchName(number)}`, ...listed(topology.switchAddress(number)), ports];
    }
    const values = this.model.values(this.routingNumber());
    const load = this.model.load(this.routingNumber());
    const lines = [2 * number, 2 * number + 1].map(
      (channel) => `${topology.channelName(channel)}: ${loadText(load, values[channel])}`,
    );
    return section.links.speed[number] ? [...lines, section.links.speed[number]] : lines;
  }
}

function listed(line: string | undefined): string[] {
  return line === undefined ? [] : [line];
}
