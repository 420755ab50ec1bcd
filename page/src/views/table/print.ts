// SPDX-License-Identifier: Apache-2.0
// Tables that are wider than paper: blocks of columns below each other, each with the first column, or with numbers
// of rows.
import { make } from "../../elements";

/** A table as text. */
export interface TextTable {
  heads: string[];
  rows: string[][];
  numeric: boolean[]; // by column
}

// About, in pixels, for the type that paper has.
const paperWidth = 690;
const letterWidth = 5.8;
const padding = 9; // of a cell
const mostLetters = 26; // longer texts are broken

/** Names break after underscores. */
const piecesOf = (name: string) => name.split(/(?<=[_ ])/);

function lettersOf({ heads, rows, numeric }: TextTable, column: number): number {
  const pieces = piecesOf(heads[column]).map((piece) => piece.length);
  const texts = rows.map((row) => (row[column] ?? "").length);
  const widest = Math.max(1, ...pieces, ...texts);
  return numeric[column] ? widest : Math.min(mostLetters, widest);
}

/** With numbers of rows before it, where its first column does not tell rows apart. */
export function identified(table: TextTable): TextTable {
  const { heads, rows, numeric } = table;
  if (new Set(rows.map((row) => row[0])).size === rows.length) return table;
  const numbered = rows.map((row, i) => [String(i + 1), ...row]);
  return { heads: ["row", ...heads], rows: numbered, numeric: [true, ...numeric] };
}

/** Columns of each block; the first column is in all of them. */
export function columnBlocks(table: TextTable): number[][] {
  const widths = table.heads.map((_, i) => padding + letterWidth * lettersOf(table, i));
  const blocks: number[][] = [];
  let used = Infinity;
  for (let column = 1; column < widths.length; ++column) {
    if (used + widths[column] > paperWidth) {
      blocks.push([0]);
      used = widths[0];
    }
    blocks[blocks.length - 1].push(column);
    used += widths[column];
  }
  return blocks.length > 0 ? blocks : [[0]];
}

function headOf(name: string, isNumber: boolean): HTMLElement {
  const attributes = { scope: "col", class: isNumber ? "number" : "" };
  return make("th", attributes, ...piecesOf(name).flatMap((piece) => [piece, make("wbr")]));
}

function blockOf({ heads, rows, numeric }: TextTable, columns: number[]): HTMLElement {
  const kindOf = (text: string, column: number) => {
    if (numeric[column]) return "number";
    return text.length > mostLetters ? "long" : "";
  };
  const cell = (text: string, column: number) => make("td", { class: kindOf(text, column) }, text);
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...columns.map((column) => headOf(heads[column], numeric[column])))),
    make(
      "tbody",
      {},
      ...rows.map((row) => make("tr", {}, ...columns.map((column) => cell(row[column] ?? "", column)))),
    ),
  );
}

/** None where paper has room for the table as it is. */
function blocksOf(table: TextTable): HTMLElement[] {
  if (columnBlocks(table).length === 1) return [];
  const wide = identified(table);
  return columnBlocks(wide).map((columns) => blockOf(wide, columns));
}

/** Stands before the box of a table, which it replaces on paper where that is too narrow; empty until then. */
export function printedBlocks(tableNow: () => TextTable): HTMLElement {
  const place = make("div", { class: "table-printed", "aria-hidden": "true", "data-test": "printed" });
  matchMedia("print").addEventListener("change", ({ matches }) => {
    place.replaceChildren(...(matches ? blocksOf(tableNow()) : []));
  });
  return place;
}
