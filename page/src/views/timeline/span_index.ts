// SPDX-License-Identifier: Apache-2.0
// Finds what of a time line lies within a span of time, quickly however much there is. No document is needed.
import type { TimelineSection } from "../../data";

/** Spans of a rank in the order of their begins, of equal ones the longest first; with the latest end so far,
 * which only grows. */
interface SortedSpans {
  order: Uint32Array;
  latest: Float64Array;
}

function sortSpans(items: Uint32Array, begin: number[], end: number[]): SortedSpans {
  const order = items.sort((a, b) => begin[a] - begin[b] || end[b] - end[a]);
  const latest = new Float64Array(order.length);
  let most = -Infinity;
  for (let i = 0; i < order.length; ++i) latest[i] = most = Math.max(most, end[order[i]]);
  return { order, latest };
}

/** The spans of each rank. */
function spansByRank(ranks: number, rank: number[], begin: number[], end: number[]): SortedSpans[] {
  const counts = new Uint32Array(ranks);
  for (const each of rank) ++counts[each];
  const items = Array.from(counts, (count) => new Uint32Array(count));
  const filled = new Uint32Array(ranks);
  for (let i = 0; i < rank.length; ++i) items[rank[i]][filled[rank[i]]++] = i;
  return items.map((each) => sortSpans(each, begin, end));
}

const latestOf = ({ latest }: SortedSpans) => latest[latest.length - 1] ?? -Infinity;

/** The first index of 0…count at which a condition holds that then goes on to hold. */
export function firstWhere(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class TimelineIndex {
  readonly begin: number;
  readonly end: number;
  private readonly ranks: SortedSpans[];
  private readonly messages: SortedSpans;
  private readonly calls: SortedSpans[];

  constructor(private readonly section: TimelineSection) {
    const { ops, messages, ranks, calls } = section;
    this.ranks = spansByRank(ranks.length, ops.rank, ops.begin, ops.end);
    const all = Uint32Array.from(messages.from.keys());
    this.messages = sortSpans(all, messages.sent, messages.received);
    this.calls = calls === undefined ? [] : spansByRank(ranks.length, calls.rank, calls.begin, calls.end);
    const spans = [...this.ranks, this.messages, ...this.calls];
    this.end = spans.reduce((most, each) => Math.max(most, latestOf(each)), 0);
    const firsts = this.ranks.filter((spans) => spans.order.length > 0).map(({ order }) => ops.begin[order[0]]);
    this.begin = section.from ?? Math.min(0, ...firsts);
    if (this.end <= this.begin) this.end = this.begin + 1;
  }

  /** The operations of a rank, in the order of their begins. */
  opsOf(rank: number): Uint32Array {
    return this.ranks[rank].order;
  }

  /** Calls back with each operation of a rank that touches a span of time, in order. */
  eachOp(rank: number, from: number, to: number, visit: (op: number) => void): void {
    const { begin, end } = this.section.ops;
    visitWithin(this.ranks[rank], begin, end, from, to, visit);
  }

  eachMessage(from: number, to: number, visit: (message: number) => void): void {
    const { sent, received } = this.section.messages;
    visitWithin(this.messages, sent, received, from, to, visit);
  }

  eachCall(rank: number, from: number, to: number, visit: (call: number) => void): void {
    const { calls } = this.section;
    if (calls !== undefined) visitWithin(this.calls[rank], calls.begin, calls.end, from, to, visit);
  }

  /** The call that an operation began in, the innermost; -1: none. */
  callOf(op: number): number {
    const { ops, calls } = this.section;
    const at = ops.begin[op];
    let found = -1;
    this.eachCall(ops.rank[op], at, at, (call) => {
      const ends = calls!.end[call] === at && calls!.begin[call] < at; // and the next one begins
      if (!ends) found = call;
    });
    return found;
  }

  /** The operation of a rank so many after (or before) another; null: there is none. */
  neighbour(op: number, by: number): number | null {
    const { order } = this.ranks[this.section.ops.rank[op]];
    const next = order.indexOf(op) + by;
    return next >= 0 && next < order.length ? order[next] : null;
  }
}

function visitWithin(
  spans: SortedSpans,
  begin: number[],
  end: number[],
  from: number,
  to: number,
  visit: (item: number) => void,
): void {
  const { order, latest } = spans;
  for (let i = firstWhere(order.length, (at) => latest[at] >= from); i < order.length; ++i) {
    const item = order[i];
    if (begin[item] > to) return;
    if (end[item] >= from) visit(item);
  }
}
