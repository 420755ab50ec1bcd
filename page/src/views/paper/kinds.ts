// SPDX-License-Identifier: Apache-2.0
// Kinds of answers to a paper and what they mean, and how deviations are judged. No document is needed.
import type { PaperRow, PaperSection } from "../../data";

/** As `weft paper` explains them. */
const meanings: Record<string, string> = {
  prediction: "a number that neither calibrated anything nor follows from such a number",
  derived: "follows from a calibrated or predicted number by arithmetic",
  "worked example": "exact by construction or definition",
  claim: "holds or does not",
  check: "can fail only by a bug",
  ours: "not in the paper",
  cal: "calibration: a number that the cluster was tuned to, so it is no prediction",
};

export function meaningOf(kind: string): string {
  return meanings[kind] ?? "";
}

/** The kinds that a paper has, in the order above, with the number of their answers. */
export function kindsOf(section: PaperSection): { kind: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const table of section.tables)
    for (const { kind } of table.rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const known = Object.keys(meanings).filter((kind) => counts.has(kind));
  const others = [...counts.keys()].filter((kind) => !(kind in meanings));
  return [...known, ...others].map((kind) => ({ kind, count: counts.get(kind) ?? 0 }));
}

export type Judgement = "good" | "warning" | "bad";

/** By how large a deviation is, in percent. */
export function judgeDeviation(percent: number): Judgement {
  const size = Math.abs(percent);
  if (size <= 10) return "good";
  return size <= 25 ? "warning" : "bad";
}

/** A number that was tuned to is not judged; what is not judged yet is open. */
export function describeMet({ met, kind }: PaperRow): string {
  if (met === null) return kind === "cal" ? "calibration" : "open";
  return met ? "met" : "not met";
}
