// SPDX-License-Identifier: Apache-2.0
// What is chosen in a fabric view: routing, colours, selection. Whoever draws it listens for changes.
import type { FabricMark, FabricSection, Routing } from "../../data";
import type { Following, Front } from "./choice_routes";
import { Geometry } from "./geometry";
import { measuredLoad, routesLoad, type Load } from "./loads";
import { RouteTables, type Walk } from "./routes";
import { Topology } from "./topology";

export type Selection =
  | { form: "nothing" }
  | { form: "switch"; at: number }
  | { form: "link"; link: number }
  | { form: "route"; from: number | null; to: number | null }
  | { form: "group"; group: number }
  | { form: "cycle"; step: number };

export interface Choice {
  routing: number;
  compared: number | null; // the second routing, beside the first
  measured: number | null; // of `loads`; null: routes per channel
  time: number; // number of a sample
  selection: Selection;
  following: ReadonlyMap<number, Following>; // by routing: which of the routes that its tables allow
  mark: FabricMark | null;
  unfolded: ReadonlySet<number>; // switches whose hosts are seen though there are many
}

export class Model {
  readonly topology: Topology;
  readonly geometry: Geometry;
  readonly choice: Readonly<Choice>;
  private readonly tables = new Map<number, RouteTables>();
  private readonly measured: Load[];
  private readonly routes: Load[];
  private readonly listeners: (() => void)[] = [];

  constructor(readonly section: FabricSection) {
    this.topology = new Topology(section);
    this.geometry = new Geometry(this.topology);
    this.measured = section.loads.map(measuredLoad);
    this.routes = section.routings.map(routesLoad);
    const [routing, compared] = section.compared ?? [0, null];
    this.choice = {
      routing,
      compared,
      measured: section.loads.length > 0 && compared === null ? 0 : null, // what was found, before what is planned
      time: 0,
      selection: { form: "nothing" },
      following: new Map(),
      mark: null,
      unfolded: new Set(),
    };
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  change(change: Partial<Choice>): void {
    Object.assign(this.choice, change);
    for (const listener of this.listeners) listener();
  }

  select(selection: Selection): void {
    this.change({ selection, following: new Map() });
  }

  /** Follows another of the routes that the tables of a routing allow between the two hosts. */
  follow(routing: number, following: Following): void {
    this.change({ following: new Map(this.choice.following).set(routing, following) });
  }

  /** A click on a host begins a route, or ends the one that was begun. */
  selectHost(host: number): void {
    const { selection } = this.choice;
    const begun = selection.form === "route" && selection.from !== null && selection.to === null;
    if (begun && selection.from !== host) this.select({ ...selection, to: host });
    else this.select({ form: "route", from: host, to: null });
  }

  /** The marks of the fabric, and one that was chosen in a table. */
  marks(): FabricMark[] {
    const { mark } = this.choice;
    const own = this.section.marks;
    return mark === null || own.includes(mark) ? own : [mark, ...own];
  }

  routing(number: number = this.choice.routing): Routing | undefined {
    return this.section.routings[number];
  }

  /** What colours the links of a picture that shows this routing. */
  load(routing: number = this.choice.routing): Load {
    const { measured, compared } = this.choice;
    if (measured !== null && compared === null) return this.measured[measured];
    return this.routes[routing] ?? nothingCarried;
  }

  /** The load of each channel at the chosen time. */
  values(routing: number = this.choice.routing): ArrayLike<number> {
    const load = this.load(routing);
    return load.values[Math.min(this.choice.time, load.values.length - 1)] ?? [];
  }

  /** The value that has the hottest colour: the same in pictures that are compared. */
  hottest(): number {
    const { compared } = this.choice;
    const own = this.load().hottest;
    return compared === null ? own : Math.max(own, this.load(compared).hottest);
  }

  /** The route between the two hosts that are chosen, if they are. */
  walk(routing: number): Walk | null {
    const { selection } = this.choice;
    if (selection.form !== "route" || selection.from === null || selection.to === null) return null;
    return this.tablesOf(routing)?.walk(selection.from, selection.to, this.following(routing)) ?? null;
  }

  following(routing: number): Following {
    return this.choice.following.get(routing) ?? {};
  }

  /** All hops that packets may take that start and take detours as the one that is followed. */
  fronts(routing: number, walk: Walk): Front[] {
    return this.tablesOf(routing)?.fronts(walk) ?? [];
  }

  tablesOf(number: number): RouteTables | null {
    const routing = this.routing(number);
    if (routing === undefined) return null;
    let tables = this.tables.get(number);
    if (tables === undefined) this.tables.set(number, (tables = new RouteTables(this.topology, routing)));
    return tables;
  }
}

const nothingCarried: Load = { name: "links", unit: "", factor: 1, times: [0], values: [[]], most: 0, hottest: 0 };
