// SPDX-License-Identifier: Apache-2.0
// Panels of which one is seen, and the tabs that choose it; arrow keys move between tabs.
import { make } from "../../../elements";
import { isCommand } from "../../input";

export interface Panel {
  id: string;
  title: string;
  element: HTMLElement;
  /** Whether there is anything to show now. */
  exists(): boolean;
  /** Shows what is chosen now; called only while the panel is seen. */
  update(): void;
}

let tabLists = 0;

export class Tabs {
  readonly element: HTMLElement;
  private readonly list = make("div", { role: "tablist", class: "tabs controls" });
  private readonly buttons: HTMLButtonElement[];
  private shown: Panel;

  constructor(private readonly panels: Panel[]) {
    const prefix = `tabs-${++tabLists}`;
    this.shown = panels[0];
    this.buttons = panels.map((panel) => this.tab(panel, prefix));
    this.list.append(...this.buttons);
    this.list.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step !== 0 && !isCommand(event)) this.step(step);
    });
    for (const panel of panels) {
      const attributes = { role: "tabpanel", id: `${prefix}-${panel.id}`, "data-test": `panel-${panel.id}` };
      for (const [name, value] of Object.entries(attributes)) panel.element.setAttribute(name, value);
      panel.element.tabIndex = -1;
    }
    this.element = make("div", { class: "fabric-panel" }, this.list, ...panels.map((each) => each.element));
  }

  show(id: string): void {
    this.shown = this.panels.find((panel) => panel.id === id) ?? this.shown;
    this.update();
  }

  update(): void {
    const restoreFocus = this.rememberFocus();
    this.updatePanels();
    restoreFocus();
  }

  private updatePanels(): void {
    if (!this.shown.exists()) this.shown = this.panels.find((panel) => panel.exists()) ?? this.shown;
    this.panels.forEach((panel, i) => {
      const chosen = panel === this.shown;
      this.buttons[i].hidden = !panel.exists();
      this.buttons[i].setAttribute("aria-selected", String(chosen));
      this.buttons[i].tabIndex = chosen ? 0 : -1;
      panel.element.hidden = !chosen;
    });
    this.shown.update();
  }

  /** Keeps the keyboard where it was, though what it was on may be drawn anew. */
  private rememberFocus(): () => void {
    const active = document.activeElement;
    const panel = this.panels.find((each) => each.element.contains(active));
    if (panel === undefined) return () => {};
    const buttons = () => [...panel.element.querySelectorAll("button")];
    const place = buttons().findIndex((button) => button === active);
    return () => {
      if (this.shown === panel && panel.element.contains(document.activeElement)) return;
      const again = buttons()[place];
      const same = this.shown === panel && again?.textContent === active?.textContent;
      (same ? again : this.shown.element).focus({ preventScroll: true });
    };
  }

  private tab(panel: Panel, prefix: string): HTMLButtonElement {
    return make(
      "button",
      {
        type: "button",
        role: "tab",
        "aria-controls": `${prefix}-${panel.id}`,
        "data-test": `tab-${panel.id}`,
        onclick: () => this.show(panel.id),
      },
      panel.title,
    );
  }

  private step(step: number): void {
    const open = this.panels.filter((panel) => panel.exists());
    const next = open[(open.indexOf(this.shown) + step + open.length) % open.length];
    this.show(next.id);
    this.buttons[this.panels.indexOf(next)].focus();
  }
}
