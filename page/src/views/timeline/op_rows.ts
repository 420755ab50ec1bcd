// SPDX-License-Identifier: Apache-2.0
// Gives operations of a rank that overlap in time rows of their own, and finds the
// operations that messages begin and end at. No document is needed.
import type { TimelineSection } from "../../data";
import { isCompute, isReceive } from "./kinds";
import type { TimelineIndex } from "./span_index";

export const mostRows = 8; // of a rank; what is more is stacked in the last one

export interface OpRows {
  row: Uint8Array; // by operation
  crowded: Uint8Array; // by operation: 1 where another one of its row overlaps it
  count: Uint8Array; // rows by rank, at least 1
}

/** The rows of one rank while they fill up. */
class RankRows {
  private readonly end: number[] = []; // by row: the latest end so far
  private readonly last: number[] = []; // by row: the operation that began last

  constructor(
    private readonly section: TimelineSection,
    private readonly rows: OpRows,
  ) {}

  get count(): number {
    return Math.max(1, this.end.length);
  }

  isFree(row: number, op: number): boolean {
    return (this.end[row] ?? -Infinity) <= this.section.ops.begin[op];
  }

  put(op: number, row: number): void {
    const { begin, end } = this.section.ops;
    const { crowded } = this.rows;
    this.rows.row[op] = row;
    const last = this.last[row];
    if (!this.isFree(row, op)) crowded[op] = 1;
    if (last !== undefined && end[last] > begin[op]) crowded[last] = 1;
    this.end[row] = Math.max(this.end[row] ?? -Infinity, end[op]);
    this.last[row] = op;
  }
}

/** Puts the operations of a rank, in the order of their begins, into the first row that is free. Computing
 * has the first row; others are there only while nothing computes. */
function fillRank(section: TimelineSection, rows: OpRows, order: Uint32Array): number {
  const { begin, end, kind } = section.ops;
  const compute = order.filter((op) => isCompute(section.kinds[kind[op]]));
  const filled = new RankRows(section, rows);
  let next = 0; // of those that compute, the first that has not ended
  let computed = 0; // of those that compute, how many are in their row
  for (const op of order) {
    if (computed < compute.length && compute[computed] === op) {
      filled.put(op, 0);
      ++computed;
      continue;
    }
    while (next < compute.length && end[compute[next]] <= begin[op]) ++next;
    const computes = next < compute.length && begin[compute[next]] < end[op];
    let row = computes ? 1 : 0;
    while (row < mostRows - 1 && !filled.isFree(row, op)) ++row;
    filled.put(op, row);
  }
  return filled.count;
}

export function assignRows(section: TimelineSection, index: TimelineIndex): OpRows {
  const ops = section.ops.rank.length;
  const rows: OpRows = {
    row: new Uint8Array(ops),
    crowded: new Uint8Array(ops),
    count: new Uint8Array(section.ranks.length),
  };
  for (let rank = 0; rank < section.ranks.length; ++rank)
    rows.count[rank] = fillRank(section, rows, index.opsOf(rank));
  return rows;
}

/** By message: the operation that sends it and the one that receives it; -1 where there is none. */
export interface MessageOps {
  send: Int32Array;
  receive: Int32Array;
}

export function findMessageOps({ ops, messages, kinds, ranks }: TimelineSection): MessageOps {
  const pairs = (one: number[], other: number[]) => (i: number) => one[i] * ranks.length + other[i];
  const lookUp = (receives: boolean, times: number[]) => {
    const found = new Map<number, Map<number, number>>(); // by both ranks, then time
    const pairOf = pairs(ops.rank, ops.peer);
    ops.peer.forEach((peer, op) => {
      if (peer < 0 || isReceive(kinds[ops.kind[op]]) !== receives) return;
      const pair = pairOf(op);
      if (!found.has(pair)) found.set(pair, new Map());
      found.get(pair)!.set(times[op], op);
    });
    return (pair: number, time: number) => found.get(pair)?.get(time) ?? -1;
  };
  const sender = lookUp(false, ops.begin);
  const receiver = lookUp(true, ops.end);
  const there = pairs(messages.from, messages.to);
  const back = pairs(messages.to, messages.from);
  return {
    send: Int32Array.from(messages.sent, (time, i) => sender(there(i), time)),
    receive: Int32Array.from(messages.received, (time, i) => receiver(back(i), time)),
  };
}
