// SPDX-License-Identifier: Apache-2.0
// Controls of a route through tables with choices: the phase in which it starts, whether and where it takes a detour,
// its intermediate destination, and the candidates at each switch.
import { make } from "../../../elements";
import type { Candidate, ChoiceRoutes, Following, Trip } from "../choice_routes";
import type { Model } from "../model";
import { here, noPort, type Hop, type Walk } from "../routes";
import { counted } from "../words";
import { paragraph } from "./tables";

const rules = {
  any: "any",
  elsewhere: "none in the region of either end",
  between: "those on a shortest path",
  aligned: "those that keep the coordinates in which both ends agree",
  up_to_last: "any, none behind the last switch",
};

/** Changes what is followed in one routing. */
export class Followed {
  constructor(
    private readonly model: Model,
    private readonly routing: number,
    private readonly choices: ChoiceRoutes,
    private readonly walk: Walk,
  ) {}

  /** How the packet starts, its detour and where that leads; nothing where tables leave no such choice. */
  controls(): HTMLElement[] {
    const trip = this.walk.trip!;
    const parts = [this.startSelect(trip), this.detourSelect(trip), this.viaSelect(trip), this.drawButton(trip)];
    if (parts.every((part) => part === null)) return [];
    return [make("div", { class: "trip controls" }, ...parts), ...this.viaText(trip)];
  }

  /** Of the columns of hops. */
  heads(): string[] {
    return this.hasPhases() ? ["phase", "candidates"] : ["candidates"];
  }

  /** The phase of a hop, where there are several, and how many candidates it has. */
  cells(hop: Hop): (string | number)[] {
    const words = hop.outPort === here ? "here" : hop.outPort === noPort ? "none" : "";
    return [...(this.hasPhases() ? [this.choices.phaseName(hop.phase!)] : []), words || hop.candidates!.length];
  }

  /** A row below that of a hop with several candidates: a button for each; the one that is followed is pressed. */
  candidates(hop: Hop, number: number): HTMLTableRowElement[] {
    const all = hop.candidates!;
    if (all.length < 2) return [];
    const differ = (of: (candidate: Candidate) => unknown) => new Set(all.map(of)).size > 1;
    const shown = { lane: differ(({ lane }) => lane), phase: differ(({ phase }) => phase) };
    const isLess = ({ preference }: Candidate) => preference > all[0].preference;
    const buttons = all.map((candidate, i) => {
      const words = [
        `${candidate.port}`,
        shown.lane && candidate.channel >= 0 ? `lane ${candidate.lane ?? "?"}` : "",
        shown.phase ? this.choices.phaseName(candidate.phase) : "",
        isLess(candidate) ? "if others are taken" : "",
      ];
      const attributes = {
        type: "button",
        title: this.describe(hop, candidate),
        "aria-pressed": String(i === hop.followed),
        "data-test": "candidate",
        "data-key": `${this.routing} ${number} ${i}`,
        onclick: () => this.take(number, i),
      };
      return make("button", attributes, words.filter((word) => word !== "").join(", "));
    });
    const label = `candidates of hop ${number + 1}`;
    const box = make("div", { class: "candidates", role: "group", "aria-label": label }, "take port ", ...buttons);
    return [make("tr", {}, make("td"), make("td", { colspan: 4 + this.heads().length }, box))];
  }

  private hasPhases(): boolean {
    return this.choices.paths.phases.length > 1;
  }

  private describe({ at }: Hop, { port, lane, phase, preference, channel }: Candidate): string {
    const on = channel < 0 ? "" : `, lane ${lane ?? "unknown"}, phase ${this.choices.phaseName(phase)}`;
    const { topology } = this.model;
    return `port ${port} to ${topology.neighbourName(at, port)}${on}, preference ${preference}`;
  }

  /** What comes after a hop that changes is chosen anew. */
  private take(hop: number, candidate: number): void {
    this.change({ taken: [...this.taken().slice(0, hop), candidate] });
  }

  private goBy(via: number): void {
    this.change({ via, taken: this.taken().slice(0, this.walk.trip!.detour ?? 0) });
  }

  private taken(): number[] {
    return this.walk.hops.map(({ followed }) => followed!);
  }

  private change(change: Following): void {
    this.model.follow(this.routing, { ...this.model.following(this.routing), ...change });
  }

  private startSelect({ starts, start }: Trip): HTMLElement | null {
    if (starts.length < 2) return null;
    const options = starts.map((phase): [string, string] => [String(phase), this.choices.phaseName(phase)]);
    const chosen = (value: string) => this.model.follow(this.routing, { start: Number(value) });
    return this.select("starts as", "route-start", options, String(start), chosen);
  }

  private detourSelect({ detours, detour }: Trip): HTMLElement | null {
    if (detours.length === 0) return null;
    const { topology } = this.model;
    const at = detours.map((each): [string, string] => [String(each.hop), `at ${topology.switchName(each.at)}`]);
    const chosen = (value: string) => {
      const hop = value === "" ? undefined : Number(value);
      this.change({ detour: hop, via: undefined, taken: this.taken().slice(0, hop ?? detour ?? 0) });
    };
    return this.select("detour", "route-detour", [["", "none"], ...at], String(detour ?? ""), chosen);
  }

  private viaSelect({ drawn, via }: Trip): HTMLElement | null {
    if (drawn.length === 0) return null;
    const options = drawn.map((each): [string, string] => [String(each), this.choices.intermediateName(each)]);
    return this.select("by", "route-via", options, String(via), (value) => this.goBy(Number(value)));
  }

  private select(
    label: string,
    test: string,
    options: [string, string][],
    value: string,
    chosen: (value: string) => void,
  ): HTMLElement {
    const select = make("select", { "data-test": test, "data-key": `${this.routing} ${test}` });
    for (const [each, words] of options) select.append(make("option", { value: each }, words));
    select.value = value;
    select.addEventListener("change", () => chosen(select.value));
    return make("label", {}, make("span", {}, label), select);
  }

  private drawButton({ drawn, via }: Trip): HTMLElement | null {
    if (drawn.length < 2) return null;
    const others = drawn.filter((each) => each !== via);
    const draw = () => this.goBy(others[Math.floor(Math.random() * others.length)]);
    const attributes = { type: "button", "data-test": "route-draw", "data-key": `${this.routing} draw` };
    return make("button", { ...attributes, onclick: draw }, "draw another");
  }

  private viaText({ drawn, start, detour }: Trip): HTMLElement[] {
    const { intermediates, phases } = this.choices.paths;
    if (intermediates === undefined || (detour === null && !phases[start].to_intermediate)) return [];
    const allowed = `${counted(drawn.length, "intermediate destination")} of ${intermediates.columns.length}`;
    const words = drawn.length === 0 ? "no intermediate destination" : `${allowed}: ${rules[intermediates.rule]}`;
    return [paragraph(`The rule allows ${words}.`, "hint")];
  }
}
