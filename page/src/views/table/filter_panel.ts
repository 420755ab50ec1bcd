// SPDX-License-Identifier: Apache-2.0
// The filter of one column of a table: a button in its head, which opens a box for a range, words, or values.
import { make } from "../../elements";
import { titled } from "../../number";
import { rangeProblem } from "./filter";
import type { TableModel } from "./model";
import { placeBelow } from "./popover";

export class FilterPanel {
  readonly button: HTMLButtonElement;
  readonly element = make("div", { class: "panel", popover: "auto", "data-test": "filter-panel" });

  constructor(
    private readonly model: TableModel,
    private readonly column: number,
    private readonly changed: () => void,
  ) {
    const { name } = model.columns[column];
    this.button = make(
      "button",
      {
        type: "button",
        class: "filter-button",
        title: `filter ${name}`,
        "aria-label": `filter ${name}`,
        "data-test": "filter",
        "data-column": name,
      },
      "▿",
    );
    this.button.popoverTargetElement = this.element;
    this.element.addEventListener("beforetoggle", (event) => {
      if ((event as ToggleEvent).newState === "open") this.fill();
    });
    this.element.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState === "open") this.open();
    });
  }

  private fill(): void {
    const facts = this.model.facts[this.column];
    const { name, unit } = this.model.columns[this.column];
    this.element.replaceChildren(
      make("strong", {}, titled(name, unit)),
      ...this.textField(facts.numeric),
    );
    if (facts.values !== null) this.element.append(this.valueList(facts.values));
  }

  private open(): void {
    placeBelow(this.element, this.button);
    this.element.querySelector("input")?.focus();
  }

  /** A field, and what is wrong with the text in it. */
  private textField(numeric: boolean): HTMLElement[] {
    const wrong = make("p", { class: "wrong", role: "status", "data-test": "filter-wrong" });
    const judge = () => {
      wrong.textContent = numeric ? rangeProblem(input.value) : "";
      input.setAttribute("aria-invalid", String(wrong.textContent !== ""));
    };
    const input = make("input", {
      type: "text",
      value: this.model.filterOf(this.column).text,
      placeholder: numeric ? ">0.5 or 10..20" : "words",
      "aria-label": numeric ? "a range of numbers" : "words, all of which have to match",
      "data-test": "filter-text",
      oninput: () => {
        judge();
        this.apply({ text: input.value });
      },
      onkeydown: (event) => {
        if ((event as KeyboardEvent).key === "Enter") this.element.hidePopover();
      },
    });
    judge();
    return [input, wrong];
  }

  private valueList(values: string[]): HTMLElement {
    const chosen = this.model.filterOf(this.column).chosen;
    const boxes = values.map((value) =>
      make("input", {
        type: "checkbox",
        checked: chosen?.has(value) ?? true,
        value,
        "data-test": "filter-value",
        onchange: () => update(),
      }),
    );
    const update = () => {
      const left = boxes.filter((box) => box.checked).map((box) => box.value);
      this.apply({ chosen: left.length === values.length ? null : new Set(left) });
    };
    const all = (checked: boolean) => () => {
      for (const box of boxes) box.checked = checked;
      update();
    };
    return make(
      "div",
      { class: "values", role: "group", "aria-label": "values" },
      make(
        "span",
        {},
        make("button", { type: "button", onclick: all(true) }, "all"),
        make("button", { type: "button", onclick: all(false) }, "none"),
      ),
      ...boxes.map((box) => make("label", {}, box, box.value)),
    );
  }

  private apply(part: { text?: string; chosen?: ReadonlySet<string> | null }): void {
    this.model.setFilter(this.column, { ...this.model.filterOf(this.column), ...part });
    this.changed();
  }
}
