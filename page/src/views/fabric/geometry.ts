// SPDX-License-Identifier: Apache-2.0
// Where things lie: switches as given, levels further apart where the picture would be flat, hosts around or below
// their switch, links as lines or bows; and what is at a point. Pure functions, in the coordinates of the fabric.
import type { FabricSection } from "../../data";
import type { Point } from "../input";
import type { Topology } from "./topology";

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What is at a point of the picture. */
export type Found = { form: "switch" | "host" | "link"; number: number };

const foldedAbove = 2000; // hosts
const bowSegments = 14;

export class Geometry {
  readonly pitch: number; // what switches usually have between their centres
  readonly switchRadius: number;
  readonly hostRadius: number;
  readonly hostRoom: number; // between neighbouring hosts, for their names
  readonly linkWidth: number;
  readonly bounds: Box;
  /** Hosts are shown as a count, except those of some switches. */
  readonly folded: boolean;
  readonly below: boolean; // hosts hang below their switch
  readonly labels: { x: number; y: number; text: string }[]; // of levels and groups
  private readonly x: number[]; // of switches
  private readonly y: number[];

  constructor(readonly topology: Topology) {
    const { section } = topology;
    const stretch = stretchOf(section);
    this.x = section.switches.x.map((x) => stretch.x * x);
    this.y = section.switches.y.map((y) => stretch.y * y);
    this.labels = section.labels.map(({ x, y, text }) => ({ x: stretch.x * x, y: stretch.y * y, text }));
    this.pitch = usualDistance(this.x, this.y) || section.width / 4 || 100;
    this.below = section.layout === "levels";
    this.folded = topology.hosts > foldedAbove;
    this.switchRadius = 0.12 * this.pitch;
    this.linkWidth = 0.025 * this.pitch;
    const most = topology.hostsOn.reduce((count, hosts) => Math.max(count, hosts.length), 0);
    this.hostRadius = this.below ? rowRadius(most, this.pitch) : ringRadius(most, this.pitch);
    this.hostRoom = this.below ? 2.5 * this.hostRadius : ringRoom(most, this.pitch, this.hostRadius);
    this.bounds = this.measure();
  }

  switchAt(at: number): Point {
    return { x: this.x[at], y: this.y[at] };
  }

  /** How many hosts are folded into a switch, as a word in it; empty where all are seen. */
  foldedCount(at: number): string {
    const hosts = this.topology.hostsOn[at].length;
    return this.folded && hosts > 0 ? String(hosts) : "";
  }

  hostAt(host: number): Point {
    const { section, hostsOn } = this.topology;
    const at = section.hosts.on[host];
    const centre = this.switchAt(at);
    const place = hostsOn[at].indexOf(host);
    const count = hostsOn[at].length;
    return this.below ? this.inRows(centre, place, count) : this.onRings(centre, place, count);
  }

  /** A link from its first end to its second; more than two points where it bows. */
  linkPoints(link: number): Point[] {
    const { links } = this.topology.section;
    const a = this.switchAt(links.a[link]);
    const b = this.switchAt(links.b[link]);
    const bow = links.bow[link] ?? 0;
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (bow === 0 || length === 0) return [a, b];
    const bend = (2 * bow) / length; // a curve goes half as far as its control point
    const control = { x: (a.x + b.x) / 2 + bend * (b.y - a.y), y: (a.y + b.y) / 2 - bend * (b.x - a.x) };
    return Array.from({ length: bowSegments + 1 }, (_, i) => onCurve(a, control, b, i / bowSegments));
  }

  /** A link from the edge of one switch to that of the other. */
  trimmedLink(link: number): Point[] {
    const ends = cut(this.linkPoints(link), this.switchRadius).reverse();
    return cut(ends, this.switchRadius).reverse();
  }

  /** A channel along its link, moved a little to its right: both directions are seen. */
  channelPoints(channel: number): Point[] {
    const points = this.trimmedLink(channel >> 1);
    if (channel % 2 === 1) points.reverse();
    const shift = 0.03 * this.pitch;
    return points.map((point, i) => {
      const before = points[Math.max(0, i - 1)];
      const after = points[Math.min(points.length - 1, i + 1)];
      const length = Math.hypot(after.x - before.x, after.y - before.y) || 1;
      return {
        x: point.x - (shift * (after.y - before.y)) / length,
        y: point.y + (shift * (after.x - before.x)) / length,
      };
    });
  }

