// SPDX-License-Identifier: Apache-2.0
// What the names of kinds of operations mean to a time line. No document is needed.

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
