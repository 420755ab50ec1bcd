// SPDX-License-Identifier: Apache-2.0
// Draws what is highlighted and names as SVG, above a scene of either kind, and in files. Highlights are strokes, in
// groups of one width: moving the camera changes the widths of groups and no element.
import type { Point } from "../input";
import type { Geometry } from "./geometry";
import type { Highlight, Weight } from "./highlights";
import { Names } from "./names";
import type { Look } from "./scene";
import { makeSvg, pathData, round } from "./svg";
import { linksInPath, viewBox } from "./svg_scene";
import type { Viewport } from "./viewport";

type Layer = Weight | "wire" | "unfolded" | "hosts" | "switches";

const weights: Record<Weight | "wire", { pitch: number; pixels: number }> = {
  wire: { pitch: 0.02, pixels: 1.5 },
  thin: { pitch: 0.025, pixels: 1.5 },
  usual: { pitch: 0.045, pixels: 3 },
  bold: { pitch: 0.075, pixels: 5 },
};
const order: Layer[] = ["unfolded", "wire", "thin", "usual", "bold", "switches", "hosts"];
const dashUnit = 0.012; // of the pitch
let drawings = 0; // names of arrow heads are the document's

export class Highlights {
  readonly group = makeSvg("g", { "data-layer": "highlights", fill: "none", "stroke-linecap": "round" });
  private readonly layers = new Map<Layer, SVGGElement>();
  private readonly heads = makeSvg("defs");
  private readonly prefix = `arrow-${++drawings}`;

  constructor(private readonly geometry: Geometry) {
    this.group.append(this.heads);
    for (const layer of order) {
      const group = makeSvg("g");
      this.layers.set(layer, group);
      this.group.append(group);
    }
  }

  /** Draws highlights, and the hosts of switches that are unfolded. */
  show(highlights: Highlight[], unfolded: Iterable<number>, look: Look): void {
    for (const group of this.layers.values()) group.replaceChildren();
    this.heads.replaceChildren();
    const { hostsOn } = this.geometry.topology;
    if (this.geometry.folded)
      for (const at of unfolded)
        for (const host of hostsOn[at]) this.dot("unfolded", this.geometry.hostAt(host), look.hostColour);
    for (const each of highlights) this.draw(each);
  }

  /** Adapts widths to a scale: pixels per unit. */
  rescale(scale: number): void {
    const { pitch, switchRadius, hostRadius } = this.geometry;
    const widths: Record<Layer, number> = {
      switches: Math.max(2.3 * switchRadius, 7 / scale),
      hosts: Math.max(2.2 * hostRadius, 6 / scale),
      unfolded: 2 * hostRadius,
      ...mapValues(weights, (weight) => Math.max(weight.pitch * pitch, weight.pixels / scale)),
    };
    for (const [layer, group] of this.layers) group.setAttribute("stroke-width", String(widths[layer]));
  }

  private draw(each: Highlight): void {
    const { geometry } = this;
    switch (each.form) {
      case "channel":
        return this.arrow(each);
      case "links":
        return this.links(each);
      case "wire":
        return this.line("wire", [geometry.hostAt(each.host), this.switchOf(each.host)], each.colour);
      case "switch":
        return this.dot("switches", geometry.switchAt(each.at), each.colour);
      case "host":
        return this.dot("hosts", geometry.hostAt(each.host), each.colour);
      case "name":
        return; // by Names
    }
  }

  private switchOf(host: number): Point {
    return this.geometry.switchAt(this.geometry.topology.section.hosts.on[host]);
  }

  private line(layer: Layer, points: Point[], stroke: string): void {
    this.layers.get(layer)!.append(makeSvg("path", { d: pathData(points), stroke }));
  }

  private links({ links, colour, weight, dashes }: Highlight & { form: "links" }): void {
    const dasharray = dashes.map((length) => round(dashUnit * length * this.geometry.pitch)).join(" ") || undefined;
    for (let i = 0; i < links.length; i += linksInPath) {
      const lines = links.slice(i, i + linksInPath).map((link) => pathData(this.geometry.trimmedLink(link)));
      const path = { d: lines.join(""), stroke: colour, "stroke-dasharray": dasharray };
      const caps = dasharray === undefined ? {} : { "stroke-linecap": "butt" };
      this.layers.get(weight)!.append(makeSvg("path", { ...path, ...caps }));
    }
  }

  private dot(layer: Layer, at: Point, stroke: string): void {
    this.line(layer, [at, at], stroke);
  }

  private arrow({ channel, colour, weight, dashed }: Highlight & { form: "channel" }): void {
    const points = this.geometry.channelPoints(channel);
    const { geometry } = this;
    this.layers.get(weight)!.append(
      makeSvg("path", {
        d: pathData(points.length > 2 ? points : [points[0], middle(points[0], points[1], 0.55), points[1]]),
        stroke: colour,
        "data-channel": channel,
        "stroke-dasharray": dashed ? `${round(0.06 * geometry.pitch)} ${round(0.05 * geometry.pitch)}` : undefined,
        "marker-mid": points.length > 2 ? undefined : this.head(colour),
        "marker-end": points.length > 2 ? this.head(colour) : undefined,
      }),
    );
  }

  /** The arrow head of a colour: it grows with the width of its line. */
  private head(colour: string): string {
    const id = `${this.prefix}-${colour.replace(/[^0-9A-Za-z]/g, "")}`;
    if (!this.heads.querySelector(`#${id}`))
      this.heads.append(
        makeSvg(
          "marker",
          { id, viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 3.2, markerHeight: 3.2, orient: "auto" },
          makeSvg("path", { d: "M0 0L10 5L0 10Z", fill: colour }),
        ),
      );
    return `url(#${id})`;
  }
}

function middle(a: Point, b: Point, share: number): Point {
  return { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) };
}

function mapValues<K extends string, A, B>(record: Record<K, A>, map: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries<A>(record).map(([key, value]) => [key, map(value)])) as Record<K, B>;
}

const settled = 120; // ms after the last move
const fewDots = 400; // whose names are placed anew at every move

/** The layer of highlights and names over a scene. */
export class Overlay {
  private readonly svg = makeSvg("svg", { class: "fabric-overlay", "aria-hidden": "true" });
  private readonly highlights: Highlights;
  private readonly names: Names;
  private readonly isSmall: boolean;
  private scale = 0;
  private timer: number | undefined;

  constructor(
    box: HTMLElement,
    geometry: Geometry,
    private readonly viewport: Viewport,
  ) {
    this.highlights = new Highlights(geometry);
    this.names = new Names(geometry);
    this.isSmall = geometry.topology.switches + geometry.topology.hosts <= fewDots;
    this.svg.append(this.highlights.group, this.names.group);
    box.append(this.svg);
  }

  show(highlights: Highlight[], unfolded: Iterable<number>, look: Look): void {
    this.highlights.show(highlights, unfolded, look);
    this.names.show(highlights, unfolded, look);
    this.move();
    this.names.place(this.viewport);
  }

  move(): void {
    const { scale } = this.viewport.camera;
    this.svg.setAttribute("viewBox", viewBox(this.viewport));
    this.highlights.rescale(scale);
    if (this.isSmall) return this.names.place(this.viewport);
    if (scale !== this.scale) this.names.hide();
    this.scale = scale;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.names.place(this.viewport), settled);
  }
}
