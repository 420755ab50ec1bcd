// SPDX-License-Identifier: Apache-2.0
// The numbers of a chart as a plain table of the document.
import { make } from "../../elements";
import { columnFormat, formatCell } from "../../number";
import { printedBlocks } from "../table/print";
import type { NumberTable } from "./numbers";

export function numberTable({ header, rows }: NumberTable): HTMLElement {
  const formats = header.map((_, i) =>
    columnFormat(rows.map((row) => row[i]).filter((cell) => typeof cell === "number")),
  );
  const head = make(
    "tr",
    {},
    ...header.map((name, i) => make("th", { scope: "col", class: i > 0 ? "number" : "" }, name)),
  );
  const texts = rows.map((row) =>
    row.map((cell, i) => (typeof cell === "number" ? formats[i](cell) : formatCell(cell))),
  );
  const body = texts.map((row, r) =>
    make(
      "tr",
      {},
      ...row.map((text, i) => make("td", { class: typeof rows[r][i] === "number" ? "number" : "" }, text)),
    ),
  );
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  const printed = printedBlocks(() => ({ heads: header, rows: texts, numeric: header.map((_, i) => i > 0) }));
  const box = make("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": "numbers" }, table);
  return make("div", {}, printed, box);
}
