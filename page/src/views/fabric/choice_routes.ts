// SPDX-License-Identifier: Apache-2.0
// Follows packets through tables that leave choices (src/fabric/choice_tables.hpp): along one candidate at each switch,
// and along all of them at once. Pure functions: no part of the document is needed.
import type { ChoicePaths } from "../../data";
import { fromBase64, numbersOf } from "../../read";
import { IntermediateDraws } from "./intermediates";
import { endAt, here, noPort, type Hop, type LaneOf, type RouteEnd, type Walk } from "./routes";
import type { Topology } from "./topology";

const hereCode = 0;
const noRouteCode = 1;
const firstSet = 2;

/** Which of the routes that the tables allow is followed. */
export interface Following {
  start?: number; // a phase; otherwise the first that leads to hosts
  detour?: number; // the hop at which the packet decides for a detour; otherwise it takes none
  via?: number; // the number of an intermediate destination; otherwise the first that is at neither end
  taken?: number[]; // by hop, the number of a candidate; otherwise the first
}

/** One thing that a packet may do next. */
export interface Candidate {
  port: number;
  lane: number | null | undefined; // null: unknown; undefined: there is none
  phase: number;
  preference: number;
  channel: number; // -1: to a host, or to nothing
}

/** What a packet was given and decided on; and what it might have been given. */
export interface Trip {
  starts: number[]; // phases
  start: number;
  detour: number | null;
  detours: { hop: number; at: number }[]; // where packets may decide for one, as long as they take none
  drawn: number[]; // intermediate destinations that the rule allows
  via: number; // -1: none is needed, or there is none
}

/** What packets are at so many hops from their host, by whichever candidates. */
export interface Front {
  switches: Set<number>;
  ports: Set<number>;
  lanes: Set<number | null>;
  channels: Set<number>;
}

interface Packet {
  at: number;
  inPort: number;
  lane: number;
  phase: number;
}

/** Where a packet is in the tables, once it has decided on a detour or has come to its intermediate destination. */
interface Place {
  phase: number;
  decides: boolean;
  column: number;
  code: number;
}

/** Packets from a host to another. */
export interface Pair {
  from: number;
  to: number;
  level: number; // of service
  laneOf: LaneOf;
}

export class ChoiceRoutes {
  private readonly codes: Uint32Array;
  private readonly begin: number[] = [];
  private readonly ends: number[][]; // the switches of each intermediate destination
  private readonly draws: IntermediateDraws | null;

  constructor(
    private readonly topology: Topology,
    readonly paths: ChoicePaths,
  ) {
    this.codes = numbersOf(fromBase64(paths.entries), paths.width);
    let begin = 0;
    for (const size of paths.sets.size) {
      this.begin.push(begin);
      begin += size;
    }
    const all = paths.intermediates;
    const switches = [...Array(topology.switches).keys()];
    const endsOf = (column: number) => switches.filter((at) => this.code(column, at) === hereCode);
    this.ends = (all?.columns ?? []).map(endsOf);
    this.draws = all === undefined ? null : new IntermediateDraws(topology, all, this.ends, (...of) => this.passes(...of));
  }

  phaseName(phase: number): string {
    return this.paths.phases[phase].name || `phase ${phase}`;
  }

  /** An intermediate destination: "s0|s1" or "s0…s3". */
  intermediateName(via: number): string {
    const names = this.ends[via].map((at) => this.topology.switchName(at));
    return names.length > 2 ? `${names[0]}…${names[names.length - 1]}` : names.join("|");
  }

  walk(pair: Pair, following: Following): Walk {
    const trip = this.trip(pair, following);
    const hops: Hop[] = [];
    const most = this.topology.switches * this.paths.phases.length;
    let packet = this.first(pair, trip.start);
    for (;;) {
      const place = this.place(pair, trip, packet, hops.length);
      if (place.decides && trip.detour === null) trip.detours.push({ hop: hops.length, at: packet.at });
      const candidates = this.candidates(pair, packet, place);
      const followed = Math.min(following.taken?.[hops.length] ?? 0, Math.max(0, candidates.length - 1));
      const hop = hopOf(packet, place, candidates, followed);
      hops.push(hop);
      const end = this.endOf(pair, hop, hops.length > most);
      if (end !== null) return { from: pair.from, to: pair.to, end, hops, trip };
      packet = this.over(candidates[followed]);
    }
  }

  /** Where packets may be, hop by hop, by all candidates; they start and decide on detours alike. */
  fronts(pair: Pair, trip: Trip): Front[] {
    const out: Front[] = [];
    const known = new Set<string>();
    let packets = [this.first(pair, trip.start)];
    for (let hop = 0; packets.length > 0; ++hop) {
      const next: Packet[] = [];
      for (const packet of packets) {
        const place = this.place(pair, trip, packet, hop);
        const key = `${packet.at} ${packet.inPort} ${packet.lane} ${place.phase}`;
        if (known.has(key)) continue;
        known.add(key);
        const front = (out[hop] ??= { switches: new Set(), ports: new Set(), lanes: new Set(), channels: new Set() });
        front.switches.add(packet.at);
        if (place.code === hereCode) front.ports.add(this.topology.section.hosts.port[pair.to]);
        for (const candidate of this.candidates(pair, packet, place)) {
          front.ports.add(candidate.port);
          if (candidate.channel < 0 || candidate.lane === undefined) continue;
          front.lanes.add(candidate.lane);
          front.channels.add(candidate.channel);
          next.push(this.over(candidate));
        }
      }
      packets = next;
    }
    return out;
  }

