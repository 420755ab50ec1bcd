// SPDX-License-Identifier: Apache-2.0
// The view of a fabric: its picture with loads, and panels for routes, ports, groups, proof and marks.
import type { PageContext } from "../context";
import type { FabricSection } from "../data";
import { make } from "../elements";
import { controls } from "./fabric/controls";
import { legend } from "./fabric/legend";
import type { Named } from "./fabric/matching";
import { Model, type Selection } from "./fabric/model";
import { comparePanel } from "./fabric/panels/compare";
import { groupsPanel } from "./fabric/panels/groups";
import { loadsPanel } from "./fabric/panels/loads";
import { markOfRow, marksPanel } from "./fabric/panels/marks";
import { portsPanel } from "./fabric/panels/ports";
import { proofPanel } from "./fabric/panels/proof";
import { routePanel } from "./fabric/panels/route";
import { Tabs, type Panel } from "./fabric/panels/tabs";
import { Pictures } from "./fabric/pictures";
import { counted } from "./fabric/words";

export function drawFabric(section: FabricSection, into: HTMLElement, context: PageContext): void {
  const model = new Model(section);
  const hosts = model.topology.named("host");
  const switches = model.topology.named("switch");
  const pictures = new Pictures(model, context);
  const tabs = new Tabs(allPanels(model, hosts, context));
  const scale = legend(model, context);
  const jump = (one: Named) => {
    pictures.jump(one);
    if (one.kind === "host") model.selectHost(one.number);
    else model.select({ form: "switch", at: one.number });
  };
  const left = make("div", { class: "fabric-left" }, pictures.element, scale.element);
  into.append(
    make("p", { class: "note", "data-test": "size" }, sizeText(section)),
    controls(model, [...switches, ...hosts], { jump, svg: () => pictures.asSvg() }),
    make("div", { class: "fabric-view" }, left, tabs.element),
  );
  const redraw = () => {
    pictures.redraw();
    scale.update();
  };
  openFittingTab(model, tabs);
  model.onChange(redraw);
  context.onColours(redraw);
  context.onShow(section.id, (mark) => {
    model.change({ mark: markOfRow(mark), selection: { form: "nothing" } });
    pictures.fit();
    tabs.show("marks");
  });
  redraw();
}

function allPanels(model: Model, hosts: Named[], context: PageContext): Panel[] {
  return [
    loadsPanel(model, context.colours),
    routePanel(model, hosts, context.page.made),
    portsPanel(model),
    groupsPanel(model),
    proofPanel(model),
    marksPanel(model),
    comparePanel(model),
  ];
}

function sizeText({ switches, hosts, links }: FabricSection): string {
  const words = [
    counted(switches.name.length, "switch", "switches"),
    counted(hosts.name.length, "host"),
    `${counted(links.a.length, "link")} between switches`,
  ];
  return `${words.join(", ")}.`;
}

/** The tab follows what is selected, and a comparison that begins. */
function openFittingTab(model: Model, tabs: Tabs): void {
  const fitting: Partial<Record<Selection["form"], string>> = {
    switch: "ports",
    link: "ports",
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
  showFirst(model, tabs);
}

/** Deadlocks and failures are shown first, then the tree of a group, then loads. */
function showFirst(model: Model, tabs: Tabs): void {
  const routing = model.routing();
  const { marks, loads } = model.section;
  if (model.choice.compared !== null) tabs.show("compare");
  else if (routing?.proof?.cycle !== undefined) model.select({ form: "cycle", step: 0 });
  else if (routing?.proof?.verdict === "deadlock") tabs.show("proof");
  else if (marks.some((mark) => mark.colour === "bad")) tabs.show("marks");
  else if (routing !== undefined && routing.groups.length > 0 && loads.length === 0)
    model.select({ form: "group", group: 0 });
  else tabs.show("loads");
}
