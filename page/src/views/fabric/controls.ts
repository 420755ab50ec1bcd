// SPDX-License-Identifier: Apache-2.0
// The controls above a fabric: search, routing, comparison, colours, time, and files to save.
import { fileName, make, save } from "../../elements";
import { formatTime } from "../../number";
import { inUnit, linksAsCsv, type LinkColumn } from "./loads";
import type { Named } from "./matching";
import type { Model } from "./model";
import { searchField } from "./search";

export interface Actions {
  jump(one: Named): void;
  svg(): string;
}

/** A choice among words, which keeps itself up to date. */
function choices(label: string, test: string, words: string[], chosen: (number: number) => void): HTMLSelectElement {
  const select = make("select", { "aria-label": label, "data-test": test });
  words.forEach((word, i) => select.append(make("option", { value: i }, word)));
  select.addEventListener("change", () => chosen(select.selectedIndex));
  return select;
}

function labelled(label: string, control: HTMLElement): HTMLElement {
  return make("label", {}, make("span", {}, label), control);
}

export function controls(model: Model, names: Named[], actions: Actions): HTMLElement {
  const search = searchField({
    label: "find a switch or host",
    test: "search",
    names,
    chosen: actions.jump,
    failed: () => model.select({ form: "nothing" }),
  });
  const parts: HTMLElement[] = [search.element];
  if (model.section.routings.length > 0) parts.push(routingControl(model));
  if (model.section.routings.length > 1) parts.push(compareControl(model));
  if (model.section.loads.length > 0) parts.push(colourControl(model), timeControl(model));
  parts.push(saveButtons(model, actions));
  return make("div", { class: "fabric-controls controls" }, ...parts);
}

function engines(model: Model): string[] {
  return model.section.routings.map((routing) => routing.engine);
}

function routingControl(model: Model): HTMLElement {
  const select = choices("routing", "routing", engines(model), (routing) => {
    const { compared, routing: before } = model.choice;
    model.change({ routing, compared: compared === routing ? before : compared });
  });
  model.onChange(() => void (select.selectedIndex = model.choice.routing));
  return labelled("routing", select);
}

function compareControl(model: Model): HTMLElement {
  const words = ["nothing", ...engines(model)];
  const select = choices("compare with", "compare", words, (number) =>
    model.change({ compared: number === 0 || number - 1 === model.choice.routing ? null : number - 1 }),
  );
  const update = () => {
    const { compared, routing } = model.choice;
    select.selectedIndex = compared === null ? 0 : compared + 1;
    [...select.options].forEach((option, i) => (option.disabled = i === routing + 1));
  };
  model.onChange(update);
  update();
  return labelled("compare with", select);
}

function colourControl(model: Model): HTMLElement {
  const { routings, loads } = model.section;
  const first = routings.length > 0 ? ["routes per channel"] : [];
  const words = [...first, ...loads.map((load) => load.name)];
  const select = choices("colour by", "colour", words, (number) =>
    model.change({ measured: number < first.length ? null : number - first.length, time: 0 }),
  );
  const update = () => {
    const { measured, compared } = model.choice;
    select.disabled = compared !== null; // two routings are compared by their own loads
    select.selectedIndex = measured === null || compared !== null ? 0 : measured + first.length;
  };
  model.onChange(update);
  update();
  return labelled("colour by", select);
}

/** A slider over the samples of a simulated load, and a button that plays them. */
function timeControl(model: Model): HTMLElement {
  const slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "time", "data-test": "time" });
  const word = make("output", { "data-test": "time-now" });
  const play = make("button", { type: "button", "aria-label": "play", "data-test": "play" }, "▶");
  const box = make("div", { class: "time" }, play, slider, word);
  let timer: number | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "▶";
  };
  const last = () => model.load().times.length - 1;
  const step = () => (model.choice.time >= last() ? stop() : model.change({ time: model.choice.time + 1 }));
  play.addEventListener("click", () => {
    if (timer !== undefined) return stop();
    if (model.choice.time >= last()) model.change({ time: 0 });
    timer = window.setInterval(step, 400);
    play.textContent = "⏸";
  });
  slider.addEventListener("input", () => model.change({ time: Number(slider.value) }));
  const update = () => {
    const { times } = model.load();
    box.hidden = times.length < 2;
    if (box.hidden) stop();
    slider.max = String(last());
    slider.value = String(model.choice.time);
    word.textContent = `from ${formatTime(times[Math.min(model.choice.time, last())], 6)}`;
    slider.setAttribute("aria-valuetext", word.textContent);
  };
  model.onChange(update);
  update();
  return box;
}

/** The routings that are shown now: one, or two that are compared. */
function shownEngines(model: Model): string {
  const { routing, compared } = model.choice;
  const numbers = compared === null ? [routing] : [routing, compared];
  return numbers.map((number) => model.routing(number)?.engine ?? "").join(" and ");
}

function saveButtons(model: Model, { svg }: Actions): HTMLElement {
  const named = (ending: string) => fileName(`${model.section.title} ${shownEngines(model)}`, ending);
  const saveSvg = () => save(named("svg"), "image/svg+xml", svg());
  const saveCsv = () => {
    const { routings } = model.section;
    const columns: LinkColumn[] = routings.map(({ engine, load }) => ({ name: `routes of ${engine}`, values: load }));
    const load = model.load();
    if (model.choice.measured !== null)
      columns.push({ name: `${load.name} (${load.unit.trim()})`, values: inUnit(load, model.values()) });
    save(named("csv"), "text/csv", linksAsCsv(model.topology, columns));
  };
  return make(
    "div",
    { class: "saves" },
    make("button", { type: "button", onclick: saveSvg, "data-test": "save-svg" }, "Save SVG"),
    make("button", { type: "button", onclick: saveCsv, "data-test": "save-csv" }, "Save CSV"),
  );
}
