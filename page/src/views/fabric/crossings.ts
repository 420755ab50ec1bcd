// SPDX-License-Identifier: Apache-2.0
// Who crosses a link: the pairs of hosts whose routes arrive over it, in each direction, counted from the tables. No
// document is needed.
import { delivers, noPort, type RouteTables } from "./routes";

export interface RoutePairs {
  count: number;
  first: { from: number; to: number }[]; // hosts, by source and destination; some of them where there are many
}

/** Over the channels of a link: a to b, b to a. */
export type Crossings = [RoutePairs, RoutePairs];

const unseen = 0;
const onTrail = 1;
const known = 2;

/** Counts in many small steps: one for each column of the tables. */
export function* countCrossings(tables: RouteTables, link: number, most: number): Generator<void, Crossings> {
  const { topology, routing } = tables;
  const columnOf = routing.paths?.column_of ?? [];
  const hostsTo: number[][] = [];
  columnOf.forEach((column, host) => column >= 0 && (hostsTo[column] ??= []).push(host));
  const routes = new ColumnRoutes(tables, link);
  const lists = [new FirstPairs(topology.hosts, most), new FirstPairs(topology.hosts, most)] as const;
  for (const [column, hosts] of hostsTo.entries()) {
    if (hosts === undefined) continue;
    routes.load(column);
    for (const source of routes.crossing())
      for (const to of hosts.filter((host) => routes.reaches(source, host)))
        for (const from of topology.hostsOn[source])
          for (const direction of [0, 1] as const)
            if (from !== to && routes.crossed[source] & (1 << direction)) lists[direction].add(from, to);
    yield;
  }
  return [lists[0].pairs(), lists[1].pairs()];
}

/** Counts pairs, and keeps the first ones by source and destination. */
class FirstPairs {
  private count = 0;
  private keys: number[] = [];
  private last = Infinity; // that may be among the first

  constructor(
    private readonly hosts: number,
    private readonly most: number,
  ) {}

  add(from: number, to: number): void {
    const key = from * this.hosts + to;
    ++this.count;
    if (key >= this.last) return;
    this.keys.push(key);
    if (this.keys.length >= 20 * this.most) this.cut();
  }

  pairs(): RoutePairs {
    this.cut();
    const pair = (key: number) => ({ from: Math.floor(key / this.hosts), to: key % this.hosts });
    return { count: this.count, first: this.keys.map(pair) };
  }

  private cut(): void {
    this.keys = this.keys.sort((a, b) => a - b).slice(0, this.most);
    if (this.keys.length === this.most) this.last = this.keys[this.most - 1];
  }
}

/** The routes of one column: where they end, and whether they cross the link, by the switch that they begin at. */
class ColumnRoutes {
  readonly crossed: Uint8Array; // bits: 1 from a to b, 2 from b to a
  private readonly end: Int32Array; // the last switch; -1: a loop
  private readonly endPort: Int32Array; // that it takes there
  private readonly state: Uint8Array;

  constructor(
    private readonly tables: RouteTables,
    private readonly link: number,
  ) {
    const { switches } = tables.topology;
    this.crossed = new Uint8Array(switches);
    this.end = new Int32Array(switches);
    this.endPort = new Int32Array(switches);
    this.state = new Uint8Array(switches);
  }

  load(column: number): void {
    this.crossed.fill(0);
    this.state.fill(unseen);
    const follow = this.tables.routing.paths?.form === "source" ? this.followList : this.followTree;
    for (let at = 0; at < this.crossed.length; ++at) if (this.state[at] === unseen) follow.call(this, column, at);
  }

  /** Switches whose routes cross the link. */
  crossing(): number[] {
    return Array.from(this.crossed.keys()).filter((at) => this.crossed[at] !== 0);
  }

  reaches(source: number, host: number): boolean {
    return delivers(this.tables.topology, this.end[source], this.endPort[source], host);
  }

  /** A list of ports, which each source has of its own. */
  private followList(column: number, source: number): void {
    let at = source;
    for (let hop = 0; ; ++hop) {
      const { port, channel } = this.step(column, source, at, hop);
      if (channel < 0) return this.learn(source, at, port);
      this.crossed[source] |= this.bit(channel);
      at = this.tables.topology.to(channel);
    }
  }

  /** Routes by destination join: each switch is visited once. */
  private followTree(column: number, source: number): void {
    const trail: { at: number; channel: number }[] = [];
    let at = source;
    while (this.state[at] === unseen) {
      const { port, channel } = this.step(column, source, at, trail.length);
      if (channel < 0) {
        this.learn(at, at, port);
        break;
      }
      this.state[at] = onTrail;
      trail.push({ at, channel });
      at = this.tables.topology.to(channel);
    }
    if (this.state[at] === onTrail) this.learn(at, -1, noPort);
    for (const { at: before, channel } of trail.reverse()) {
      this.learn(before, this.end[at], this.endPort[at]);
      this.crossed[before] |= this.crossed[at] | this.bit(channel);
      at = before;
    }
  }

  private step(column: number, source: number, at: number, hop: number): { port: number; channel: number } {
    const port = this.tables.portAt(column, source, at, hop);
    return { port, channel: this.tables.topology.atPort(at, port).channel };
  }

  private learn(source: number, end: number, port: number): void {
    this.end[source] = end;
    this.endPort[source] = port;
    this.state[source] = known;
  }

  private bit(channel: number): number {
    return channel >> 1 !== this.link ? 0 : channel % 2 === 0 ? 1 : 2;
  }
}
