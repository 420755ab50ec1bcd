// SPDX-License-Identifier: Apache-2.0
// The names in a picture, above a scene of either kind and in files: those of what is chosen first, then labels of levels
// and groups, switches and hosts, where they have room.
import type { Point } from "../input";
import type { Geometry } from "./geometry";
import type { Highlight } from "./highlights";
import { NamePlaces, shortened, estimatedWidth, type WantedName } from "./name_places";
import type { Look } from "./scene";
import { makeSvg, round } from "./svg";
import type { Viewport } from "./viewport";

const chosenSize = 12; // pixels
const usualSize = 11;
const nameHeight = 1.4; // above a centre, in radii
const mostNames = 1500;
const leastRoom = 36; // pixels between switches or hosts that get names, if not all of them
const leastWordRadius = 6; // pixels of a dot with a word inside

/** Switches or hosts, to be named. */
interface Dots {
  numbers: number[];
  nameWidth: number; // pixels, of most names
  room: number; // between them, in the fabric
  radius: number;
  placeOf(number: number): Point;
  isBelow(number: number): boolean; // whether its name stands below
  nameOf(number: number): string;
  isNamed(number: number): boolean; // already: it is chosen
  insideOf(number: number): string; // a word inside the dot
}

export class Names {
  readonly group = makeSvg("g", { "data-layer": "names", "paint-order": "stroke", "stroke-linejoin": "round" });
  private readonly usual = makeSvg("g", { class: "usual-names" });
  private readonly chosen = makeSvg("g");
  private readonly switchNameWidth: number;
  private readonly hostNameWidth: number;
  private highlights: (Highlight & { form: "name" })[] = [];
  private unfolded: Iterable<number> = [];
  private paper = "";

  constructor(private readonly geometry: Geometry) {
    const { switches, hosts } = geometry.topology.section;
    this.switchNameWidth = usualWidth(switches.name);
    this.hostNameWidth = usualWidth(hosts.name);
    this.group.append(this.usual, this.chosen);
  }

  /** What is to be named; `place` does it. */
  show(highlights: Highlight[], unfolded: Iterable<number>, look: Look): void {
    const names = highlights.filter((each) => each.form === "name");
    this.highlights = [...new Map(names.map((each) => [`${each.of} ${each.number}`, each])).values()];
    this.unfolded = unfolded;
    this.paper = look.paper;
    this.group.setAttribute("fill", look.ink);
    this.group.setAttribute("stroke", look.paper);
  }

  hide(): void {
    this.usual.replaceChildren();
    this.chosen.replaceChildren();
  }

  /** Names what is seen, where names have room. */
  place(viewport: Viewport): void {
    const places = new NamePlaces(viewport.width, viewport.height);
    const [switches, hosts] = [this.switches(), this.hosts()];
    this.hide();
    this.group.setAttribute("stroke-width", String(3.5 / viewport.camera.scale));
    for (const { of, number } of this.highlights) {
      const wanted = this.wanted(of === "switch" ? switches : hosts, number, viewport, chosenSize);
      this.add(this.chosen, { ...wanted, room: undefined }, viewport, places);
    }
    for (const { x, y, text } of this.geometry.labels) {
      const wanted = { text, ...toScreen(viewport, { x, y }), size: usualSize, begins: true };
      this.add(this.usual, wanted, viewport, places);
    }
    this.placeAll(switches, viewport, places);
    this.placeAll(hosts, viewport, places);
  }

  /** Names dots that are seen; other names keep away from large ones. */
  private placeAll(dots: Dots, viewport: Viewport, places: NamePlaces): void {
    const { scale } = viewport.camera;
    if (dots.room * scale < Math.min(dots.nameWidth + 4, leastRoom)) return;
    const seen = dots.numbers.filter((number) => viewport.sees(dots.placeOf(number))).slice(0, mostNames);
    for (const number of seen) {
      if (!dots.isNamed(number)) this.add(this.usual, this.wanted(dots, number, viewport, usualSize), viewport, places);
      this.addInside(dots, number, scale);
    }
    for (const number of seen) places.reserve(toScreen(viewport, dots.placeOf(number)), dots.radius * scale);
  }

  private add(into: SVGGElement, wanted: WantedName, viewport: Viewport, places: NamePlaces): void {
    const placed = places.place(wanted);
    if (placed === null) return;
    const { x, y } = viewport.toFabric(placed);
    const anchor = placed.begins ? "start" : "middle";
    const size = placed.size / viewport.camera.scale;
    into.append(makeSvg("text", { x: round(x), y: round(y), "font-size": size, "text-anchor": anchor }, placed.text));
  }

  private addInside({ insideOf, placeOf, radius }: Dots, number: number, scale: number): void {
    const word = insideOf(number);
    if (word === "" || radius * scale < leastWordRadius) return;
    const { x, y } = placeOf(number);
    const place = { x: round(x), y: round(y + 0.4 * radius), "font-size": round(1.1 * radius), "text-anchor": "middle" };
    this.usual.append(makeSvg("text", { ...place, fill: this.paper, stroke: "none" }, word));
  }

  private wanted(dots: Dots, number: number, viewport: Viewport, size: number): WantedName {
    const { x, y } = dots.placeOf(number);
    const height = nameHeight * dots.radius;
    const isBelow = dots.isBelow(number);
    const at = toScreen(viewport, { x, y: isBelow ? y + height : y - height });
    const room = dots.room * viewport.camera.scale;
    return { text: dots.nameOf(number), x: at.x, y: isBelow ? at.y + 0.9 * size : at.y, size, room };
  }

  private switches(): Dots {
    const { geometry } = this;
    return {
      numbers: Array.from({ length: geometry.topology.switches }, (_, at) => at),
      nameWidth: this.switchNameWidth,
      room: geometry.pitch,
      radius: geometry.switchRadius,
      isBelow: () => false,
      placeOf: (at) => geometry.switchAt(at),
      nameOf: (at) => geometry.topology.switchName(at),
      isNamed: this.chosenOf("switch"),
      insideOf: (at) => geometry.foldedCount(at),
    };
  }

  private hosts(): Dots {
    const { geometry } = this;
    return {
      numbers: this.hostsSeen(),
      nameWidth: this.hostNameWidth,
      room: geometry.hostRoom,
      radius: geometry.hostRadius,
      isBelow: (host) => geometry.hostAt(host).y > geometry.switchAt(geometry.topology.section.hosts.on[host]).y,
      placeOf: (host) => geometry.hostAt(host),
      nameOf: (host) => geometry.topology.hostName(host),
      isNamed: this.chosenOf("host"),
      insideOf: () => "",
    };
  }

  private chosenOf(kind: "switch" | "host"): (number: number) => boolean {
    const numbers = new Set(this.highlights.flatMap(({ of, number }) => (of === kind ? [number] : [])));
    return (number) => numbers.has(number);
  }

  private hostsSeen(): number[] {
    const { topology, folded } = this.geometry;
    if (!folded) return Array.from({ length: topology.hosts }, (_, host) => host);
    return [...this.unfolded].flatMap((at) => topology.hostsOn[at]);
  }
}

/** Pixels for most of these names. */
function usualWidth(names: string[]): number {
  const sorted = names.map((name) => estimatedWidth(shortened(name), usualSize)).sort((a, b) => a - b);
  return sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0;
}

function toScreen({ camera, width, height }: Viewport, { x, y }: Point): Point {
  return { x: (x - camera.x) * camera.scale + width / 2, y: (y - camera.y) * camera.scale + height / 2 };
}
