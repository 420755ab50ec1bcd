// SPDX-License-Identifier: Apache-2.0
// The columns of operations, in a table and in a file. No document is needed.
import type { Cell } from "../../data";
import type { TableColumn } from "../table/model";
import type { TimelineScene } from "./scene";
import { callName, rankName } from "./words";

export const timePlaces = 3; // of us: to the nanosecond

export function opColumns({ section, index }: TimelineScene): TableColumn[] {
  const { rank, kind, begin, end, peer, bytes } = section.ops;
  const { calls } = section;
  const column = (name: string, unit: string, meaning: string, cell: (op: number) => Cell): TableColumn => {
    return { name, unit, meaning, cell, places: unit === "us" ? timePlaces : undefined };
  };
  let callOf: Int32Array | null = null; // by operation, found when it is first asked for
  const ofCall = (of: (call: number) => Cell) => (op: number) => {
    callOf ??= Int32Array.from(rank, (_, each) => index.callOf(each));
    return callOf[op] < 0 ? null : of(callOf[op]);
  };
  const columns = [
    column("rank", "", "", (op) => rankName(section, rank[op])),
    column("host", "", "where the rank is", (op) => section.ranks[rank[op]].host),
    column("operation", "", "its kind", (op) => section.kinds[kind[op]]),
    column("begin", "us", "", (op) => begin[op]),
    column("end", "us", "", (op) => end[op]),
    column("takes", "us", "", (op) => Math.round((end[op] - begin[op]) * 1e6) / 1e6),
    column("peer", "", "the other rank", (op) => (peer[op] >= 0 ? rankName(section, peer[op]) : null)),
    column("bytes", "B", "of the message", (op) => bytes[op]),
  ];
  if (calls === undefined) return columns;
  return [
    ...columns,
    column("call", "", "what it is part of", ofCall((call) => callName(section, call))),
    column("call_begin", "us", "of what it is part of", ofCall((call) => calls.begin[call])),
    column("call_end", "us", "of what it is part of", ofCall((call) => calls.end[call])),
  ];
}
