// SPDX-License-Identifier: Apache-2.0
// The controls of a time line: kinds of operations, what is drawn over them, zoom, a rank to find.
import type { TimelineSection } from "../../data";
import { make } from "../../elements";

export interface ControlActions {
  toggleKind(kind: number, shown: boolean): void;
  showMessages(shown: boolean): void;
  showPath(shown: boolean): void;
  dimRest(dim: boolean): void;
  zoom(factor: number): void;
  showAll(): void;
  scaleRows(factor: number): void;
  /** Whether there is such a rank. */
  find(text: string): boolean;
  savePicture(): void;
  saveOps(): void;
}

function toggle(
  text: string,
  test: string,
  swatch: HTMLElement | null,
  change: (on: boolean) => void,
): HTMLElement {
  const button = make(
    "button",
    {
      type: "button",
      "aria-pressed": "true",
      "data-test": test,
      "data-name": text,
      onclick: () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        change(on);
      },
    },
    swatch,
    text,
  );
  return button;
}

function dimmer(change: (on: boolean) => void): HTMLElement {
  const box = make("input", { type: "checkbox", "data-test": "dim", onchange: () => change(box.checked) });
  return make("label", { class: "dimmer" }, box, "dim the rest");
}

function finder(section: TimelineSection, find: (text: string) => boolean): HTMLElement {
  const id = `${section.id}-ranks`;
  const list = make("datalist", { id });
  for (const { name, host } of section.ranks.slice(0, 2000))
    list.append(make("option", { value: name }, host));
  const input = make("input", {
    type: "search",
    list: id,
    placeholder: "Find a rank",
    "aria-label": "find a rank by its name or host",
    "data-test": "find-rank",
    onchange: () => input.setAttribute("aria-invalid", String(input.value !== "" && !find(input.value))),
  });
  return make("span", { class: "finder" }, input, list);
}

/** Kinds and their colours; `swatches` are kept up to date by the caller. */
export function makeLegend(
  section: TimelineSection,
  swatches: HTMLElement[],
  actions: ControlActions,
): HTMLElement {
  const legend = make("div", { class: "legend", role: "group", "aria-label": "kinds of operations" });
  section.kinds.forEach((kind, i) => {
    const swatch = make("span", { class: "dot square" });
    swatches.push(swatch);
    legend.append(toggle(kind, "kind", swatch, (on) => actions.toggleKind(i, on)));
  });
  if (section.messages.from.length > 0)
    legend.append(toggle("messages", "messages", make("span", { class: "dash" }), actions.showMessages));
  if (section.path !== undefined)
    legend.append(
      toggle(section.path.title, "path", make("span", { class: "dash path" }), actions.showPath),
      dimmer(actions.dimRest),
    );
  return legend;
}

export function makeControls(section: TimelineSection, actions: ControlActions): HTMLElement {
  const button = (text: string, title: string, test: string, action: () => void) =>
    make("button", { type: "button", title, "aria-label": title, "data-test": test, onclick: action }, text);
  return make(
    "div",
    { class: "controls bar" },
    button("+", "zoom in", "zoom-in", () => actions.zoom(0.5)),
    button("−", "zoom out", "zoom-out", () => actions.zoom(2)),
    button("All", "show all of the time", "zoom-all", actions.showAll),
    button("Taller", "taller rows", "taller", () => actions.scaleRows(1.5)),
    button("Flatter", "flatter rows", "flatter", () => actions.scaleRows(1 / 1.5)),
    finder(section, actions.find),
    make(
      "span",
      { class: "chart-buttons" },
      button("Save SVG", "save what is seen as a picture", "save-svg", actions.savePicture),
      button("Save CSV", "save the operations that are seen", "save-csv", actions.saveOps),
    ),
  );
}
