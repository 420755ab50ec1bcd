// SPDX-License-Identifier: Apache-2.0
// The routes over the link that is selected: how many there are in each direction, and between which hosts.
import { make, type Child } from "../../../elements";
import { formatNumber } from "../../../number";
import { countCrossings, type Crossings, type RoutePairs } from "../crossings";
import type { Model } from "../model";
import { inSlices } from "../slices";
import { counted } from "../words";
import { nameButton, paragraph, row, table } from "./tables";

const mostPairs = 200;
const choicesHint = "Where a switch may take any of several ports, the first is followed.";
const manyChoices = "These tables leave choices: which packets cross the link depends on what switches choose.";
const tooLarge = "A page does not hold the tables of this routing: which routes cross the link is not known here.";

/** Counts the routes over one link at a time, and keeps the last result. */
export class CrossingsText {
  readonly element = make("div", { "data-test": "crossings", "aria-live": "polite" });
  private shown = "";
  private stop: () => void = () => {};

  constructor(private readonly model: Model) {}

  show(link: number): void {
    const { routing } = this.model.choice;
    const wanted = `${routing} ${link}`;
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.stop();
    const tables = this.model.tablesOf(routing);
    if (tables === null) return this.element.replaceChildren();
    if (tables.routing.paths === undefined) return this.write(paragraph(tooLarge, "hint"));
    if (tables.choices !== null) return this.write(paragraph(manyChoices, "hint"));
    this.element.dataset.state = "counting";
    this.write(paragraph("Counting the routes over it …", "hint"));
    this.stop = inSlices(countCrossings(tables, link, mostPairs), (crossings) => {
      this.element.dataset.state = "counted";
      this.write(...this.directions(link, crossings));
    });
  }

  private write(...parts: Child[]): void {
    const title = make("h3", {}, `Routes over it: ${this.model.routing()!.engine}`);
    this.element.replaceChildren(title, ...parts.filter((part) => part !== null));
  }

  private directions(link: number, crossings: Crossings): Child[] {
    const { paths } = this.model.routing()!;
    const hasChoices = paths?.form === "source" && paths.port_groups.length > 0;
    return [
      ...crossings.flatMap((pairs, direction) => this.direction(2 * link + direction, pairs)),
      hasChoices ? paragraph(choicesHint, "hint") : null,
    ];
  }

  private direction(channel: number, pairs: RoutePairs): HTMLElement[] {
    const { topology } = this.model;
    const attributes = { "data-test": "crossing-count", "data-count": pairs.count };
    const heading = make("h4", attributes, `${topology.channelName(channel)}: ${counted(pairs.count, "route")}`);
    if (pairs.count === 0) return [heading];
    const rest = pairs.count - pairs.first.length;
    const words = `The first ${formatNumber(pairs.first.length)} of ${formatNumber(pairs.count)} routes.`;
    const box = table(["from host", "routes", "to hosts"], this.sources(pairs, rest > 0), "crossing-pairs");
    box.classList.add("long");
    return [heading, ...(rest > 0 ? [paragraph(words, "hint")] : []), box];
  }

  /** A row for each source; the last may not be whole where pairs are left out. */
  private sources({ first }: RoutePairs, isCut: boolean): HTMLTableRowElement[] {
    const { topology } = this.model;
    const destinations = new Map<number, number[]>();
    for (const { from, to } of first) destinations.set(from, [...(destinations.get(from) ?? []), to]);
    const last = first[first.length - 1].from;
    return [...destinations].map(([from, all]) => {
      const names = all.flatMap((to) => [
        nameButton(topology.hostName(to), () => this.model.select({ form: "route", from, to }), "crossing"),
        " ",
      ]);
      const count = isCut && from === last ? `${all.length} or more` : all.length;
      return row([topology.hostName(from), count, make("span", { class: "names" }, ...names)]);
    });
  }
}
