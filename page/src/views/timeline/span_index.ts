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

  constructor(private readonly section: TimelineSection) {
    const { ops, messages, ranks } = section;
    const counts = new Uint32Array(ranks.length);
    for (const rank of ops.rank) ++counts[rank];
    const items = Array.from(counts, (count) => new Uint32Array(count));
    const filled = new Uint32Array(ranks.length);
    for (let i = 0; i < ops.rank.length; ++i) items[ops.rank[i]][filled[ops.rank[i]]++] = i;
    this.ranks = items.map((each) => sortSpans(each, ops.begin, ops.end));
    const all = Uint32Array.from(messages.from.keys());
    this.messages = sortSpans(all, messages.sent, messages.received);
    const ends = [...this.ranks, this.messages].filter((spans) => spans.order.length > 0);
    this.end = ends.reduce((most, { latest }) => Math.max(most, latest[latest.length - 1]), 0);
    this.begin = Math.min(
      0,
      ...this.ranks.filter((spans) => spans.order.length > 0).map(({ order }) => ops.begin[order[0]]),
    );
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
