// SPDX-License-Identifier: Apache-2.0
// The numbers of a chart as a plain table of the document.
import { make } from "../../elements";
import { columnFormat, formatCell } from "../../number";
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
  const body = rows.map((row) =>
    make(
      "tr",
      {},
      ...row.map((cell, i) =>
        typeof cell === "number"
          ? make("td", { class: "number" }, formats[i](cell))
          : make("td", {}, formatCell(cell)),
      ),
    ),
  );
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": "numbers" }, table);
}