  /** What `following` asks for, as far as the tables allow it. */
  private trip(pair: Pair, { start, detour, via, taken }: Following): Trip {
    const starts = this.startsAt(pair.level);
    const usual = starts.find((phase) => !this.paths.phases[phase].to_intermediate) ?? starts[0];
    const begun = start !== undefined && starts.includes(start) ? start : usual;
    const trip: Trip = { starts, start: begun, detour: null, detours: [], drawn: [], via: -1 };
    const { on } = this.topology.section.hosts;
    const [first, last] = [on[pair.from], on[pair.to]];
    const decided = detour === undefined ? undefined : this.decision(pair, { start, via, taken }, detour);
    if (decided !== undefined) Object.assign(trip, { detour: decided.hop, detours: decided.all, drawn: decided.drawn });
    else if (this.paths.phases[begun].to_intermediate) trip.drawn = this.draws!.drawn(first, last);
    const between = trip.drawn.find((each) => !this.isAt(each, first) && !this.isAt(each, last));
    trip.via = via !== undefined && trip.drawn.includes(via) ? via : (between ?? trip.drawn[0] ?? -1);
    return trip;
  }

  /** Where packets decide at a hop, if they do, and where to. */
  private decision(pair: Pair, following: Following, hop: number) {
    const all = this.walk(pair, following).trip!.detours;
    const found = all.find((each) => each.hop === hop);
    return found === undefined ? undefined : { hop, all, drawn: this.detours(pair, found.at) };
  }

  /** The intermediate destinations to which packets may decide to go at a switch. */
  private detours({ from, to }: Pair, at: number): number[] {
    const { on } = this.topology.section.hosts;
    if (at === on[to]) return [];
    return this.draws!.detours(on[from], on[to]).filter((via) => !this.isAt(via, at));
  }

  /** Whether the way to an intermediate destination, by first candidates, leads by a switch, or to it. */
  private passes(via: number, first: number, by: number): boolean {
    const column = this.paths.intermediates!.columns[via];
    let at = first;
    for (let hops = 0; at !== by && hops < this.topology.switches; ++hops) {
      const code = this.code(column, at);
      if (code < firstSet) return false;
      const { channel } = this.topology.atPort(at, this.paths.sets.port[this.begin[code - firstSet]]);
      if (channel < 0) return false;
      at = this.topology.to(channel);
    }
    return at === by;
  }

  private startsAt(level: number): number[] {
    const { starts, start_rule } = this.paths;
    return start_rule === "level" ? [starts[Math.min(level, starts.length - 1)]] : starts;
  }

  private first({ from }: Pair, phase: number): Packet {
    const { on, port } = this.topology.section.hosts;
    return { at: on[from], inPort: port[from], lane: 0, phase };
  }

  private over({ channel, lane, phase }: Candidate): Packet {
    return { at: this.topology.to(channel), inPort: this.topology.inPort(channel), lane: lane ?? 0, phase };
  }

  private place(pair: Pair, trip: Trip, { at, phase: before }: Packet, hop: number): Place {
    const { phases, intermediates } = this.paths;
    const { detour } = phases[before];
    const decides = detour !== undefined && this.detours(pair, at).length > 0;
    let phase = decides && trip.detour === hop ? detour : before;
    if (phases[phase].to_intermediate && (trip.via < 0 || this.isAt(trip.via, at))) phase = phases[phase].next!;
    const own = phases[phase].column_of ?? this.paths.column_of;
    const column = phases[phase].to_intermediate ? intermediates!.columns[trip.via] : own[pair.to];
    return { phase, decides, column, code: this.code(column, at) };
  }

  private candidates({ laneOf }: Pair, { at, inPort, lane }: Packet, { code }: Place): Candidate[] {
    if (code < firstSet) return [];
    const { size, port, lane: lanes, phase, preference } = this.paths.sets;
    const set = code - firstSet;
    return Array.from({ length: size[set] }, (_, i) => {
      const k = this.begin[set] + i;
      const { channel } = this.topology.atPort(at, port[k]);
      const next = channel < 0 ? null : lanes[k] < 0 ? laneOf(at, inPort, port[k], lane) : lanes[k];
      return { port: port[k], lane: next, phase: phase[k], preference: preference[k], channel };
    });
  }

  /** null: the route goes on. */
  private endOf({ to }: Pair, hop: Hop, isLoop: boolean): RouteEnd | null {
    if (hop.channel < 0) return endAt(this.topology, to, hop);
    return hop.candidates![hop.followed!].lane === undefined ? "no lane" : isLoop ? "loop" : null;
  }

  private isAt(via: number, at: number): boolean {
    return via >= 0 && this.ends[via].includes(at);
  }

  private code(column: number, at: number): number {
    const row = this.paths.row_of[column] ?? -1;
    return row < 0 ? noRouteCode : this.codes[row * this.topology.switches + at];
  }
}

function hopOf({ at, inPort }: Packet, place: Place, candidates: Candidate[], followed: number): Hop {
  const taken = candidates[followed];
  const isHere = place.code === hereCode;
  const ports = candidates.map(({ port }) => port);
  const words = isHere ? "here" : taken === undefined ? "no route" : `any of ports ${ports.join(", ")}`;
  return {
    at,
    inPort,
    outPort: taken?.port ?? (isHere ? here : noPort),
    choices: ports,
    lane: taken?.lane ?? null,
    channel: taken?.channel ?? -1,
    entry: `column ${place.column} → ${words}`,
    phase: place.phase,
    candidates,
    followed,
  };
}
