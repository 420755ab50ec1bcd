// SPDX-License-Identifier: Apache-2.0
// The switch or link that is selected: its ports, what is on each, and loads in both directions.
import { make } from "../../../elements";
import { formatNumber } from "../../../number";
import { loadText } from "../loads";
import type { Model } from "../model";
import { CrossingsText } from "./crossings";
import { addressLine, facts, nameButton, paragraph, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

export function portsPanel(model: Model): Panel {
  const element = make("div");
  const crossings = new CrossingsText(model);
  return {
    id: "ports",
    title: "Ports",
    element,
    exists: () => true,
    update: () => {
      const { selection } = model.choice;
      if (selection.form === "link") crossings.show(selection.link);
      element.replaceChildren(
        ...(selection.form === "switch"
          ? switchText(model, selection.at)
          : selection.form === "link"
            ? [...linkText(model, selection.link), crossings.element]
            : [paragraph("Click a switch to see its ports, or a link to see both of its directions.", "hint")]),
      );
    },
  };
}

function switchText(model: Model, at: number): HTMLElement[] {
  const { topology, section } = model;
  const ports = section.switches.ports[at];
  const values = model.values();
  const load = model.load();
  const shown = (channel: number) => {
    const value = values[channel];
    return value === undefined ? "–" : formatNumber(value * load.factor);
  };
  const rows = Array.from({ length: ports }, (_, i) => {
    const { host, channel } = topology.atPort(at, i + 1);
    if (host < 0 && channel < 0) return row([i + 1, "–", "", ""], { class: "unused" });
    const name = topology.neighbourName(at, i + 1);
    if (host >= 0) return row([i + 1, nameButton(name, () => model.selectHost(host)), "", ""]);
    const link = nameButton(name, () => model.select({ form: "link", link: channel >> 1 }));
    return row([i + 1, link, shown(channel), shown(channel ^ 1)]);
  });
  const unit = load.unit.trim();
  const used = Array.from({ length: ports }, (_, i) => topology.atPort(at, i + 1));
  const hosts = counted(topology.hostsOn[at].length, "host");
  const switchLinks = used.filter(({ channel }) => channel >= 0).length;
  return [
    make("h3", { "data-test": "selected" }, `switch ${topology.switchName(at)}`),
    ...addressLine(topology.switchAddress(at)),
    paragraph(`${counted(ports, "port")}: ${hosts}, ${counted(switchLinks, "link")} to switches.`),
    table(["port", "is on", `out, ${unit}`, `in, ${unit}`], rows, "ports"),
  ];
}

function linkText(model: Model, link: number): HTMLElement[] {
  const { topology, section } = model;
  const channels = [2 * link, 2 * link + 1];
  const load = model.load();
  const values = model.values();
  const rows = channels.map((channel) =>
    row([topology.channelName(channel), loadText(load, values[channel])], { "data-test": "direction" }),
  );
  const several =
    section.routings.length < 2
      ? []
      : [
          table(
            ["routes by routing", "there", "back"],
            section.routings.map(({ engine, load }) => row([engine, ...channels.map((c) => formatNumber(load[c]))])),
          ),
        ];
  const [a, b] = [section.links.a[link], section.links.b[link]].map((at) =>
    nameButton(topology.switchName(at), () => model.select({ form: "switch", at })),
  );
  return [
    make("h3", { "data-test": "selected" }, `link ${topology.channelName(2 * link)}`),
    facts([
      ["speed", section.links.speed[link] || "unknown"],
      ["between", make("span", {}, a, " and ", b)],
    ]),
    table(["direction", load.name], rows, "link-loads"),
    ...several,
  ];
}
