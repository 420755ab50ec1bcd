// SPDX-License-Identifier: Apache-2.0
// Which intermediate destinations packets between two switches may draw (IntermediateRule in
// src/fabric/choice_tables.hpp). Pure functions.
import type { Intermediates } from "../../data";
import type { Topology } from "./topology";

export class IntermediateDraws {
  private readonly links = new Map<number, Int32Array>();

  /**
   * `ends`: by intermediate destination, the switches that it is at; `passes`: whether the way to one, from a switch,
   * leads by another (rule up_to_last).
   */
  constructor(
    private readonly topology: Topology,
    private readonly all: Intermediates,
    private readonly ends: number[][],
    private readonly passes: (via: number, first: number, last: number) => boolean,
  ) {}

  /** The numbers of those that may be drawn: all of their switches are as the rule wants them. */
  drawn(first: number, last: number): number[] {
    const numbers = [...this.ends.keys()].filter((i) => this.ends[i].length > 0);
    const drawn = numbers.filter((i) => this.ends[i].every((at) => this.obeys(at, first, last)));
    if (this.all.rule !== "up_to_last" || !drawn.some((i) => this.ends[i].includes(last))) return drawn;
    return drawn.filter((i) => this.ends[i].includes(last) || !this.passes(i, first, last));
  }

  /** Those of packets that decide on a detour: they take none within their region, nor to one that is in it. */
  detours(first: number, last: number): number[] {
    const region = this.region(first);
    if (region === null) return this.drawn(first, last);
    if (region === this.region(last)) return [];
    return this.drawn(first, last).filter((i) => this.ends[i].every((at) => this.region(at) !== region));
  }

  private obeys(at: number, first: number, last: number): boolean {
    switch (this.all.rule) {
      case "any":
      case "up_to_last":
        return true;
      case "elsewhere":
        return this.region(at) !== this.region(first) && this.region(at) !== this.region(last);
      case "between":
        return this.from(first)[at] + this.from(last)[at] === this.from(first)[last];
      case "aligned": {
        const [a, b, c] = [first, last, at].map((each) => this.all.at?.[each] ?? []);
        return a.every((place, d) => place !== b[d] || place === c[d]);
      }
    }
  }

  /** null: the rule tells no regions apart. */
  private region(at: number): number | null {
    const { rule, region } = this.all;
    return rule === "elsewhere" ? (region?.[at] ?? at) : null;
  }

  /** Links from a switch to every other. */
  private from(first: number): Int32Array {
    let links = this.links.get(first);
    if (links === undefined) this.links.set(first, (links = this.topology.distances(first)));
    return links;
  }
}
