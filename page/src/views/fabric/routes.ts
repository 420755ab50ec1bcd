// SPDX-License-Identifier: Apache-2.0
// Follows a packet through the tables of a routing, hop by hop, as the switches would (src/fabric/walk.cpp).
// Pure functions: no part of the document is needed.
import type { DestinationPaths, LaneRule, Routing, SourcePaths } from "../../data";
import { fromBase64, numbersOf } from "../../read";
import { ChoiceRoutes, type Candidate, type Following, type Front, type Pair, type Trip } from "./choice_routes";
import type { Topology } from "./topology";

export const here = 0;
export const noPort = 65535;

export type RouteEnd =
  | "reached"
  | "no entry"
  | "loop"
  | "dead port"
  | "wrong host"
  | "no lane"
  | "no tables";

/** What one switch does with the packet. */
export interface Hop {
  at: number;
  inPort: number;
  outPort: number; // here or noPort: as the table says
  choices: number[]; // all ports that the switch may take; the first is followed
  lane: number | null; // on the next channel; null: it goes to a host, or nobody knows
  channel: number; // that it leaves by; -1: none
  entry: string; // the table entry in words
  /** Of tables with choices. */
  phase?: number;
  candidates?: Candidate[];
  followed?: number; // the number of one of them
}

export interface Walk {
  from: number;
  to: number;
  end: RouteEnd;
  hops: Hop[];
  trip?: Trip; // of tables with choices
}

interface TableEntry {
  choices: number[];
  words: string;
}

/** The table entry for the hop with this number, at a switch. */
type EntryOf = (at: number, hop: number) => TableEntry;
/** The lane after a turn; null: unknown; undefined: there is none. */
export type LaneOf = (at: number, inPort: number, outPort: number, lane: number) => number | null | undefined;

/** The tables of one routing, decoded once. */
export class RouteTables {
  private readonly next: Uint32Array | null;
  private readonly laneBytes: Uint8Array | null;
  private readonly mapBytes: Uint8Array | null;
  /** Of tables with choices. */
  readonly choices: ChoiceRoutes | null;

  constructor(
    readonly topology: Topology,
    readonly routing: Routing,
  ) {
    const { paths, lane_rule: rule } = routing;
    this.next = paths?.form === "destination" ? numbersOf(fromBase64(paths.next), 2) : null;
    this.laneBytes =
      rule?.form === "turns" ? fromBase64(rule.ops) : rule?.form === "levels" ? fromBase64(rule.level) : null;
    this.mapBytes = rule?.form === "levels" && rule.map ? fromBase64(rule.map.lane) : null;
    this.choices = paths?.form === "choice" ? new ChoiceRoutes(topology, paths) : null;
  }

  /** The route from a host to another; where it leaves a choice, the first port is taken, or what is asked for. */
  walk(from: number, to: number, following: Following = {}): Walk {
    const walk: Walk = { from, to, end: "no tables", hops: [] };
    const { paths } = this.routing;
    if (paths === undefined) return walk;
    if (paths.form === "choice") return this.choices!.walk(this.pair(from, to), following);
    const { hosts } = this.topology.section;
    const column = paths.column_of[to];
    const entryOf = this.entries(paths, column, hosts.on[from]);
    const laneOf = this.lanes(column, from);
    const seen = paths.form === "destination" ? new Set<number>() : null;
    let at = hosts.on[from];
    let inPort = hosts.port[from];
    let lane = 0;
    for (;;) {
      const hop = this.hop(entryOf(at, walk.hops.length), at, inPort);
      walk.hops.push(hop);
      if (hop.channel < 0) {
        walk.end = endAt(this.topology, to, hop);
        return walk;
      }
      const next = laneOf(at, inPort, hop.outPort, lane);
      hop.lane = next ?? null;
      if (next === undefined) walk.end = "no lane";
      else if (seen?.has(at)) walk.end = "loop";
      if (walk.end !== "no tables") return walk;
      seen?.add(at);
      lane = next ?? 0;
      at = this.topology.to(hop.channel);
      inPort = this.topology.inPort(hop.channel);
    }
  }

  /** Of tables with choices: where packets may be that start and take detours as one that was followed. */
  fronts({ from, to, trip }: Walk): Front[] {
    return trip === undefined ? [] : this.choices!.fronts(this.pair(from, to), trip);
  }

  /** The port that a packet takes to a column: by the switch that it is at, or by its source and the hop. */
  portAt(column: number, source: number, at: number, hop: number): number {
    const { paths } = this.routing;
    if (paths?.form !== "source") return this.next?.[column * this.topology.switches + at] ?? noPort;
    const route = paths.routes[column * this.topology.switches + source] ?? null;
    return sourceEntry(paths, route, hop).choices[0] ?? noPort;
  }

  private pair(from: number, to: number): Pair {
    const column = this.routing.paths!.column_of[to];
    return { from, to, level: this.level(column, from), laneOf: this.lanes(column, from) };
  }

