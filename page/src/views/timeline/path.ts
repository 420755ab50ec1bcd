// SPDX-License-Identifier: Apache-2.0
// The critical path of a time line: the operations that its steps run through, and its steps in words. No
// document is needed.
import type { TimelinePath, TimelineSection } from "../../data";
import { exactBytes, formatFixed, formatTime } from "../../number";
import { isCompute } from "./kinds";
import type { MessageOps } from "./op_rows";
import type { TimelineIndex } from "./span_index";
import { spokenRank, us } from "./words";

/** By step: the operation that it begins in, and the one that it ends in; -1: none. */
export interface PathOps {
  from: Int32Array;
  to: Int32Array;
}

/** The shortest operation around the middle of a step; for computing one that computes. */
function opAround(section: TimelineSection, path: TimelinePath, index: TimelineIndex, step: number): number {
  const { ops, kinds } = section;
  const middle = (path.begin[step] + path.end[step]) / 2;
  const computes = isCompute(path.parts[path.part[step]]);
  let best = -1;
  let least = Infinity;
  index.eachOp(path.rank[step], middle, middle, (op) => {
    const suits = isCompute(kinds[ops.kind[op]]) === computes;
    const length = ops.end[op] - ops.begin[op] + (suits ? 0 : 1e15);
    if (length < least) [best, least] = [op, length];
  });
  return best;
}

export function findPathOps(section: TimelineSection, index: TimelineIndex, ends: MessageOps): PathOps {
  const { path, messages } = section;
  const count = path?.rank.length ?? 0;
  const found: PathOps = { from: new Int32Array(count), to: new Int32Array(count) };
  if (path === undefined) return found;
  const endAt = (message: number, rank: number) =>
    messages.from[message] === rank ? ends.send[message] : ends.receive[message];
  for (let step = 0; step < count; ++step) {
    const message = path.message[step];
    if (path.peer[step] < 0) found.from[step] = found.to[step] = opAround(section, path, index, step);
    else if (message < 0) found.from[step] = found.to[step] = -1;
    else {
      found.from[step] = endAt(message, path.rank[step]);
      found.to[step] = endAt(message, path.to[step]);
    }
  }
  return found;
}

const hasData = (part: string) => part === "message" || part === "read";

/** Within a table: "message to rank 3"; "compute". */
export function stepWords(section: TimelineSection, path: TimelinePath, step: number): string {
  const part = path.parts[path.part[step]];
  if (path.peer[step] < 0) return part;
  const peer = spokenRank(section, path.peer[step]);
  if (part === "read") return `message read from ${peer}`;
  const returns = hasData(part) && path.to[step] === path.rank[step] && path.peer[step] !== path.rank[step];
  return `${part} to ${peer}${returns ? ", until it is acknowledged" : ""}`;
}

export function describeStep(section: TimelineSection, path: TimelinePath, step: number): string {
  const { begin, end, rank, bytes } = path;
  const size = bytes[step] > 0 ? `, ${exactBytes(bytes[step])}` : "";
  const times = `${us(begin[step])} to ${us(end[step])}, which takes ${us(end[step] - begin[step])}`;
  const where = spokenRank(section, rank[step]);
  return `${path.title}, step ${step + 1}, ${where}: ${stepWords(section, path, step)}${size}; ${times}`;
}

/** Its length, how much of it is here, and what it is made of. */
export function pathSentence(path: TimelinePath): string {
  const own = new Map<string, number>();
  let travels = 0;
  let messages = 0;
  for (let step = 0; step < path.rank.length; ++step) {
    const part = path.parts[path.part[step]];
    const time = path.end[step] - path.begin[step];
    if (path.peer[step] < 0) own.set(part, (own.get(part) ?? 0) + time);
    else travels += time;
    if (hasData(part)) ++messages;
  }
  const here = path.end[path.end.length - 1] - path.begin[0];
  const share = (time: number) => `${formatFixed(here > 0 ? (100 * time) / here : 0, 1)} %`;
  const words = path.parts
    .map((part) => `${share(own.get(part) ?? 0)} ${part}`)
    .filter((each) => !each.startsWith("0.0"));
  if (travels > 0 || messages > 0)
    words.push(`${share(travels)} in ${messages} message${messages === 1 ? "" : "s"}`);
  const isCut = here < path.length * (1 - 1e-9);
  const length = isCut
    ? `${formatTime(here)} of its ${formatTime(path.length)} are here`
    : formatTime(path.length);
  return `The ${path.title}, ${length}: ${words.join(", ")}.`;
}
