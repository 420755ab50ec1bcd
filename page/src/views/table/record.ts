// SPDX-License-Identifier: Apache-2.0
// The only row of a table as a list of names and values, which has room where its columns would not.
import { make } from "../../elements";
import { nothing } from "../../number";
import type { TableModel } from "./model";
import type { ShownColumn } from "./table";

const leastColumns = 9; // fewer have room beside each other
const longText = 28; // letters, of values that have a line to themselves

export function isRecord(columns: ShownColumn[], rows: number): boolean {
  return rows === 1 && columns.length >= leastColumns;
}

/** All values of the first row; those that are missing are named in a sentence. */
export function makeRecord(columns: ShownColumn[], model: TableModel, rowClass: string): HTMLElement {
  const missing: string[] = [];
  const list = make("dl", { class: `record ${rowClass}`, "data-test": "record" });
  for (const [i, column] of columns.entries()) {
    const cell = column.cell(0);
    const text = model.facts[i].format(cell);
    if (text === "" || text === nothing) {
      missing.push(column.name);
      continue;
    }
    const unit = column.unit === "" ? null : make("span", { class: "unit" }, ` ${column.unit}`);
    const name = make("dt", { title: column.meaning || undefined }, column.name);
    const value = make("dd", {}, column.draw?.(cell, text) ?? text, unit);
    const isLong = text.length > longText;
    list.append(make("div", { class: isLong ? "long" : "", "data-column": column.name }, name, value));
  }
  const words = `Without a value: ${missing.join(", ")}`;
  const rest = missing.length > 0 ? make("p", { class: "missing", "data-test": "missing" }, words) : null;
  return make("div", {}, list, rest);
}