  /** The service level of packets from a host to a column. */
  private level(column: number, from: number): number {
    const rule = this.routing.lane_rule;
    if (rule?.form !== "levels") return 0;
    const { on } = this.topology.section.hosts;
    const sources = rule.by_host ? this.topology.hosts : this.topology.switches;
    return this.laneBytes![column * sources + (rule.by_host ? from : on[from])] ?? 0;
  }

  private hop(entry: TableEntry, at: number, inPort: number): Hop {
    const outPort = entry.choices[0] ?? noPort;
    const passes = outPort !== here && outPort !== noPort;
    const channel = passes ? this.topology.atPort(at, outPort).channel : -1;
    return { at, inPort, outPort, choices: entry.choices, lane: null, channel, entry: entry.words };
  }

  private entries(paths: DestinationPaths | SourcePaths, column: number, source: number): EntryOf {
    if (!(column >= 0)) return () => ({ choices: [], words: "no column leads to this host" });
    if (paths.form === "destination") return (at) => this.destinationEntry(column, at);
    const route = paths.routes[column * this.topology.switches + source] ?? null;
    return (_at, hop) => sourceEntry(paths, route, hop);
  }

  private destinationEntry(column: number, at: number): TableEntry {
    const port = this.next![column * this.topology.switches + at] ?? noPort;
    const words = port === noPort ? "no route" : port === here ? "here" : `port ${port}`;
    return { choices: [port], words: `column ${column} → ${words}` };
  }

  private lanes(column: number, from: number): LaneOf {
    const rule: LaneRule = this.routing.lane_rule ?? { form: "unknown" };
    const limit = this.routing.lanes;
    const existing = (lane: number) => (lane >= 0 && lane < limit ? lane : undefined);
    switch (rule.form) {
      case "one":
        return () => 0;
      case "unknown":
        return () => null;
      case "turns": {
        const ops = this.laneBytes!;
        return (at, inPort, outPort, lane) =>
          existing(turnedLane(ops[rule.begin[at] + inPort * rule.width[at] + outPort], lane));
      }
      case "levels": {
        const level = this.level(column, from);
        return (at, inPort, outPort) => existing(this.mappedLane(rule, level, at, inPort, outPort));
      }
    }
  }

  private mappedLane(
    rule: LaneRule & { form: "levels" },
    level: number,
    at: number,
    inPort: number,
    outPort: number,
  ): number {
    if (rule.map === undefined) return level;
    const turn = inPort * (this.topology.section.switches.ports[at] + 1) + outPort;
    return this.mapBytes![rule.map.begin[at] + turn * rule.map.levels + level];
  }
}

/** The lane after a turn with this code; -1: there is none. */
export function turnedLane(code: number, lane: number): number {
  if (code < 128) return code;
  if (code > 130) return -1;
  return lane + (code === 129 ? 1 : code === 130 ? -1 : 0);
}

function sourceEntry(paths: SourcePaths, route: number[] | null, hop: number): TableEntry {
  if (route === null) return { choices: [], words: "no list of tags" };
  if (hop >= route.length) return { choices: [here], words: "end of the list" };
  const tag = route[hop];
  if (tag < paths.first_group || tag === noPort) return { choices: [tag], words: `tag ${tag}` };
  const ports = paths.port_groups[tag - paths.first_group] ?? [];
  return { choices: ports, words: `tag ${tag}: any of ports ${ports.join(", ")}` };
}

/** Whether a packet for this host arrives by taking a port of a switch. */
export function delivers({ section }: Topology, at: number, outPort: number, to: number): boolean {
  const { on, port } = section.hosts;
  return on[to] === at && (outPort === here || outPort === port[to]);
}

/** How a route ends at a port that leads to no switch. */
export function endAt(topology: Topology, to: number, { at, outPort }: Hop): RouteEnd {
  if (outPort === noPort) return "no entry";
  if (delivers(topology, at, outPort, to)) return "reached";
  return outPort === here || topology.atPort(at, outPort).host >= 0 ? "wrong host" : "dead port";
}

/** Why a packet does not arrive; empty where it does. */
export function whyNone(topology: Topology, walk: Walk): string {
  const last = walk.hops[walk.hops.length - 1];
  const to = topology.hostName(walk.to);
  const at = last === undefined ? "" : topology.switchName(last.at);
  switch (walk.end) {
    case "reached":
      return "";
    case "no tables":
      return "A page does not hold these tables.";
    case "no entry":
      return `No route: switch ${at} has no entry for ${to} (${last.entry}).`;
    case "loop":
      return `No route: a loop. The packet comes back to switch ${at}, which sends it round again.`;
    case "dead port":
      return `No route: nothing is connected to port ${last.outPort} of switch ${at}.`;
    case "wrong host":
      return `No route: switch ${at} delivers the packet to ${deliveredTo(topology, last)}, not to ${to}.`;
    case "no lane":
      return `No route: the turn from port ${last.inPort} to port ${last.outPort} of switch ${at} leads to no lane.`;
  }
}

function deliveredTo(topology: Topology, last: Hop): string {
  return last.outPort === here ? "a host of its own" : topology.neighbourName(last.at, last.outPort);
}
