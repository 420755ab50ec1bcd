// SPDX-License-Identifier: Apache-2.0
// The controls of a time line: kinds of operations, what is drawn over them, zoom, a rank to find.
import type { TimelineSection } from "../../data";
import { make } from "../../elements";

export interface ControlActions {
  toggleKind(kind: number, shown: boolean): void;
  showMessages(shown: boolean): void;
  showCalls(shown: boolean): void;
  showPath(shown: boolean): void;
  dimRest(dim: boolean): void;
  zoom(factor: number): void;
  showAll(): void;
  scaleRows(factor: number): void;
  /** What is wrong; "": there is such a rank. */
  find(text: string): string;
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
  const box = make("input", {
    type: "checkbox",
    checked: true,
    "data-test": "dim",
    onchange: () => change(box.checked),
  });
  return make("label", { class: "dimmer" }, box, "dim the rest");
}

function finder(section: TimelineSection, find: (text: string) => string): HTMLElement {
  const id = `${section.id}-ranks`;
  const said = { class: "find-answer", role: "status", "data-test": "find-answer" };
  const answer = make("span", { ...said, id: `${id}-answer` });
  const look = () => {
    const wrong = input.value.trim() === "" ? "" : find(input.value);
    answer.textContent = wrong;
    input.setAttribute("aria-invalid", String(wrong !== ""));
  };
  const list = make("datalist", { id });
  for (const { name, host } of section.ranks.slice(0, 2000))
    list.append(make("option", { value: name }, host));
  const input = make("input", {
    type: "search",
    list: id,
    placeholder: "Find a rank",
    "aria-label": "find a rank by its name or host",
    "aria-describedby": answer.id,
    "data-test": "find-rank",
    onchange: look,
  });
  return make("span", { class: "finder" }, input, list, answer);
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
  if (section.calls !== undefined)
    legend.append(toggle("calls", "calls", make("span", { class: "dot square call" }), actions.showCalls));
  if (section.path !== undefined)
    legend.append(
      toggle(section.path.title, "path", make("span", { class: "dash path" }), actions.showPath),
      dimmer(actions.dimRest),
    );
  if (section.timed !== undefined)
    legend.append(
      make(
        "span",
        { class: "outside", "data-test": "outside" },
        make("span", { class: "dot square shade" }),
        outsideWords(section.timed.title),
      ),
    );
  return legend;
}

/** The name of what was not timed. */
export function outsideWords(title: string): string {
  return `outside the ${title.replace(/^the /i, "")}`;
}

/** A button between all ranks and rows that can be read; the key r presses it. */
export function makeRanksButton(fit: (fits: boolean) => void): HTMLButtonElement {
  const button = make("button", {
    type: "button",
    title: "all ranks, or rows that can be read (r)",
    "data-test": "fit-ranks",
    onclick: () => fit(button.dataset.fits !== "yes"),
  });
  return button;
}

/** Says what the button leads to. */
export function showFit(button: HTMLButtonElement, fits: boolean, hasRoom: boolean): void {
  button.dataset.fits = fits ? "yes" : "no";
  button.textContent = fits ? "Readable rows" : "All ranks";
  button.hidden = hasRoom && fits;
}

export function makeControls(
  section: TimelineSection,
  ranksButton: HTMLElement,
  actions: ControlActions,
): HTMLElement {
  const button = (text: string, title: string, test: string, action: () => void) =>
    make("button", { type: "button", title, "aria-label": title, "data-test": test, onclick: action }, text);
  return make(
    "div",
    { class: "controls bar" },
    button("+", "zoom in", "zoom-in", () => actions.zoom(0.5)),
    button("−", "zoom out", "zoom-out", () => actions.zoom(2)),
    button("All time", "show all of the time", "zoom-all", actions.showAll),
    ranksButton,
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
