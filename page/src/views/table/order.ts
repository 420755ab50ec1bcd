// SPDX-License-Identifier: Apache-2.0
// The order of cells: numbers as numbers, before words; cells without a value come last. No document is
// needed.
import type { Cell } from "../../data";

const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function rankOf(cell: Cell): number {
  if (cell === null || Number.isNaN(cell)) return 2;
  return typeof cell === "string" ? 1 : 0;
}

export function compareCells(a: Cell, b: Cell): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0 || rankOf(a) === 2) return byRank;
  return typeof a === "string" ? words.compare(a, b as string) : Number(a) - Number(b);
}

/** Rows by their cells; cells without a value stay last in either direction, equal ones in their order. */
export function sorted(rows: number[], cellOf: (row: number) => Cell, descending: boolean): number[] {
  const cells = rows.map((row) => ({ row, cell: cellOf(row) }));
  const sign = descending ? -1 : 1;
  cells.sort((a, b) => {
    const missing = Number(rankOf(a.cell) === 2) - Number(rankOf(b.cell) === 2);
    return missing || sign * compareCells(a.cell, b.cell);
  });
  return cells.map(({ row }) => row);
}