  /** The switch, host or link at a point, within a tolerance; hosts of these switches are unfolded. */
  find(point: Point, tolerance: number, unfolded: ReadonlySet<number>): Found | null {
    return (
      this.nearestHost(point, tolerance, unfolded) ??
      this.nearestSwitch(point, tolerance) ??
      this.nearestLink(point, tolerance)
    );
  }

  private nearestSwitch(point: Point, tolerance: number): Found | null {
    const reach = Math.max(this.switchRadius, tolerance);
    const number = nearest(this.topology.switches, reach, (i) => distance(point, this.switchAt(i)));
    return number < 0 ? null : { form: "switch", number };
  }

  private nearestHost(point: Point, tolerance: number, unfolded: ReadonlySet<number>): Found | null {
    const reach = Math.max(this.hostRadius, Math.min(tolerance, 1.3 * this.hostRadius));
    let best: Found | null = null;
    let closest = reach;
    for (let at = 0; at < this.topology.switches; ++at) {
      if (this.folded && !unfolded.has(at)) continue;
      if (distance(point, this.switchAt(at)) > 1.5 * this.pitch + this.hostSpan(at)) continue;
      for (const host of this.topology.hostsOn[at]) {
        const apart = distance(point, this.hostAt(host));
        if (apart > closest) continue;
        closest = apart;
        best = { form: "host", number: host };
      }
    }
    return best;
  }

  private nearestLink(point: Point, tolerance: number): Found | null {
    const reach = Math.max(this.linkWidth, tolerance);
    const number = nearest(this.topology.links, reach, (link) => {
      const points = this.linkPoints(link);
      let apart = Infinity;
      for (let i = 1; i < points.length; ++i) apart = Math.min(apart, toSegment(point, points[i - 1], points[i]));
      return apart;
    });
    return number < 0 ? null : { form: "link", number };
  }

  private hostSpan(at: number): number {
    return this.below ? rowsBelow(this.topology.hostsOn[at].length) * 2.6 * this.hostRadius : 0;
  }

  private inRows(centre: Point, place: number, count: number): Point {
    const row = Math.floor(place / hostsInRow);
    const inRow = Math.min(hostsInRow, count - row * hostsInRow);
    const step = 2.5 * this.hostRadius;
    return {
      x: centre.x + ((place % hostsInRow) - (inRow - 1) / 2) * step,
      y: centre.y + this.switchRadius + (row + 1) * step,
    };
  }

  private onRings(centre: Point, place: number, count: number): Point {
    let ring = innerRing * this.pitch;
    let first = 0;
    for (;;) {
      const capacity = ringCapacity(ring, this.hostRadius);
      if (place < first + capacity) {
        const angle = ((place - first + 0.5) / Math.min(capacity, count - first)) * 2 * Math.PI + Math.PI / 4;
        return { x: centre.x + ring * Math.sin(angle), y: centre.y - ring * Math.cos(angle) };
      }
      first += capacity;
      ring += 2.4 * this.hostRadius;
    }
  }

  private measure(): Box {
    const margin = 0.55 * this.pitch;
    const box: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    const include = (x: number, y: number, around: number) => {
      box.left = Math.min(box.left, x - around);
      box.right = Math.max(box.right, x + around);
      box.top = Math.min(box.top, y - around);
      box.bottom = Math.max(box.bottom, y + around);
    };
    for (let at = 0; at < this.topology.switches; ++at) {
      include(this.x[at], this.y[at], margin);
      include(this.x[at], this.y[at] + this.hostSpan(at) + this.switchRadius, this.hostRadius);
    }
    for (let link = 0; link < this.topology.links; ++link)
      if (this.topology.section.links.bow[link]) for (const { x, y } of this.linkPoints(link)) include(x, y, 0);
    for (const label of this.labels) include(label.x, label.y, this.switchRadius);
    return Number.isFinite(box.left) ? box : { left: 0, top: 0, right: 100, bottom: 100 };
  }
}

