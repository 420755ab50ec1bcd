# SPDX-License-Identifier: Apache-2.0
"""Random subnets as an administrator meets them: grids, trees and irregular fabrics made by weft,
with links missing, hosts with two ports, several LIDs a port, and multicast groups."""
import dataclasses
import random
import re
import subprocess

PATIENCE = 300


@dataclasses.dataclass
class Node:
    kind: str  # Switch or Ca
    ports: int
    guid: int
    name: str


class Net:
    """A topology in the text of ibnetdiscover, which ibsim reads, too."""

    def __init__(self, text):
        self.nodes = {}
        self.links = []  # ((id, port), (id, port)), each once
        guid, at = 0, None
        for line in text.splitlines():
            if header := re.match(r'(?:switch|ca)guid=(0x[0-9a-f]+)', line):
                guid = int(header[1], 16)
            elif node := re.match(r'(Switch|Ca)\s+(\d+) "([^"]+)"\s+# "([^"]+)"', line):
                at = node[3]
                self.nodes[at] = Node(node[1], int(node[2]), guid, node[4])
            elif link := re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\]', line):
                ends = sorted([(at, int(link[1])), (link[2], int(link[3]))])
                if ends not in self.links:
                    self.links.append(ends)

    def switches(self):
        return [each for each, node in self.nodes.items() if node.kind == 'Switch']

    def hosts(self):
        """Ends of links at adapters, as (id, port)."""
        return [end for link in self.links for end in link if self.nodes[end[0]].kind == 'Ca']

    def text(self):
        lines = {each: [] for each in self.nodes}
        for a, b in self.links:
            for here, there in ((a, b), (b, a)):
                line = f'[{here[1]}]\t"{there[0]}"[{there[1]}]\t\t# 4xSDR'
                lines[here[0]].append((here[1], line))
        out = []
        for each, node in self.nodes.items():
            head = 'switchguid' if node.kind == 'Switch' else 'caguid'
            out.append(f'{head}=0x{node.guid:x}')
            out.append(f'{node.kind}\t{node.ports} "{each}"\t\t# "{node.name}"')
            out += [line for _, line in sorted(lines[each])] + ['']
        return '\n'.join(out)

    def remove_links(self, rng, count):
        """Cables between switches that are broken."""
        inner = [link for link in self.links
                 if all(self.nodes[each].kind == 'Switch' for each, _ in link)]
        for link in rng.sample(inner, min(count, len(inner))):
            self.links.remove(link)

    def join_hosts(self, rng, count):
        """Turns pairs of adapters into one with two ports."""
        adapters = [each for each, node in self.nodes.items() if node.kind == 'Ca']
        chosen = rng.sample(adapters, min(2 * count, len(adapters) // 2 * 2))
        for first, second in zip(chosen[::2], chosen[1::2]):
            self.nodes[first].ports = 2
            del self.nodes[second]
            self.links = [sorted((first, 2) if end[0] == second else end for end in link)
                          for link in self.links]


@dataclasses.dataclass
class SubnetPlan:
    """What OpenSM gets."""
    spec: str
    net: Net
    lmc: int = 0
    root: int = 0  # GUID of the switch where up*/down* begins
    groups: list = dataclasses.field(default_factory=list)  # of port GUIDs
    torus: str = ''  # the configuration of torus-2QoS, where it applies

    def guid2lid(self):
        """LIDs of OpenSM's cache: all multiples of 2^LMC, those of switches as well. ibdmchk gives
        switches 2^LMC LIDs, too, and would take the second for that of another port."""
        step, lines, lid = 1 << self.lmc, [], 1 << self.lmc
        for each, port in self.net.hosts():
            guid = self.net.nodes[each].guid + port
            lines.append(f'0x{guid:016x} 0x{lid:04x} 0x{lid + step - 1:04x}\n\n')
            lid += step
        for each in self.net.switches():
            lines.append(f'0x{self.net.nodes[each].guid:016x} 0x{lid:04x} 0x{lid:04x}\n\n')
            lid += step
        return ''.join(lines)

    def multicast(self):
        """A database of the subnet's administrator from which OpenSM restores the groups."""
        out = []
        for number, members in enumerate(self.groups):
            mlid = 0xC001 + number
            gids = [f'0xfe80000000000000:0x{guid:016x}' for guid in members]
            out.append(f'MC Group 0x{mlid:04x} : mgid=0xff12000000000000:0x{mlid:016x} '
                       f'port_gid={gids[0]} qkey=0x00000000 mlid=0x{mlid:04x} mtu=0x84 tclass=0x00 '
                       'pkey=0xffff rate=0x83 pkt_life=0x92 sl_flow_hop=0x00000000 '
                       'scope_state=0x21 proxy_join=0x0\n')
            out += [f'mcm_port: port_gid={gid} scope_state=0x21 proxy_join=0x0\n' for gid in gids]
        return ''.join(out)


def made_by(weft, spec):
    done = subprocess.run([weft, 'make', spec, '--format', 'ibnetdiscover', '-o', '-'], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    return Net(done.stdout)


def torus_configuration(kind, columns, rows):
    """For torus-2QoS: the links of the first switch give the directions."""
    def guid(x, y):
        return f'0x{0x100000 + x % columns + y % rows * columns:x}'
    mark = 't' if kind == 'torus' else 'm'
    lines = [f'{kind} {columns}{mark} {rows}{mark} 1m', 'portgroup_max_ports 64',
             f'xp_link {guid(0, 0)} {guid(1, 0)}', f'yp_link {guid(0, 0)} {guid(0, 1)}']
    if kind == 'torus':
        lines += [f'xm_link {guid(0, 0)} {guid(-1, 0)}', f'ym_link {guid(0, 0)} {guid(0, -1)}']
    return '\n'.join(lines) + '\n'


def random_spec(rng):
    """A topology of weft's, and the configuration of torus-2QoS."""
    kind = rng.choice(['irregular'] * 4 + ['regular', 'grid', 'grid', 'tree'])
    hosts = rng.randint(1, 4)
    if kind == 'grid':
        shape = rng.choice(['torus', 'mesh'])
        columns, rows = rng.randint(3, 5), rng.randint(3, 5)
        return (f'{shape}:dims={columns}x{rows},hosts={min(hosts, 2)}',
                torus_configuration(shape, columns, rows))
    if kind == 'tree':
        return rng.choice(['tree:k=2,n=3', 'tree:k=3,n=2', 'tree:k=4,n=2', 'tree:k=3,n=3',
                           'xgft:children=4x3,parents=1x2',
                           'xgft:children=3x4,parents=1x2,links=1x2']), ''
    switches = rng.randint(8, 24)
    if kind == 'regular':
        degree = rng.choice([3, 4, 5])
        switches += switches % 2
        return (f'random_regular:switches={switches},degree={degree},hosts={hosts},'
                f'seed={rng.randint(1, 10**6)}'), ''
    parallel = rng.choice([1, 1, 2, 3])
    links = switches - 1 + rng.randint(0, switches * 3 // 2)
    return (f'random_irregular:switches={switches},links={links},hosts={hosts},'
            f'parallel={parallel},bare={rng.choice([0, 0, 1, 3])},seed={rng.randint(1, 10**6)}'), ''


def fixed_plans(weft):
    """A few fabrics that together bring every engine to work."""
    specs = [('mesh:dims=4x4', torus_configuration('mesh', 4, 4)),
             ('torus:dims=4x4,hosts=2', torus_configuration('torus', 4, 4)),
             ('tree:k=4,n=2', ''),
             ('random_irregular:switches=12,links=24,hosts=3,parallel=2,bare=2,seed=7', ''),
             ('random_regular:switches=16,degree=4,hosts=2,seed=2', '')]
    plans = []
    for lmc, (spec, torus) in enumerate(specs):
        plan = SubnetPlan(spec, made_by(weft, spec), lmc=lmc % 2, torus=torus)
        plan.root = plan.net.nodes[plan.net.switches()[0]].guid
        plan.net.join_hosts(random.Random(lmc), lmc % 3)
        plan.groups = random_groups(random.Random(lmc), plan.net)
        plans.append(plan)
    return plans


def random_groups(rng, net):
    """Up to two multicast groups, each of two or more ports of hosts."""
    guids = sorted(net.nodes[each].guid + port for each, port in net.hosts())
    return [sorted(rng.sample(guids, rng.randint(2, len(guids))))
            for _ in range(rng.choice([0, 1, 2])) if len(guids) > 1]


def random_plan(weft, seed):
    rng = random.Random(seed)
    spec, torus = random_spec(rng)
    plan = SubnetPlan(spec, made_by(weft, spec), torus=torus)
    if rng.random() < 0.4:
        plan.net.remove_links(rng, rng.randint(1, 3))
    if rng.random() < 0.3:
        plan.net.join_hosts(rng, rng.randint(1, 3))
    plan.lmc = rng.choice([0, 0, 0, 1])
    plan.root = plan.net.nodes[rng.choice(plan.net.switches())].guid
    plan.groups = random_groups(rng, plan.net)
    return plan
