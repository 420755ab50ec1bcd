// SPDX-License-Identifier: Apache-2.0
// Fields with completion: switches and hosts by their names and addresses, with the keyboard or the pointer. A
// sentence says what is wrong with a name that nobody has.
import { make } from "../../elements";
import { isCommand } from "../input";
import { matches, nearest, type Named } from "./matching";

/** What a field is for. */
export interface SearchUse {
  label: string;
  test: string;
  names: Named[];
  chosen(one: Named): void;
  /** Somebody asked for a name that there is not. */
  failed(): void;
}

export interface SearchField {
  element: HTMLElement;
  /** Shows a name that was chosen elsewhere, or none, unless somebody is typing. */
  set(name: string): void;
}

let fields = 0; // lists need names of their own

export function searchField(use: SearchUse): SearchField {
  const { label, test } = use;
  const id = `matches-${++fields}`;
  const list = make("ul", { id, role: "listbox", "aria-label": label, hidden: true, "data-test": `${test}-matches` });
  const wrong = make("p", { class: "wrong", role: "status", "aria-live": "polite", "data-test": `${test}-wrong` });
  const input = make("input", {
    type: "text",
    role: "combobox",
    placeholder: label,
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": label,
    "aria-controls": id,
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    "data-test": test,
  });
  const completion = new Completion(input, list, wrong, use);
  input.addEventListener("input", () => completion.open());
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", () => completion.leave());
  input.addEventListener("keydown", (event) => {
    if (!isCommand(event) && completion.key(event.key)) event.preventDefault();
  });
  const set = (name: string) => {
    if (document.activeElement !== input && (name !== "" || !completion.isWrong())) completion.set(name);
  };
  return { element: make("div", { class: "search" }, input, list, wrong), set };
}

/** The open list of a field. */
class Completion {
  private found: Named[] = [];
  private active = 0;

  constructor(
    private readonly input: HTMLInputElement,
    private readonly list: HTMLElement,
    private readonly wrong: HTMLElement,
    private readonly use: SearchUse,
  ) {}

  open(): void {
    this.found = matches(this.use.names, this.input.value);
    this.active = 0;
    this.wrong.replaceChildren();
    const none = this.input.value.trim() !== "" && this.found.length === 0;
    this.list.replaceChildren(
      ...(none ? [make("li", { class: "none" }, "no such name")] : this.found.map((one, i) => this.item(one, i))),
    );
    this.list.hidden = this.list.childElementCount === 0;
    this.activate(0);
  }

  close(): void {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** Shows a name that was chosen elsewhere. */
  set(name: string): void {
    this.input.value = name;
    this.wrong.replaceChildren();
  }

  isWrong(): boolean {
    return this.wrong.childNodes.length > 0;
  }

  /** The keyboard goes elsewhere. */
  leave(): void {
    if (!this.list.hidden && this.found.length === 0) this.fail();
    this.close();
  }

  /** Handles a key; whether it was one of the list's. */
  key(key: string): boolean {
    if (key === "Enter") {
      if (this.list.hidden) this.open();
      if (this.found.length > 0) this.choose(this.found[this.active]);
      else if (this.input.value.trim() !== "") this.fail();
      return true;
    }
    if (key === "Escape" && !this.list.hidden) {
      this.close();
      return true;
    }
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step === 0) return false;
    if (this.list.hidden) this.open();
    else this.activate(this.active + step);
    return true;
  }

  private item(one: Named, i: number): HTMLElement {
    const pressed = (event: Event) => {
      event.preventDefault(); // the field keeps the focus
      this.choose(one);
    };
    return make(
      "li",
      { id: `${this.list.id}-${i}`, role: "option", onpointerdown: pressed },
      make("span", {}, one.name, one.address === undefined ? null : make("span", { class: "address" }, one.address)),
      make("span", { class: "what" }, one.kind),
    );
  }

  private activate(i: number): void {
    if (this.found.length === 0) return this.list.hidden ? this.close() : undefined;
    this.active = (i + this.found.length) % this.found.length;
    [...this.list.children].forEach((each, k) => each.setAttribute("aria-selected", String(k === this.active)));
    this.list.children[this.active].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-expanded", "true");
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.active}`);
  }

  private choose(one: Named): void {
    this.set(one.name);
    this.close();
    this.use.chosen(one);
  }

  /** Says that nobody has this name, and offers those that are nearly the same. */
  private fail(): void {
    const text = this.input.value.trim();
    const kinds = [...new Set(this.use.names.map(({ kind }) => kind))].join(" or ");
    const offer = (one: Named) => {
      this.input.focus();
      this.choose(one);
    };
    const offers = nearest(this.use.names, text).flatMap((one) => [
      " ",
      make("button", { type: "button", onclick: () => offer(one), "data-test": "nearest" }, one.name),
    ]);
    this.close();
    this.wrong.replaceChildren(
      `No ${kinds || "host"} is called “${text}”.`,
      ...(offers.length === 0 ? [] : [" Perhaps", ...offers]),
    );
    this.use.failed();
  }
}
