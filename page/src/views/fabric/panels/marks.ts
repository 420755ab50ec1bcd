// SPDX-License-Identifier: Apache-2.0
// Marks of a fabric: what failed or differs. One of them may be chosen: it alone is drawn, and its parts are listed.
import { make } from "../../../elements";
import { formatNumber } from "../../../number";
import type { FabricMark, RowMark } from "../../../data";
import { isSeen, sizeOf } from "../marks";
import type { Model } from "../model";
import { nameButton } from "./tables";
import type { Panel } from "./tabs";

const mostNamed = 200;

/** What a row of a table is about, as a mark. */
export function markOfRow(mark: RowMark): FabricMark | null {
  const { switches = [], links = [], hosts = [] } = mark;
  const chosen: FabricMark = { name: "chosen in a table", colour: "warning", switches, links, hosts };
  return isSeen(chosen) ? chosen : null;
}

export function marksPanel(model: Model): Panel {
  const element = make("div");
  return {
    id: "marks",
    title: "Marks",
    element,
    exists: () => model.marks().length > 0,
    update: () => {
      const { mark } = model.choice;
      const list = make("div", { class: "choices", role: "group", "aria-label": "marks" });
      list.append(...model.marks().map((each) => choice(model, each, each === mark)));
      element.replaceChildren(list, ...(mark === null ? [] : [parts(model, mark)]));
    },
  };
}

function choice(model: Model, mark: FabricMark, chosen: boolean): HTMLElement {
  return make(
    "button",
    {
      type: "button",
      class: mark.colour,
      "aria-pressed": String(chosen),
      "data-test": "mark",
      onclick: () => model.change({ mark: chosen ? null : mark }),
    },
    make("strong", {}, mark.name),
    ` ${sizeOf(mark)}`,
  );
}

function parts(model: Model, mark: FabricMark): HTMLElement {
  const { topology } = model;
  const part = (name: string, pressed: () => void) => ({ name, pressed });
  const all = [
    ...mark.switches.map((at) => part(topology.switchName(at), () => model.select({ form: "switch", at }))),
    ...mark.links.map((link) => part(topology.channelName(2 * link), () => model.select({ form: "link", link }))),
    ...mark.hosts.map((host) => part(topology.hostName(host), () => model.selectHost(host))),
  ];
  const rest = all.length - mostNamed;
  return make(
    "ul",
    { class: "parts", "data-test": "mark-parts" },
    ...all.slice(0, mostNamed).map(({ name, pressed }) => make("li", {}, nameButton(name, pressed))),
    rest > 0 ? make("li", {}, `and ${formatNumber(rest)} more`) : null,
  );
}
