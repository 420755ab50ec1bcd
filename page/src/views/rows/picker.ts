// SPDX-License-Identifier: Apache-2.0
// Picks several of a list: a button that says which, and a box of check boxes below it.
import { make } from "../../elements";
import { placeBelow } from "../table/popover";

export interface Choosable {
  value: number;
  name: string;
}

export function makePicker(
  label: string,
  list: Choosable[],
  chosen: number[],
  changed: (chosen: number[]) => void,
): HTMLElement {
  const test = `pick-${label}`;
  const names = make("span", { class: "names" });
  const boxes = list.map(({ value }) =>
    make("input", { type: "checkbox", checked: chosen.includes(value), "data-test": `${test}-value` }),
  );
  const picked = () => list.filter((_, i) => boxes[i].checked);
  const describe = () => {
    names.textContent =
      picked()
        .map((each) => each.name)
        .join(", ") || "nothing";
  };
  const act = () => {
    describe();
    changed(picked().map((each) => each.value));
  };
  describe();
  const labels = list.map(({ name }, i) => make("label", {}, boxes[i], name));
  const panel = make("div", { class: "panel", popover: "auto", onchange: act }, ...labels);
  const button = make(
    "button",
    { type: "button", "data-test": test, "aria-label": `pick ${label}` },
    names,
    " ▾",
  );
  button.popoverTargetElement = panel;
  panel.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "open") placeBelow(panel, button);
  });
  return make("span", { class: "pick" }, make("span", { class: "label" }, label), button, panel);
}

export function makeSelect(
  label: string,
  list: { value: string; name: string }[],
  chosen: string,
  changed: (value: string) => void,
): HTMLElement {
  const select = make("select", {
    "data-test": `select-${label.replaceAll(" ", "-")}`,
    onchange: () => changed(select.value),
  });
  for (const { value, name } of list)
    select.append(make("option", { value, selected: value === chosen }, name));
  return make("label", { class: "pick" }, make("span", { class: "label" }, label), select);
}
