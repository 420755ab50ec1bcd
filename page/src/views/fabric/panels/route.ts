// SPDX-License-Identifier: Apache-2.0
// The route between two hosts, hop by hop, in one routing or in two; or why there is none.
import type { Made } from "../../../data";
import { make } from "../../../elements";
import type { Named } from "../matching";
import type { Model } from "../model";
import { here, noPort, whyNone, type Hop, type Walk } from "../routes";
import { searchField } from "../search";
import { showCommand } from "../show_command";
import { Followed } from "./followed";
import { addressLine, facts, nameButton, paragraph, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

const choicesHint = "Where a switch may take any of several ports, the first is followed; the others are dashed.";
const candidatesHint =
  "One of the candidates is followed: press another to follow that one. All links that such packets may take are dashed.";
const lanesHint = "Lanes are not known: the tables came without service levels.";

export function routePanel(model: Model, hosts: Named[], made: Made): Panel {
  const choose = (end: "from" | "to", host: number | null) => {
    const { selection } = model.choice;
    const before = selection.form === "route" ? selection : { from: null, to: null };
    model.select({ form: "route", from: before.from, to: before.to, [end]: host });
  };
  const field = (end: "from" | "to") =>
    searchField({
      label: `${end} host`,
      test: `route-${end}`,
      names: hosts,
      chosen: (one) => choose(end, one.number),
      failed: () => choose(end, null),
    });
  const [from, to] = [field("from"), field("to")];
  const swap = () => {
    const { selection } = model.choice;
    if (selection.form === "route") model.select({ form: "route", from: selection.to, to: selection.from });
  };
  const swapButton = make("button", { type: "button", title: "the other direction", onclick: swap }, "⇄");
  const body = make("div");
  const ends = make("div", { class: "ends controls" }, from.element, swapButton, to.element);
  return {
    id: "route",
    title: "Route",
    element: make("div", {}, ends, body),
    exists: () => model.section.routings.length > 0 && model.topology.hosts > 1,
    update: () => {
      const { selection } = model.choice;
      const name = (host: number | null) => (host === null ? "" : model.topology.hostName(host));
      from.set(selection.form === "route" ? name(selection.from) : "");
      to.set(selection.form === "route" ? name(selection.to) : "");
      keepingFocus(body, () => body.replaceChildren(...routes(model, made)));
    },
  };
}

/** What is drawn anew keeps the focus if it has a key. */
function keepingFocus(box: HTMLElement, draw: () => void): void {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && box.contains(focused) ? focused.dataset.key : undefined;
  draw();
  if (key !== undefined) box.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
}

function routes(model: Model, made: Made): HTMLElement[] {
  const { routing, compared } = model.choice;
  const shown = compared === null ? [routing] : [routing, compared];
  const walks = shown.map((number) => model.walk(number));
  if (walks[0] === null)
    return [
      ...endFacts(model),
      paragraph("Click one host and then another, or name both: the route of the tables is shown.", "hint"),
    ];
  const texts = walks.flatMap((walk, i) => {
    const heading = shown.length > 1 ? [make("h4", {}, model.routing(shown[i])!.engine)] : [];
    return walk === null ? heading : [...heading, ...routeText(model, walk, shown[i], made)];
  });
  return [...endFacts(model), ...texts];
}

/** The hosts that are chosen: where they are, and their addresses. */
function endFacts(model: Model): HTMLElement[] {
  const { topology, section, choice } = model;
  if (choice.selection.form !== "route") return [];
  const { from, to } = choice.selection;
  const pairs = Object.entries({ from, to }).flatMap(([end, host]): [string, HTMLElement][] => {
    if (host === null) return [];
    const at = section.hosts.on[host];
    const on = nameButton(`${topology.switchName(at)}:${section.hosts.port[host]}`, () =>
      model.select({ form: "switch", at }),
    );
    const place = make("span", {}, `${topology.hostName(host)} on `, on);
    return [[end, make("div", { "data-test": `end-${end}` }, place, ...addressLine(topology.hostAddress(host)))]];
  });
  return pairs.length === 0 ? [] : [facts(pairs)];
}

function routeText(model: Model, walk: Walk, routing: number, made: Made): HTMLElement[] {
  const { topology } = model;
  if (walk.end === "no tables") return noTables(model, walk, made);
  const why = whyNone(topology, walk);
  const from = topology.hostName(walk.from);
  const to = topology.hostName(walk.to);
  const arrives = `${from} → ${to}: ${counted(walk.hops.length, "switch", "switches")}.`;
  const attributes = { class: why === "" ? "good" : "bad", "data-test": "route-verdict" };
  const unknown = model.routing(routing)?.lane_rule?.form === "unknown";
  const choices = walk.trip === undefined ? null : model.tablesOf(routing)!.choices;
  const followed = choices === null ? null : new Followed(model, routing, choices, walk);
  const hints: [boolean, string][] = [
    [walk.hops.some((hop) => hop.choices.length > 1), followed === null ? choicesHint : candidatesHint],
    [unknown, lanesHint],
  ];
  return [
    ...(followed?.controls() ?? []),
    make("p", attributes, why || arrives),
    hopTable(model, walk, followed),
    ...hints.flatMap(([isShown, hint]) => (isShown ? [paragraph(hint, "hint")] : [])),
  ];
}

function hopTable(model: Model, walk: Walk, followed: Followed | null): HTMLElement {
  const heads = ["hop", "switch", "in", "out", "lane"];
  if (followed !== null) {
    const rows = (hop: Hop, i: number) => [hopRow(model, walk, i, followed.cells(hop)), ...followed.candidates(hop, i)];
    return table([...heads, ...followed.heads()], walk.hops.flatMap(rows), "followed-route");
  }
  const rows = walk.hops.map((hop, i) => hopRow(model, walk, i, [hop.entry]));
  return table([...heads, "table entry"], rows, "route");
}

function hopRow(model: Model, walk: Walk, i: number, last: (string | number)[]): HTMLTableRowElement {
  const { topology } = model;
  const hop = walk.hops[i];
  const name = nameButton(topology.switchName(hop.at), () => model.select({ form: "switch", at: hop.at }));
  const lane = hop.channel < 0 ? "–" : hop.lane === null ? "?" : String(hop.lane);
  return row([i + 1, name, hop.inPort, outPort(model, walk, hop), lane, ...last], {
    "data-test": "hop",
    "data-switch": topology.switchName(hop.at),
  });
}

function outPort(model: Model, walk: Walk, hop: Hop): string {
  const { hosts } = model.section;
  if (hop.outPort === noPort) return "none";
  if (hop.outPort === here) return hosts.on[walk.to] === hop.at ? String(hosts.port[walk.to]) : "here";
  return String(hop.outPort);
}

function noTables(model: Model, walk: Walk, made: Made): HTMLElement[] {
  const [from, to] = [walk.from, walk.to].map((host) => model.topology.hostName(host));
  const command = showCommand(made, from, to);
  const tooLarge = "A page does not hold the tables of this routing.";
  if (command === null) return [paragraph(`${tooLarge} weft show prints the route from ${from} to ${to}.`)];
  return [paragraph(`${tooLarge} This command shows the route:`), make("pre", { "data-test": "route-command" }, command)];
}
