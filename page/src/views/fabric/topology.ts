// SPDX-License-Identifier: Apache-2.0
// The fabric of a section, indexed: what is on each port, where channels begin and end, and their names.
import type { FabricSection } from "../../data";
import type { Named } from "./matching";

/** What is on a port; -1 where there is no such thing. */
export interface Neighbour {
  host: number;
  channel: number;
}

const nothing: Neighbour = { host: -1, channel: -1 };
const unreachable = 0x3fffffff; // two of them are still a number

export class Topology {
  readonly switches: number;
  readonly hosts: number;
  readonly links: number;
  readonly channels: number;
  /** Hosts of each switch, by port. */
  readonly hostsOn: number[][];
  private readonly onPort: Map<number, Neighbour>[];

  constructor(readonly section: FabricSection) {
    const { switches, hosts, links } = section;
    this.switches = switches.name.length;
    this.hosts = hosts.name.length;
    this.links = links.a.length;
    this.channels = 2 * this.links;
    this.onPort = switches.name.map(() => new Map());
    this.hostsOn = switches.name.map(() => []);
    hosts.on.forEach((at, host) => {
      this.onPort[at].set(hosts.port[host], { host, channel: -1 });
      this.hostsOn[at].push(host);
    });
    for (const list of this.hostsOn) list.sort((a, b) => hosts.port[a] - hosts.port[b]);
    for (let channel = 0; channel < this.channels; ++channel)
      this.onPort[this.from(channel)].set(this.outPort(channel), { host: -1, channel });
  }

  from(channel: number): number {
    const { links } = this.section;
    return channel % 2 === 0 ? links.a[channel >> 1] : links.b[channel >> 1];
  }
  to(channel: number): number {
    return this.from(channel ^ 1);
  }
  outPort(channel: number): number {
    const { links } = this.section;
    return channel % 2 === 0 ? links.a_port[channel >> 1] : links.b_port[channel >> 1];
  }
  inPort(channel: number): number {
    return this.outPort(channel ^ 1);
  }
  atPort(at: number, port: number): Neighbour {
    return this.onPort[at]?.get(port) ?? nothing;
  }
  /** Channels that leave a switch. */
  channelsOf(at: number): number[] {
    return [...this.onPort[at].values()].flatMap(({ channel }) => (channel < 0 ? [] : [channel]));
  }
  /** Links from a switch to every other; unreachable where there is no path. */
  distances(first: number): Int32Array {
    const links = new Int32Array(this.switches).fill(unreachable);
    links[first] = 0;
    const reached = [first];
    for (const at of reached)
      for (const channel of this.channelsOf(at)) {
        const next = this.to(channel);
        if (links[next] !== unreachable) continue;
        links[next] = links[at] + 1;
        reached.push(next);
      }
    return links;
  }

  switchName(at: number): string {
    return this.section.switches.name[at];
  }
  hostName(host: number): string {
    return this.section.hosts.name[host];
  }
  /** "LID 5, GUID 0x2c9020040f0f8"; undefined where the fabric has no addresses. */
  switchAddress(at: number): string | undefined {
    return this.section.switches.address?.[at] || undefined;
  }
  hostAddress(host: number): string | undefined {
    return this.section.hosts.address?.[host] || undefined;
  }
  /** Switches and hosts, to be searched. */
  named(kind: Named["kind"]): Named[] {
    const [names, addressOf] =
      kind === "host"
        ? [this.section.hosts.name, (host: number) => this.hostAddress(host)]
        : [this.section.switches.name, (at: number) => this.switchAddress(at)];
    return names.map((name, number) => ({ kind, number, name, address: addressOf(number) }));
  }
  /** "s0:1 > s1:2" */
  channelName(channel: number): string {
    const end = (at: number, port: number) => `${this.switchName(at)}:${port}`;
    return (
      `${end(this.from(channel), this.outPort(channel))} > ` +
      end(this.to(channel), this.inPort(channel))
    );
  }
  /** What a port leads to: "s1:2", "host h3" or "nothing". */
  neighbourName(at: number, port: number): string {
    const { host, channel } = this.atPort(at, port);
    if (host >= 0) return `host ${this.hostName(host)}`;
    if (channel < 0) return "nothing";
    return `${this.switchName(this.to(channel))}:${this.inPort(channel)}`;
  }
}
