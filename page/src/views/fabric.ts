// SPDX-License-Identifier: Apache-2.0
// The view of a fabric: its picture with loads, and panels for routes, ports, groups, proof and marks.
import type { PageContext } from "../context";
import type { FabricSection } from "../data";
import { make } from "../elements";
import { comparePanel } from "./fabric/compare_panel";
import { controls } from "./fabric/controls";
import { groupsPanel } from "./fabric/groups_panel";
import { legend } from "./fabric/legend";
import { loadsPanel } from "./fabric/loads_panel";
import { markOfRow, marksPanel } from "./fabric/marks_panel";
import { Model, type Selection } from "./fabric/model";
import { Pictures } from "./fabric/pictures";
import { proofPanel } from "./fabric/proof";
import { routePanel } from "./fabric/route_panel";
import type { Named } from "./fabric/search";
import { selectionPanel } from "./fabric/selection_panel";
import { Tabs } from "./fabric/tabs";
import { counted } from "./fabric/words";

export function drawFabric(section: FabricSection, into: HTMLElement, context: PageContext): void {
  const model = new Model(section);
  const hosts = section.hosts.name.map((name, number): Named => ({ kind: "host", number, name }));
  const switches = section.switches.name.map((name, number): Named => ({ kind: "switch", number, name }));
  const pictures = new Pictures(model, context);
  const tabs = new Tabs([
    loadsPanel(model),
    routePanel(model, hosts),
    selectionPanel(model),
    groupsPanel(model),
    proofPanel(model),
    marksPanel(model),
    comparePanel(model),
  ]);
  const scale = legend(model, context);
  const jump = (one: Named) => {
    pictures.jump(one);
    if (one.kind === "host") model.selectHost(one.number);
    else model.select({ form: "switch", at: one.number });
  };
  into.append(
    make("p", { class: "note", "data-test": "size" }, sizeText(section)),
    controls(model, [...switches, ...hosts], { jump, svg: () => pictures.asSvg() }),
    make("div", { class: "fabric-view" }, make("div", { class: "fabric-left" }, pictures.element, scale.element), tabs.element),
  );
  const redraw = () => {
    pictures.redraw();
    scale.update();
  };
  openFittingTab(model, tabs);
  model.onChange(redraw);
  context.onColours(redraw);
  context.onShow(section.id, (mark) => {
    const { route } = mark;
    const selection: Selection = route ? { form: "route", ...route } : { form: "nothing" };
    model.change({ mark: markOfRow(mark), selection });
    if (!route) tabs.show("marks");
  });
  redraw();
}

function sizeText(section: FabricSection): string {
  const { switches, hosts, links } = section;
  return `${counted(switches.name.length, "switch", "switches")}, ${counted(hosts.name.length, "host")}, ${counted(links.a.length, "link")} between switches.`;
}

/** The tab follows what is selected, and a comparison that begins; a deadlock is shown first. */
function openFittingTab(model: Model, tabs: Tabs): void {
  const fitting: Partial<Record<Selection["form"], string>> = {
    switch: "selection",
    link: "selection",
    route: "route",
    group: "groups",
    cycle: "proof",
  };
  let { selection, compared } = model.choice;
  model.onChange(() => {
    const now = model.choice;
    const tab = now.selection === selection ? undefined : fitting[now.selection.form];
    const begins = compared === null && now.compared !== null;
    ({ selection, compared } = now);
    if (begins) tabs.show("compare");
    else if (tab !== undefined) tabs.show(tab);
    else tabs.update();
  });
  const deadlock = model.routing()?.proof?.verdict === "deadlock";
  tabs.show(deadlock ? "proof" : section(model));
}

function section(model: Model): string {
  return model.section.marks.some((mark) => mark.colour === "bad") ? "marks" : "loads";
}
