// SPDX-License-Identifier: Apache-2.0
// Operations, messages and steps of the critical path in words. No document is needed.
import type { TimelineSection } from "../../data";
import { exactBytes, formatBytes, formatNumber } from "../../number";
import { towards } from "./kinds";

export const us = (time: number) => `${formatNumber(time, 7)} us`;

export function rankName(section: TimelineSection, rank: number): string {
  return section.ranks[rank]?.name ?? `rank ${rank}`;
}

/** In a sentence: a name that is only a number needs a word before it. */
export function spokenRank(section: TimelineSection, rank: number): string {
  const name = rankName(section, rank);
  return /^\d+$/.test(name) ? `rank ${name}` : name;
}

export function rankWithHost(section: TimelineSection, rank: number): string {
  const host = section.ranks[rank]?.host ?? "";
  return host === "" ? spokenRank(section, rank) : `${spokenRank(section, rank)} on ${host}`;
}

/** What it does, and with whom: "send to rank 3". */
function kindWithPeer(section: TimelineSection, op: number): string {
  const { kind, peer } = section.ops;
  const name = section.kinds[kind[op]];
  return peer[op] >= 0 ? `${name} ${towards(name)} ${spokenRank(section, peer[op])}` : name;
}

/** For inside its bar: "send to rank 3, 64 KiB". */
export function shortWords(section: TimelineSection, op: number): string {
  const bytes = section.ops.bytes[op];
  const words = kindWithPeer(section, op);
  return bytes > 0 ? `${words}, ${formatBytes(bytes)}` : words;
}

export function describeOp(section: TimelineSection, op: number): string {
  const { rank, begin, end, bytes } = section.ops;
  const size = bytes[op] > 0 ? `, ${exactBytes(bytes[op])}` : "";
  const times = `${us(begin[op])} to ${us(end[op])}, which takes ${us(end[op] - begin[op])}`;
  return `${rankWithHost(section, rank[op])}: ${kindWithPeer(section, op)}${size}; ${times}`;
}

export function describeMessage(section: TimelineSection, message: number): string {
  const { from, to, sent, received, bytes } = section.messages;
  const [sender, receiver] = [from[message], to[message]].map((rank) => rankWithHost(section, rank));
  const times = `sent at ${us(sent[message])}, received at ${us(received[message])}`;
  const later = us(received[message] - sent[message]);
  return `message from ${sender} to ${receiver}, ${exactBytes(bytes[message])}: ${times}, ${later} later`;
}

export function callName({ calls }: TimelineSection, call: number): string {
  return calls === undefined ? "" : calls.names[calls.name[call]];
}

/** Its name and when: "MPI_Bcast, 2 us to 5 us". */
function callWithTimes(section: TimelineSection, call: number): string {
  const { begin, end } = section.calls!;
  return `${callName(section, call)}, ${us(begin[call])} to ${us(end[call])}`;
}

/** What an operation is part of; call -1: nothing. */
export function partOf(section: TimelineSection, call: number): string {
  return call < 0 ? "" : `; part of ${callWithTimes(section, call)}`;
}

export function describeCall(section: TimelineSection, call: number): string {
  const { rank, begin, end } = section.calls!;
  const takes = us(end[call] - begin[call]);
  return `${rankWithHost(section, rank[call])}: ${callWithTimes(section, call)}, which takes ${takes}`;
}
