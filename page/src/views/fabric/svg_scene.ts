// SPDX-License-Identifier: Apache-2.0
// Draws a fabric as SVG: where there is no WebGL, on paper, and for files. Links of the same colour share
// paths, and so do switches and hosts; only names that are seen are elements of their own.
import type { Point } from "../input";
import type { Box, Geometry } from "./geometry";
import type { Look, Scene } from "./scene";
import { makeSvg, pathData, round } from "./svg";
import type { Viewport } from "./viewport";

export const namePixels = 11;
/** How far above a centre a name stands, in radii. */
export const nameHeight = 1.4;
const mostNames = 1500;
const linksInPath = 20; // a path of many lines that cross takes a browser much longer than several paths
const settled = 120; // ms after the last move

/** Pixels for most of these names. */
export function nameWidth(names: string[]): number {
  const lengths = names.map((name) => name.length).sort((a, b) => a - b);
  return 6.5 * (lengths[Math.floor(0.9 * (lengths.length - 1))] ?? 0);
}

/** Switches or hosts: where they are, and what they are called. */
interface Dots {
  count: number;
  radius: number;
  room: number; // for a name
  nameWidth: number; // pixels
  placeOf(number: number): Point;
  nameOf(number: number): string;
  insideOf(number: number): string; // a word inside the dot
}

/** The fabric itself, without what is highlighted. */
export class SvgFabric {
  readonly group = makeSvg("g", { "data-layer": "fabric", fill: "none" });
  private readonly links = makeSvg("g");
  private readonly names = makeSvg("g", {
    "text-anchor": "middle",
    "paint-order": "stroke",
    "stroke-linejoin": "round",
  });
  private readonly switches: Dots;
  private readonly hosts: Dots;
  private readonly switchPath: SVGPathElement;
  private readonly hostPath: SVGPathElement;

  constructor(
    private readonly geometry: Geometry,
    look: Look,
  ) {
    this.switches = switchDots(geometry);
    this.hosts = hostDots(geometry);
    this.switchPath = dotsPath(this.switches);
    this.hostPath = dotsPath(this.hosts);
    this.group.append(this.links, this.hostPath, this.switchPath, this.names);
    this.show(look);
  }

  show(look: Look): void {
    const lines: string[][] = look.stepColours.map(() => []);
    look.linkSteps.forEach((step, link) => lines[step].push(pathData(this.geometry.linkPoints(link))));
    this.links.replaceChildren();
    lines.forEach((ofStep, step) => {
      for (let i = 0; i < ofStep.length; i += linksInPath) {
        const d = ofStep.slice(i, i + linksInPath).join("");
        this.links.append(makeSvg("path", { d, stroke: look.stepColours[step] }));
      }
    });
    this.switchPath.setAttribute("stroke", look.switchColour);
    this.hostPath.setAttribute("stroke", look.hostColour);
    this.names.setAttribute("fill", look.ink);
    this.names.setAttribute("stroke", look.paper);
  }

  /** Adapts widths to a scale: pixels per unit. */
  rescale(scale: number): void {
    this.links.setAttribute("stroke-width", String(Math.max(this.geometry.linkWidth, 1.2 / scale)));
    this.names.setAttribute("font-size", String(namePixels / scale));
    this.names.setAttribute("stroke-width", String(3 / scale));
  }

  /** Names what lies in a box, where names have room at this scale. */
  showNames(box: Box, scale: number): void {
    this.names.replaceChildren();
    for (const dots of [this.hosts, this.switches]) {
      if (dots.nameWidth >= dots.room * scale) continue;
      for (let i = 0; i < dots.count && this.names.childElementCount < mostNames; ++i) {
        const { x, y } = dots.placeOf(i);
        if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
        this.names.append(makeSvg("text", { x: round(x), y: round(y - nameHeight * dots.radius) }, dots.nameOf(i)));
        const inside = dots.insideOf(i);
        if (inside !== "") this.names.append(this.word(inside, { x, y }, dots.radius));
      }
    }
  }

  private word(text: string, { x, y }: Point, radius: number): SVGTextElement {
    const place = { x: round(x), y: round(y + 0.4 * radius), "font-size": round(1.1 * radius) };
    return makeSvg("text", { ...place, fill: this.names.getAttribute("stroke") ?? "", stroke: "none" }, text);
  }

  hideNames(): void {
    this.names.replaceChildren();
  }
}

function switchDots(geometry: Geometry): Dots {
  const { topology, switchRadius, pitch } = geometry;
  return {
    count: topology.switches,
    radius: switchRadius,
    room: pitch,
    nameWidth: nameWidth(topology.section.switches.name),
    placeOf: (at) => geometry.switchAt(at),
    nameOf: (at) => topology.switchName(at),
    insideOf: (at) => geometry.foldedCount(at),
  };
}

function hostDots(geometry: Geometry): Dots {
  const { topology, hostRadius, hostRoom, folded } = geometry;
  return {
    count: folded ? 0 : topology.hosts,
    radius: hostRadius,
    room: hostRoom,
    nameWidth: nameWidth(topology.section.hosts.name),
    placeOf: (host) => geometry.hostAt(host),
    nameOf: (host) => topology.hostName(host),
    insideOf: () => "",
  };
}

/** Dots as the round ends of lines without length. */
function dotsPath({ count, radius, placeOf }: Dots): SVGPathElement {
  let d = "";
  for (let i = 0; i < count; ++i) {
    const { x, y } = placeOf(i);
    d += `M${round(x)} ${round(y)}h0`;
  }
  return makeSvg("path", { d, "stroke-width": round(2 * radius), "stroke-linecap": "round" });
}

/** What the viewport shows, as the viewBox of an element. */
export function viewBox(viewport: Viewport): string {
  const { left, top, right, bottom } = viewport.visible();
  return `${left} ${top} ${right - left} ${bottom - top}`;
}

export class SvgScene implements Scene {
  readonly kind = "svg";
  private readonly fabric: SvgFabric;
  private readonly svg = makeSvg("svg", { class: "fabric-drawing", "aria-hidden": "true" });
  private scale = 0;
  private timer: number | undefined;

  constructor(
    box: HTMLElement,
    geometry: Geometry,
    private readonly viewport: Viewport,
    look: Look,
  ) {
    this.fabric = new SvgFabric(geometry, look);
    this.svg.append(this.fabric.group);
    box.append(this.svg);
    this.move();
  }

  show(look: Look): void {
    this.fabric.show(look);
  }

  move(): void {
    const { scale } = this.viewport.camera;
    this.svg.setAttribute("viewBox", viewBox(this.viewport));
    if (scale !== this.scale) {
      this.fabric.hideNames();
      this.fabric.rescale(scale);
    }
    this.scale = scale;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.fabric.showNames(this.viewport.visible(), scale), settled);
  }

  remove(): void {
    clearTimeout(this.timer);
    this.svg.remove();
  }
}
