#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenSM loads what `weft export opensm` writes, for all engines that it can express, and does what
weft said: the same LIDs, every entry of every switch, the service level of every pair of hosts,
multicast along the tree of the LID matrix, and ibdmchk's verdict is weft's.

usage: load_tables.py WEFT

Needs the Debian packages opensm, ibsim-utils, infiniband-diags and ibutils, but neither InfiniBand
nor root rights. The files of a difference are kept."""
import collections
import os
import random
import re
import shutil
import subprocess
import sys

import random_subnets
import subnet
import verdicts
from expectations import (Differs, levels_in, most_lanes, ports_by_switch, require_levels,
                          require_tables)

PATIENCE = 300
MESH, TORUS, RING, TREE, IRREGULAR = (
    'mesh:dims=4x4', 'torus:dims=6x6,hosts=2', 'torus:dims=6,hosts=2', 'tree:k=4,n=2',
    'random_irregular:switches=12,links=24,hosts=3,parallel=2,bare=2,seed=7')
FABRICS = (MESH, TORUS, RING, TREE, IRREGULAR)
ENGINES = ('minhop', 'xy', 'dor', 'dor:lanes=service', 'updown', 'prefix', 'lash', 'dmodk', 'sssp',
           'dfsssp', 'nue', 'nue:lanes=4', 'sbp', 'dl', 'nca')
TWO_LIDS = (IRREGULAR, ('updown', 'dfsssp', 'nue:lanes=4'))  # where every host has two LIDs
# What stock OpenSM cannot do anywhere: lanes by the lane before, routes from the source on.
NEVER = {'sbp', 'nca'}


class Export:
    """The folder that weft writes for one engine, and what weft says about it."""

    def __init__(self, weft, fabric, engine, folder):
        self.fabric, self.engine, self.folder = fabric, engine, folder / 'tables'
        done = self.run(weft, 'export', 'opensm', fabric, engine, '-o', str(self.folder))
        self.written = self.folder.exists()
        self.words = (done.stdout + done.stderr).strip()
        refused = done.returncode == 1 and done.stderr.startswith('weft: ')
        if done.returncode > 1 or self.written == refused:
            raise subnet.StepFailed(f'weft: status {done.returncode}: {self.words}')
        if self.written:
            route = folder / 'tables.weft'
            self.run(weft, 'route', fabric, most_lanes(engine), '-o', str(route))
            self.levels = levels_in(route.read_text())
            settings = self.folder / 'partitions.conf'
            self.own_level = (int(re.search(r'sl=(\d+)', settings.read_text())[1])
                              if settings.exists() else 0)  # of multicast

    def run(self, *command):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=PATIENCE, text=True)


def require_multicast(export, net, dumps):
    """Multicast takes no port between switches that the LID matrix does not have, and the group of
    all IPoIB hosts has the level that is meant for it."""
    tree = ports_by_switch((export.folder / 'lid-matrix.dump').read_text(), 'Switch: guid',
                           r'0x\w+:((?: \w\w)+) #', lambda hops: {
                               port for port, each in enumerate(hops.split()) if each != 'ff'})
    taken = ports_by_switch((dumps / 'opensm.mcfdbs').read_text(), 'Switch', r'0xC\w{3} : (.*)',
                            lambda ports: {int(port, 16) for port in ports.split()})
    between = {(net.nodes[each].guid, port) for link in net.links
               if all(net.nodes[end].kind == 'Switch' for end, _ in link) for each, port in link}
    used = {(at, port) for at, ports in taken.items() for port in ports if (at, port) in between}
    if not used:
        raise Differs('no multicast group spans two switches')
    if strange := sorted(each for each in used if each[1] not in tree[each[0]]):
        raise Differs(f'multicast by port {strange[0][1]} of switch 0x{strange[0][0]:x}, which is '
                      'not of the tree')
    if export.ipoib_level != export.own_level:
        raise Differs(f'the group of IPoIB has level {export.ipoib_level}, not {export.own_level}')


def require_verdict(weft, export, dumps):
    """weft's verdict on the folder, ibdmchk's on what OpenSM does, and weft's on that."""
    said = {line.split()[0]: ' ok ' in line for line in export.words.splitlines()
            if line.startswith(('reach ', 'deadlock '))}
    alone = 'though unicast alone cannot' in export.words
    ours = verdicts.judged_by_weft(weft, dumps)
    # Neither program knows that multicast has a level of its own: that is for require_multicast.
    for multicast in (False, True)[:1 if export.own_level else 2]:
        promised = verdicts.Judgement(said['reach'], not (said['deadlock'] or
                                                          (alone and not multicast)))
        theirs = verdicts.judged_by_ibdmchk(dumps, export.lmc, multicast)
        if theirs.reached is None:
            raise subnet.StepFailed(f'ibdmchk does not judge: {theirs.why}')
        # Groups of some hosts may be free of what one of all hosts is not.
        certain = not multicast or not promised.loops
        if (certain and not theirs.agrees(promised)) or not theirs.agrees(ours[multicast]):
            raise Differs(f'ibdmchk{" -M" * multicast} {theirs}, export {promised}, '
                          f'weft check {ours[multicast]}')
    return said['deadlock']


