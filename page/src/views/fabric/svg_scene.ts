// SPDX-License-Identifier: Apache-2.0
// Draws a fabric as SVG: where there is no WebGL, on paper, and for files. Links of the same colour share a
// path; moving the camera changes a few attributes and no element.
import type { Geometry } from "./geometry";
import type { Look, Scene } from "./scene";
import { makeSvg, pathData, round } from "./svg";
import type { Viewport } from "./viewport";

export const namePixels = 11;

/** How far above a centre a name stands, in radii. */
export const nameHeight = 1.4;

/** Pixels for most of these names. */
export function nameWidth(names: string[]): number {
  const lengths = names.map((name) => name.length).sort((a, b) => a - b);
  return 6.5 * (lengths[Math.floor(0.9 * (lengths.length - 1))] ?? 0);
}

/** The fabric itself, without what is highlighted. */
export class SvgFabric {
  readonly group = makeSvg("g", { "data-layer": "fabric" });
  private readonly links = makeSvg("g", { fill: "none" });
  private readonly switches = makeSvg("g");
  private readonly hosts = makeSvg("g");
  private readonly switchNames: SVGGElement;
  private readonly hostNames: SVGGElement;

  constructor(
    private readonly geometry: Geometry,
    look: Look,
  ) {
    const { topology, switchRadius, hostRadius, folded } = geometry;
    const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
    const switches = numbers(topology.switches);
    const hosts = numbers(folded ? 0 : topology.hosts);
    for (const at of switches) this.switches.append(circle(geometry.switchAt(at), switchRadius));
    for (const host of hosts) this.hosts.append(circle(geometry.hostAt(host), hostRadius));
    this.switchNames = names(switches, (at) => geometry.switchAt(at), switchRadius, (at) => geometry.switchLabel(at));
    this.hostNames = names(hosts, (host) => geometry.hostAt(host), hostRadius, (host) => topology.hostName(host));
    this.group.append(this.links, this.hosts, this.switches, this.hostNames, this.switchNames);
    this.show(look);
  }

  show(look: Look): void {
    const paths: string[] = look.stepColours.map(() => "");
    look.linkSteps.forEach((step, link) => (paths[step] += pathData(this.geometry.linkPoints(link))));
    this.links.replaceChildren(
      ...paths.flatMap((d, step) => (d === "" ? [] : [makeSvg("path", { d, stroke: look.stepColours[step] })])),
    );
    this.switches.setAttribute("fill", look.switchColour);
    this.hosts.setAttribute("fill", look.hostColour);
    for (const each of [this.switchNames, this.hostNames]) {
      each.setAttribute("fill", look.ink);
      each.setAttribute("stroke", look.paper);
    }
  }

  /** Adapts widths and names to a scale: pixels per unit. */
  rescale(scale: number): void {
    const { pitch, linkWidth, hostRoom } = this.geometry;
    this.links.setAttribute("stroke-width", String(Math.max(linkWidth, 1.2 / scale)));
    showNames(this.switchNames, scale, pitch);
    showNames(this.hostNames, scale, hostRoom);
  }
}

function circle(at: { x: number; y: number }, r: number): SVGCircleElement {
  return makeSvg("circle", { cx: round(at.x), cy: round(at.y), r: round(r) });
}

function names(
  numbers: number[],
  placeOf: (number: number) => { x: number; y: number },
  radius: number,
  nameOf: (number: number) => string,
): SVGGElement {
  const group = makeSvg("g", { "text-anchor": "middle", "paint-order": "stroke", "stroke-linejoin": "round" });
  for (const number of numbers) {
    const { x, y } = placeOf(number);
    group.append(makeSvg("text", { x: round(x), y: round(y - nameHeight * radius) }, nameOf(number)));
  }
  group.dataset.width = String(nameWidth(numbers.map(nameOf)));
  return group;
}

/** Names are seen where most have room. */
function showNames(group: SVGGElement, scale: number, room: number): void {
  const fits = Number(group.dataset.width) < room * scale;
  group.setAttribute("display", fits ? "inline" : "none");
  if (!fits) return;
  group.setAttribute("font-size", String(namePixels / scale));
  group.setAttribute("stroke-width", String(3 / scale));
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
