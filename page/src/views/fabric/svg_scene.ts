// SPDX-License-Identifier: Apache-2.0
// Draws a fabric as SVG: at first, where there is no WebGL, on paper, and for files. Links of the same colour share
// paths, and so do switches and hosts.
import type { Point } from "../input";
import type { Geometry } from "./geometry";
import type { Look, Scene } from "./scene";
import { makeSvg, pathData, round } from "./svg";
import type { Viewport } from "./viewport";

export const linksInPath = 20; // a path of many lines that cross takes a browser much longer than several paths

/** The fabric itself, without what is highlighted. */
export class SvgFabric {
  readonly group = makeSvg("g", { "data-layer": "fabric", fill: "none" });
  private readonly links = makeSvg("g");
  private readonly switchPath: SVGPathElement;
  private readonly hostPath: SVGPathElement;

  constructor(
    private readonly geometry: Geometry,
    look: Look,
  ) {
    const { topology, folded, switchRadius, hostRadius } = geometry;
    this.switchPath = dotsPath(topology.switches, switchRadius, (at) => geometry.switchAt(at));
    this.hostPath = dotsPath(folded ? 0 : topology.hosts, hostRadius, (host) => geometry.hostAt(host));
    this.group.append(this.links, this.hostPath, this.switchPath);
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
  }

  /** Adapts widths to a scale: pixels per unit. */
  rescale(scale: number): void {
    this.links.setAttribute("stroke-width", String(Math.max(this.geometry.linkWidth, 1.2 / scale)));
  }
}

/** Dots as the round ends of lines without length. */
function dotsPath(count: number, radius: number, placeOf: (number: number) => Point): SVGPathElement {
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
    this.svg.setAttribute("viewBox", viewBox(this.viewport));
    this.fabric.rescale(this.viewport.camera.scale);
  }

  remove(): void {
    this.svg.remove();
  }
}
