// SPDX-License-Identifier: Apache-2.0
// What is highlighted on a fabric for what is chosen: routes, trees, cycles, marks.
import type { Colours } from "../../context";
import type { MulticastGroup } from "../../data";
import { stepColours, stepOf } from "./load_colours";
import { dashesOf, type Dashes } from "./marks";
import type { Model } from "./model";
import type { Walk } from "./routes";
import type { Topology } from "./topology";

export type Highlight =
  | { form: "channel"; channel: number; colour: string; weight: Weight; dashed?: boolean }
  | { form: "links"; links: number[]; colour: string; weight: Weight; dashes: Dashes }
  | { form: "switch"; at: number; colour: string }
  | { form: "host"; host: number; colour: string }
  | { form: "wire"; host: number; colour: string } // from a host to its switch
  | { form: "name"; of: "switch" | "host"; number: number };

export type Weight = "thin" | "usual" | "bold";

/** What is highlighted in the picture of a routing. */
export function highlightsOf(model: Model, routing: number, colours: Colours): Highlight[] {
  const { selection } = model.choice;
  const marked = markedParts(model, colours);
  switch (selection.form) {
    case "nothing":
      return marked;
    case "switch":
      return [
        ...marked,
        { form: "switch", at: selection.at, colour: colours.series[3] },
        { form: "name", of: "switch", number: selection.at },
      ];
    case "link":
      return [...marked, ...directions(model, routing, selection.link, colours)];
    case "route":
      return [...marked, ...routeHighlights(model, routing, colours.series[3])];
    case "group":
      return [...marked, ...groupOf(model, routing, selection.group, colours)];
    case "cycle":
      return [...marked, ...cycleHighlights(model, routing, selection.step, colours)];
  }
}

/** Whether the rest of the fabric steps back behind what is highlighted: not behind marks, unless one is chosen. */
export function stepsBack({ choice }: Model, highlights: Highlight[]): boolean {
  return choice.mark !== null || highlights.some(({ form }) => form === "channel");
}

function directions(model: Model, routing: number, link: number, colours: Colours): Highlight[] {
  const scale = stepColours(colours.scale);
  const values = model.values(routing);
  return [2 * link, 2 * link + 1].flatMap((channel) => [
    {
      form: "channel",
      channel,
      colour: scale[stepOf(values[channel] ?? 0, model.hottest())],
      weight: "usual",
    },
    { form: "name", of: "switch", number: model.topology.from(channel) },
  ]);
}

function routeHighlights(model: Model, routing: number, colour: string): Highlight[] {
  const { selection } = model.choice;
  if (selection.form !== "route") return [];
  const ends = [selection.from, selection.to].filter((host) => host !== null);
  const walk = model.walk(routing);
  return [
    ...(walk === null ? [] : allowedHops(model, routing, walk, colour)),
    ...(walk === null ? [] : walkHighlights(model.topology, walk, colour)),
    ...ends.flatMap((host): Highlight[] => [
      { form: "wire", host, colour },
      { form: "host", host, colour },
      { form: "name", of: "host", number: host },
    ]),
  ];
}

/** Of tables with choices: the channels that other choices lead over. */
function allowedHops(model: Model, routing: number, walk: Walk, colour: string): Highlight[] {
  const taken = new Set(walk.hops.map(({ channel }) => channel));
  const allowed = new Set(model.fronts(routing, walk).flatMap(({ channels }) => [...channels]));
  return [...allowed]
    .filter((channel) => !taken.has(channel))
    .map((channel) => ({ form: "channel", channel, colour, weight: "thin", dashed: true }));
}

function walkHighlights(topology: Topology, walk: Walk, colour: string): Highlight[] {
  return walk.hops.flatMap((hop): Highlight[] => {
    const ports = hop.candidates === undefined ? hop.choices : [];
    const others = ports.map((port) => topology.atPort(hop.at, port).channel);
    const open = others.filter((channel) => channel >= 0 && channel !== hop.channel);
    const taken: Highlight[] =
      hop.channel < 0 ? [] : [{ form: "channel", channel: hop.channel, colour, weight: "usual" }];
    return [
      ...open.map((channel): Highlight => ({ form: "channel", channel, colour, weight: "thin", dashed: true })),
      ...taken,
      { form: "switch", at: hop.at, colour },
      { form: "name", of: "switch", number: hop.at },
    ];
  });
}

function groupOf(model: Model, routing: number, number: number, colours: Colours): Highlight[] {
  const group = model.routing(routing)?.groups[number];
  return group === undefined ? [] : groupHighlights(model.topology, group, colours);
}

function groupHighlights(topology: Topology, group: MulticastGroup, colours: Colours): Highlight[] {
  const [copied, upwards] = [colours.series[2], colours.series[3]];
  const copies = group.out.flatMap(({ on, ports }) =>
    ports.flatMap((port): Highlight[] => {
      const { host, channel } = topology.atPort(on, port);
      if (host >= 0) return [{ form: "wire", host, colour: copied }];
      return channel < 0 ? [] : [{ form: "channel", channel, colour: copied, weight: "usual" }];
    }),
  );
  const ups = group.up.flatMap(({ on, port }): Highlight[] => {
    const { channel } = topology.atPort(on, port);
    return channel < 0 ? [] : [{ form: "channel", channel, colour: upwards, weight: "thin", dashed: true }];
  });
  const members = group.members.map((host): Highlight => ({ form: "host", host, colour: copied }));
  const source: Highlight[] =
    group.source === undefined
      ? []
      : [
          { form: "host", host: group.source, colour: upwards },
          { form: "wire", host: group.source, colour: upwards },
          { form: "name", of: "host", number: group.source },
        ];
  const root: Highlight[] =
    group.root === undefined
      ? []
      : [
          { form: "switch", at: group.root, colour: upwards },
          { form: "name", of: "switch", number: group.root },
        ];
  return [...copies, ...ups, ...members, ...source, ...root];
}

function cycleHighlights(model: Model, routing: number, chosen: number, colours: Colours): Highlight[] {
  const cycle = model.routing(routing)?.proof?.cycle ?? [];
  const steps = cycle.map(
    ({ channel }, step): Highlight => ({
      form: "channel",
      channel,
      colour: step === chosen ? colours.bad : colours.warning,
      weight: step === chosen ? "bold" : "usual",
    }),
  );
  const wait = cycle[chosen];
  if (wait === undefined) return steps;
  const hosts = [wait.from, wait.to].filter((host) => host !== undefined);
  return [
    ...steps,
    ...[model.topology.from(wait.channel), model.topology.to(wait.channel)].map(
      (at): Highlight => ({ form: "name", of: "switch", number: at }),
    ),
    ...hosts.flatMap((host): Highlight[] => [
      { form: "host", host, colour: colours.bad },
      { form: "name", of: "host", number: host },
    ]),
  ];
}

/** The mark that is chosen; before one is, all of them. */
function markedParts(model: Model, colours: Colours): Highlight[] {
  const chosen = model.choice.mark;
  const all = model.marks();
  return (chosen === null ? all : [chosen]).flatMap((mark): Highlight[] => {
    const colour = colours[mark.colour];
    return [
      { form: "links", links: mark.links, colour, weight: "usual", dashes: dashesOf(mark, all) },
      ...mark.switches.map((at): Highlight => ({ form: "switch", at, colour })),
      ...mark.hosts.flatMap((host): Highlight[] => [
        { form: "wire", host, colour },
        { form: "host", host, colour },
      ]),
    ];
  });
}
