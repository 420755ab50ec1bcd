// SPDX-License-Identifier: Apache-2.0
// What the colours of a picture mean, below it: the scale of loads with numbers and unit, and each mark.
import type { PageContext } from "../../context";
import type { FabricMark } from "../../data";
import { make } from "../../elements";
import { formatNumber } from "../../number";
import { stepColours } from "./load_colours";
import { isSeen, sampleOf, sizeOf } from "./marks";
import type { Model } from "./model";

interface LegendPart {
  element: HTMLElement;
  update(): void;
}

export function legend(model: Model, context: PageContext): LegendPart {
  const parts = [scaleLegend(model, context), marksLegend(model, context)];
  const element = make("div", { class: "fabric-legend", "data-test": "legend" }, ...parts.map((part) => part.element));
  return { element, update: () => parts.forEach((part) => part.update()) };
}

function scaleLegend(model: Model, context: PageContext): LegendPart {
  const bar = make("div", { class: "bar" });
  const ticks = make("div", { class: "ticks" });
  const name = make("span", { class: "what" });
  const element = make("div", { class: "loads" }, name, make("div", { class: "scale" }, bar, ticks));
  const update = () => {
    const load = model.load();
    const most = model.hottest();
    element.hidden = most === 0;
    bar.style.background = `linear-gradient(to right, ${stepColours(context.colours().scale).join(",")})`;
    name.textContent = `${load.name}, the busier direction of each link`;
    const tick = (share: number) => formatNumber(share * most * load.factor) + (share === 1 ? load.unit : "");
    ticks.replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((share) => make("span", {}, tick(share))));
  };
  return { element, update };
}

/** An entry for each mark; pressed, it alone is drawn. */
function marksLegend(model: Model, context: PageContext): LegendPart {
  const element = make("div", { class: "marks", role: "group", "aria-label": "marks" });
  const entries = new Map<FabricMark, HTMLButtonElement>();
  const update = () => {
    const marks = model.marks().filter(isSeen);
    const isSame = marks.length === entries.size && marks.every((mark) => entries.has(mark));
    if (!isSame) {
      entries.clear();
      for (const mark of marks) entries.set(mark, markEntry(model, mark));
      element.replaceChildren(...entries.values());
    }
    for (const [mark, entry] of entries) {
      entry.setAttribute("aria-pressed", String(mark === model.choice.mark));
      entry.querySelector("svg")?.remove();
      entry.prepend(sampleOf(mark, marks, context.colours()));
    }
    element.hidden = marks.length === 0;
  };
  return { element, update };
}

function markEntry(model: Model, mark: FabricMark): HTMLButtonElement {
  const pressed = () => model.change({ mark: model.choice.mark === mark ? null : mark });
  const attributes = { type: "button", "data-test": "legend-mark", title: "show this mark alone" };
  return make("button", { ...attributes, onclick: pressed }, `${mark.name}: ${sizeOf(mark)}`);
}