def load(export, net, folder):
    """Starts OpenSM with nothing but the exported folder, and dumps for the comparison."""
    guids = sorted(net.nodes[each].guid + port for each, port in net.hosts())
    plan = random_subnets.SubnetPlan(export.fabric, net)
    plan.groups = [guids, sorted(random.Random(1).sample(guids, 2 + len(guids) // 3))]
    (folder / 'groups').write_text(plan.multicast())
    with subnet.Subnet(folder, net.text()) as managed:
        shutil.copytree(export.folder, folder / 'cache')
        managed.inside['OSM_CACHE_DIR'] = str(folder / 'cache')
        managed.simulate()
        used = managed.manage('-F', str(export.folder / 'opensm.conf'), '-S', 'groups')
        if used != 'file':
            raise Differs(f'OpenSM has fallen back to {used}')
        managed.discover()
        managed.ask_levels()
        (managed.dumps / 'switches.lft').write_text(managed.run('dump_fts'))
        asked = managed.run(sys.executable, str(subnet.HERE / 'path_levels.py'), text='0xc000\n')
        export.ipoib_level = int(asked) if asked.strip().isdigit() else None
        managed.finish()
    return managed.dumps


def with_two_lids(weft, spec):
    """The topology as OpenSM leaves it that gives two LIDs to every port, in a file."""
    folder = subnet.new_folder()
    plan = random_subnets.SubnetPlan(spec, random_subnets.made_by(weft, spec), lmc=1)
    (folder / 'guid2lid').write_text(plan.guid2lid())
    subnet.routed_subnet(folder, plan.net.text(), 'minhop', '-l', '1')
    return folder / 'dumps' / 'discovered.topo'


def compare(weft, export, net, folder):
    """What OpenSM does is what weft has written; returns it in words."""
    dumps = load(export, net, folder)
    tables = require_tables((export.folder / 'lfts.dump').read_text(), net, dumps)
    pairs = require_levels(export.levels, net, dumps)
    require_multicast(export, net, dumps)
    free = require_verdict(weft, export, dumps)
    most = max(max(row.values()) for row in export.levels.values())
    return tables, pairs, free, (f'{tables} entries, levels of {pairs} paths up to {most}, '
                                 f'{"free of deadlock" if free else "credit loops"}')


def try_one(weft, fabric, engine, counts, two_lids=None):
    """Exports from a topology's name, or from a file where hosts have two LIDs."""
    folder = subnet.new_folder()
    name = f'{fabric}, {engine}{", two LIDs" if two_lids else ""}'
    try:
        export = Export(weft, str(two_lids or fabric), engine, folder)
        export.lmc = 1 if two_lids else 0
        words = export.words
        if export.written:
            net = random_subnets.made_by(weft, fabric)
            tables, pairs, free, words = compare(weft, export, net, folder)
            counts.update({'loaded': 1, engine: 1, 'entries': tables, 'levels': pairs,
                           'free' if free else 'loops': 1})
        counts['refused'] += not export.written
        print(f'ok    {name}: {words}')
    except (Differs, subnet.StepFailed, subprocess.TimeoutExpired) as error:
        counts['failed'] += 1
        print(f'FAIL  {name}: {error}; files kept in {folder}')
        return
    shutil.rmtree(folder)


def main():
    weft = shutil.which(sys.argv[1]) if len(sys.argv) == 2 else None
    if weft is None:
        sys.exit('usage: load_tables.py WEFT, a program')
    weft = os.path.abspath(weft)
    subnet.require_tools()
    counts = collections.Counter()
    for fabric in FABRICS:
        for engine in ENGINES:
            try_one(weft, fabric, engine, counts)
            sys.stdout.flush()
    spec, engines = TWO_LIDS
    topology = with_two_lids(weft, spec)
    for engine in engines:
        try_one(weft, spec, engine, counts, topology)
    shutil.rmtree(topology.parents[1])
    idle = [each for each in ENGINES if each not in NEVER and counts[each] == 0]
    met = counts['free'] > 0 and counts['loops'] > 0 and counts['refused'] > 0
    print(f'{counts["loaded"]} folders loaded, {counts["entries"]} entries and {counts["levels"]} '
          f'levels as written, {counts["refused"]} refused, {counts["failed"]} FAILED')
    if idle or not met:
        print(f'FAIL  engines that were not met: {idle}; both verdicts were met: {met}')
    sys.exit(0 if met and not idle and counts['failed'] == 0 else 1)


if __name__ == '__main__':
    main()
