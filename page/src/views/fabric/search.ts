// SPDX-License-Identifier: Apache-2.0
// Fields with completion: switches and hosts by their names, with the keyboard or the pointer.
import { make } from "../../elements";
import { isCommand } from "../input";

export interface Named {
  kind: "switch" | "host";
  number: number;
  name: string;
}

const mostMatches = 12;

/** Names that contain the text: equal ones first, then those that begin with it. */
export function matches(names: Named[], text: string, most: number = mostMatches): Named[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const ranked: Named[][] = [[], [], []];
  for (const each of names) {
    const name = each.name.toLowerCase();
    const place = name.indexOf(wanted);
    if (place < 0) continue;
    const rank = name === wanted ? 0 : place === 0 ? 1 : 2;
    if (ranked[rank].length < most) ranked[rank].push(each);
  }
  return ranked.flat().slice(0, most);
}

export interface SearchField {
  element: HTMLElement;
  /** Shows a name that was chosen elsewhere, or none, unless somebody is typing. */
  set(name: string): void;
}

let fields = 0; // lists need names of their own

export function searchField(label: string, test: string, names: Named[], chosen: (one: Named) => void): SearchField {
  const id = `matches-${++fields}`;
  const list = make("ul", { id, role: "listbox", "aria-label": label, hidden: true, "data-test": `${test}-matches` });
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
  const completion = new Completion(input, list, names, chosen);
  input.addEventListener("input", () => completion.open());
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", () => completion.close());
  input.addEventListener("keydown", (event) => {
    if (!isCommand(event) && completion.key(event.key)) event.preventDefault();
  });
  const set = (name: string) => {
    if (document.activeElement !== input) input.value = name;
  };
  return { element: make("div", { class: "search" }, input, list), set };
}

/** The open list of a field. */
class Completion {
  private found: Named[] = [];
  private active = 0;

  constructor(
    private readonly input: HTMLInputElement,
    private readonly list: HTMLElement,
    private readonly names: Named[],
    private readonly chosen: (one: Named) => void,
  ) {}

  open(): void {
    this.found = matches(this.names, this.input.value);
    this.active = 0;
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

  /** Handles a key; whether it was one of the list's. */
  key(key: string): boolean {
    if (key === "Enter") {
      if (this.list.hidden) this.open();
      this.choose(this.active);
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
      this.choose(i);
    };
    return make(
      "li",
      { id: `${this.list.id}-${i}`, role: "option", onpointerdown: pressed },
      one.name,
      make("span", { class: "kind" }, one.kind),
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

  private choose(i: number): void {
    const one = this.found[i];
    if (one === undefined) return;
    this.input.value = one.name;
    this.close();
    this.chosen(one);
  }
}
