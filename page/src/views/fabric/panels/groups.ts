// SPDX-License-Identifier: Apache-2.0
// Multicast groups: members, root, source, and the copies that each switch makes.
import { make } from "../../../elements";
import { formatNumber } from "../../../number";
import type { MulticastGroup } from "../../../data";
import type { Model } from "../model";
import { facts, nameButton, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

const upHeads = ["switch", "port", "is on"];

export function groupsPanel(model: Model): Panel {
  const list = make("div", { class: "choices", role: "group", "aria-label": "multicast groups" });
  const body = make("div");
  const groups = () => model.routing()?.groups ?? [];
  return {
    id: "groups",
    title: "Groups",
    element: make("div", {}, list, body),
    exists: () => groups().length > 0,
    update: () => {
      const { selection } = model.choice;
      const chosen = selection.form === "group" ? selection.group : -1;
      list.replaceChildren(...groups().map((group, i) => choice(model, group, i, i === chosen)));
      const group = groups()[chosen];
      body.replaceChildren(...(group === undefined ? [] : groupText(model, group)));
    },
  };
}

function choice(model: Model, group: MulticastGroup, number: number, chosen: boolean): HTMLElement {
  const pressed = () => model.select(chosen ? { form: "nothing" } : { form: "group", group: number });
  return make(
    "button",
    { type: "button", "aria-pressed": String(chosen), onclick: pressed, "data-test": "group" },
    `${group.name}: ${counted(group.members.length, "member")}`,
  );
}

function groupText(model: Model, group: MulticastGroup): HTMLElement[] {
  const { topology } = model;
  const hostButton = (host: number) => nameButton(topology.hostName(host), () => model.selectHost(host));
  const switchButton = (at: number) =>
    nameButton(topology.switchName(at), () => model.select({ form: "switch", at }));
  const members = make("span", { class: "members" }, ...group.members.flatMap((host) => [hostButton(host), " "]));
  const copies = group.out.reduce((sum, { ports }) => sum + ports.length, 0);
  const rows = group.out.map(({ on, ports }) => {
    const words = ports.map((port) => `${port} (${topology.neighbourName(on, port)})`);
    return row([switchButton(on), ports.length, words.join(", ")]);
  });
  const ups = group.up.map(({ on, port }) => row([switchButton(on), port, topology.neighbourName(on, port)]));
  return [
    facts([
      ["source", group.source === undefined ? "any member" : hostButton(group.source)],
      ["root", group.root === undefined ? "none" : switchButton(group.root)],
      ["lane", String(group.lane)],
      ["copies", `${formatNumber(copies)} by ${counted(group.out.length, "switch", "switches")}`],
      ["members", members],
    ]),
    table(["switch", "copies", "to ports"], rows, "copies"),
    ...(ups.length === 0 ? [] : [make("h3", {}, "Towards the root"), table(upHeads, ups, "upwards")]),
  ];
}