const shapeOfPictures = 1.25; // width to height

/** How much wider and higher levels are drawn, so that they fill a picture. Other layouts keep their shape. */
export function stretchOf({ layout, switches }: FabricSection): Point {
  if (layout !== "levels") return { x: 1, y: 1 };
  const span = (values: number[]) =>
    values.reduce((most, value) => Math.max(most, value), -Infinity) -
    values.reduce((least, value) => Math.min(least, value), Infinity);
  const [width, height] = [span(switches.x), span(switches.y)];
  if (!(width > 0 && height > 0)) return { x: 1, y: 1 };
  const flatness = width / height / shapeOfPictures;
  return { x: Math.max(1, 1 / flatness), y: Math.max(1, flatness) };
}

const innerRing = 0.22; // of the pitch
const outerRing = 0.45;
const hostsInRow = 8;

function rowsBelow(hosts: number): number {
  return Math.ceil(hosts / hostsInRow);
}

function rowRadius(most: number, pitch: number): number {
  return Math.min(0.05 * pitch, (0.9 * pitch) / (2.5 * Math.max(1, Math.min(most, hostsInRow))));
}

function ringCapacity(ring: number, radius: number): number {
  return Math.max(1, Math.floor((2 * Math.PI * ring) / (2.4 * radius)));
}

/** The greatest radius of dots that lets so many hosts fit between the two rings. */
function ringRadius(most: number, pitch: number): number {
  for (let radius = 0.045 * pitch; ; radius *= 0.85) {
    let room = 0;
    for (let ring = innerRing * pitch; ring + radius <= outerRing * pitch; ring += 2.4 * radius)
      room += ringCapacity(ring, radius);
    if (room >= most) return radius;
  }
}

function ringRoom(most: number, pitch: number, radius: number): number {
  const ring = innerRing * pitch;
  return most <= ringCapacity(ring, radius) ? 2 * ring * Math.sin(Math.PI / Math.max(2, most)) : 2.4 * radius;
}

function onCurve(a: Point, control: Point, b: Point, t: number): Point {
  const mix = (p: number, q: number, r: number) => (1 - t) * (1 - t) * p + 2 * t * (1 - t) * q + t * t * r;
  return { x: mix(a.x, control.x, b.x), y: mix(a.y, control.y, b.y) };
}

/** A line without what lies within a radius of its first point. */
function cut(points: Point[], radius: number): Point[] {
  const [centre] = points;
  const outside = points.findIndex((point) => distance(point, centre) > radius);
  if (outside < 1) return points;
  const [a, b] = [points[outside - 1], points[outside]];
  const share = (radius - distance(a, centre)) / (distance(b, centre) - distance(a, centre));
  return [{ x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) }, ...points.slice(outside)];
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function toSegment(p: Point, a: Point, b: Point): number {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const along = ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.max(0, Math.min(1, along));
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/** The number whose distance is least, and within reach; -1: none. */
function nearest(count: number, reach: number, apart: (number: number) => number): number {
  let best = -1;
  let closest = reach;
  for (let i = 0; i < count; ++i) {
    const d = apart(i);
    if (d > closest) continue;
    closest = d;
    best = i;
  }
  return best;
}

/** The median distance of a switch to its nearest neighbour; 0 with fewer than two. */
function usualDistance(x: number[], y: number[]): number {
  const order = x.map((_, i) => i).sort((a, b) => x[a] - x[b]);
  const closest = order.map((a, i) => {
    let best = Infinity;
    for (const step of [-1, 1])
      for (let k = i + step; k >= 0 && k < order.length; k += step) {
        const across = Math.abs(x[order[k]] - x[a]);
        if (across >= best) break;
        const apart = Math.hypot(across, y[order[k]] - y[a]);
        if (apart > 0) best = Math.min(best, apart);
      }
    return best;
  });
  const finite = closest.filter(Number.isFinite).sort((a, b) => a - b);
  return finite.length === 0 ? 0 : finite[finite.length >> 1];
}
