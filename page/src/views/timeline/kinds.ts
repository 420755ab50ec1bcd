// SPDX-License-Identifier: Apache-2.0
// What the names of kinds of operations mean to a time line, and their colours, which are the same on all pages. No
// document is needed.
import type { Colours } from "../../context";
import { between } from "../../mix";

export const isCompute = (kind: string) => /^comput/i.test(kind);
export const isReceive = (kind: string) => /recv|receive/i.test(kind);
const isSend = (kind: string) => /send|put/i.test(kind);

/** What stands between a kind and its peer: "recv from rank 2". */
export function towards(kind: string): string {
  if (isReceive(kind)) return "from";
  return isSend(kind) ? "to" : "with";
}

/** Of operations at the same place, the most important one is on top. */
export function importance(kind: string): number {
  if (isCompute(kind)) return 2;
  return isReceive(kind) ? 0 : 1;
}

/** A colour of the palette, and whether it is turned towards ink or paper. */
type Hue = [series: number, turned?: "ink" | "paper"];

const hues: Record<string, Hue> = {
  compute: [0],
  dma: [0, "paper"],
  recv: [1],
  send: [2],
  put: [3],
  notice: [3, "paper"],
  multicast: [4],
  "set event": [4, "ink"],
  get: [6],
  store: [6, "ink"],
  "wait event": [7],
  until: [7, "paper"],
  sleep: [7, "ink"],
};
/** For kinds that are not known, in this order. */
const others: Hue[] = [[5], [5, "paper"], [2, "ink"], [1, "ink"], [0, "ink"], [3, "ink"], [4, "paper"], [6, "paper"]];

function hueColour([series, turned]: Hue, colours: Colours): string {
  const pure = colours.series[series % colours.series.length];
  return turned === undefined ? pure : between(pure, colours[turned], 0.4);
}

/** What is open at the end of a run: "recv, not ended". */
const isOpen = (kind: string) => kind.endsWith(", not ended");

/** The colours of kinds, in their order. */
export function kindColours(kinds: string[], colours: Colours): string[] {
  const unknown = kinds.filter((kind) => !Object.hasOwn(hues, kind));
  return kinds.map((kind) => {
    if (isOpen(kind)) return colours.bad;
    const hue = Object.hasOwn(hues, kind) ? hues[kind] : others[unknown.indexOf(kind) % others.length];
    return hueColour(hue, colours);
  });
}
