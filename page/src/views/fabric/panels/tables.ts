// SPDX-License-Identifier: Apache-2.0
// Small tables and lists of facts of the panels.
import { make, type Child } from "../../../elements";

/** A table that scrolls inside its box. */
export function table(heads: string[], rows: HTMLTableRowElement[], test?: string): HTMLElement {
  return make(
    "div",
    { class: "table-box" },
    make(
      "table",
      { "data-test": test },
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, ...rows),
    ),
  );
}

/** Cells; numbers stand to the right. */
export function row(cells: (Child | number)[], attributes: Parameters<typeof make>[1] = {}): HTMLTableRowElement {
  const cell = (each: Child | number) =>
    typeof each === "number" ? make("td", { class: "number" }, String(each)) : make("td", {}, each);
  return make("tr", attributes, ...cells.map(cell));
}

export function facts(pairs: [string, Child][]): HTMLElement {
  const list = make("dl", { class: "facts" });
  for (const [name, value] of pairs) list.append(make("dt", {}, name), make("dd", {}, value));
  return list;
}

/** A name that can be pressed. */
export function nameButton(name: string, pressed: () => void, test?: string): HTMLButtonElement {
  return make("button", { type: "button", class: "name", onclick: pressed, "data-test": test }, name);
}

export function paragraph(text: string, className?: string): HTMLElement {
  return make("p", { class: className }, text);
}

/** The address of a switch or host, below its name. */
export function addressLine(address: string | undefined): HTMLElement[] {
  return address === undefined ? [] : [make("p", { class: "address", "data-test": "address" }, address)];
}
