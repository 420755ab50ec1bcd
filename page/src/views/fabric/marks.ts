// SPDX-License-Identifier: Apache-2.0
// How marks are drawn: each in its colour, and those of the same colour by different lines.
import type { Colours } from "../../context";
import type { FabricMark } from "../../data";
import { makeSvg } from "./svg";
import { counted } from "./words";

/** Lengths of dashes and gaps in turn; none: a whole line. */
export type Dashes = readonly number[];

const patterns: Dashes[] = [[], [7, 5], [2, 4], [11, 4, 2, 4]];

/** The line of a mark among others. */
export function dashesOf(mark: FabricMark, all: FabricMark[]): Dashes {
  const alike = all.filter((each) => each.colour === mark.colour && each.links.length > 0);
  return patterns[Math.max(0, alike.indexOf(mark)) % patterns.length];
}

/** Whether there is anything to draw. */
export function isSeen({ switches, links, hosts }: FabricMark): boolean {
  return switches.length + links.length + hosts.length > 0;
}

/** "2 switches, 1 link" */
export function sizeOf(mark: FabricMark): string {
  const sizes = [
    mark.switches.length > 0 ? counted(mark.switches.length, "switch", "switches") : "",
    mark.links.length > 0 ? counted(mark.links.length, "link") : "",
    mark.hosts.length > 0 ? counted(mark.hosts.length, "host") : "",
  ];
  return sizes.filter((size) => size !== "").join(", ") || "nothing";
}

/** A short line, or a dot where the mark has no links, for legends. */
export function sampleOf(mark: FabricMark, all: FabricMark[], colours: Colours): SVGSVGElement {
  const shape =
    mark.links.length > 0
      ? { d: "M1 6H27", "stroke-width": 3, "stroke-dasharray": dashesOf(mark, all).join(" ") || undefined }
      : { d: "M14 6h0", "stroke-width": 10, "stroke-linecap": "round" };
  const path = makeSvg("path", { ...shape, stroke: colours[mark.colour] });
  return makeSvg("svg", { width: 28, height: 12, viewBox: "0 0 28 12", "aria-hidden": "true" }, path);
}
