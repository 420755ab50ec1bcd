// SPDX-License-Identifier: Apache-2.0
// The scale of loads below a picture: colours, numbers and unit.
import type { PageContext } from "../../context";
import { make } from "../../elements";
import { formatNumber } from "../../number";
import { stepColours } from "./load_colours";
import type { Model } from "./model";

export function legend(model: Model, context: PageContext): { element: HTMLElement; update(): void } {
  const bar = make("div", { class: "bar" });
  const ticks = make("div", { class: "ticks" });
  const name = make("span", { class: "what" });
  const scale = make("div", { class: "scale" }, bar, ticks);
  const element = make("div", { class: "fabric-legend", "data-test": "legend" }, name, scale);
  const update = () => {
    const load = model.load();
    const most = model.most();
    element.hidden = most === 0;
    bar.style.background = `linear-gradient(to right, ${stepColours(context.colours().scale).join(",")})`;
    name.textContent = `${load.name}, the busier direction of each link`;
    const tick = (share: number) => formatNumber(share * most * load.factor) + (share === 1 ? load.unit : "");
    ticks.replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((share) => make("span", {}, tick(share))));
  };
  return { element, update };
}
