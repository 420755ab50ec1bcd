#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares weft's verdicts with those of ibdmchk on the dumps of OpenSM, for all of its engines:
whether every host reaches every other one, and whether there are credit loops, without multicast
and with it.

usage: credit_loops.py WEFT             a short list of fabrics
       credit_loops.py WEFT --campaign  WEFT_INTEROP_FABRICS (200) random ones, whose seeds begin at
                                        WEFT_INTEROP_SEED (1)

weft judges each run twice: by what ibnetdiscover and opensm-lfts.dump say, and by the files that
ibdmchk reads. Some runs are judged again after entries of the tables have been changed at random.
Needs the Debian packages opensm, ibsim-utils, infiniband-diags and ibutils, but neither InfiniBand
nor root rights. The files of a disagreement are kept.

ibdmchk looks for credit loops only where all pairs are reached; else only that is compared. Where
the lane of level 0 depends on the ports (torus-2QoS), it takes the lane of a turn for both of its
links, and weft that of each; no verdict differs by that."""
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

SEVERAL_LANES = ('-Q', '--nue_max_num_vls', '0')
ENGINES = {  # name: engine of OpenSM, its options
    'minhop': ('minhop',), 'updn': ('updn', '-a', 'roots'), 'dnup': ('dnup',), 'dor': ('dor',),
    'lash': ('lash', '-Q'), 'ftree': ('ftree',), 'dfsssp': ('dfsssp', '-Q'), 'sssp': ('sssp',),
    'nue, 1 lane': ('nue',), 'nue, 8 lanes': ('nue', *SEVERAL_LANES),
    'torus-2QoS': ('torus-2QoS', '-Q', '--torus_config', 'torus.conf')}


class Counts:
    """What has been tried."""

    def __init__(self):
        self.runs = collections.Counter()  # by the name of the engine, and of those changed
        self.loops = self.unreached = self.silent = self.failed = self.differences = 0

    def add(self, theirs):
        self.loops += theirs.loops is True
        self.unreached += theirs.reached is False

    def agree(self):
        return self.differences == self.failed == 0

    def __str__(self):
        found = (f'{sum(self.runs.values())} runs, {self.loops} with credit loops, '
                 f'{self.unreached} with unreached hosts')
        if self.silent:
            found += f', {self.silent} that ibdmchk does not judge'
        if self.failed:
            found += f', {self.failed} FAILED'
        return found + (f', {self.differences} DISAGREE' if self.differences
                        else ', all verdicts agree')


def compare(weft, dumps, plan, counts):
    """Has both programs judge the dumps; returns a sentence for each difference."""
    out = []
    ours = {name: verdicts.judged_by_weft(weft, view(dumps, name)) for name in VIEWS}
    for multicast in (False, True):
        theirs = verdicts.judged_by_ibdmchk(dumps, plan.lmc, multicast)
        if theirs.reached is None:
            print(f'note: {plan.spec}: ibdmchk does not judge: {theirs.why}')
            counts.silent += 1
        if not multicast:
            counts.add(theirs)
        for name, judgements in ours.items():
            mine = judgements[multicast]
            if mine.why:
                out.append(f'{name}: weft does not judge: {mine.why}')
            elif not theirs.agrees(mine):
                out.append(f'{name}{", with multicast" * multicast}: weft {mine}, ibdmchk {theirs}')
    return out


# What weft reads: the dumps of one kind, so that each reader is tried.
VIEWS = {'ibnetdiscover': ('discovered.topo', 'opensm-lfts.dump', 'opensm.mcfdbs',
                           'opensm-sl2vl.dump', 'opensm.psl'),
         'ibdmchk': ('opensm-subnet.lst', 'opensm.fdbs', 'opensm.mcfdbs', 'opensm-sl2vl.dump',
                     'opensm.psl', 'guid2lid')}


def view(dumps, name):
    folder = dumps.parent / f'{dumps.name}-{name}'
    folder.mkdir()
    for file in VIEWS[name]:
        if (dumps / file).exists():
            shutil.copy(dumps / file, folder)
    return folder


def change_entries(rng, dumps, folder):
    """A copy of the dumps with some entries removed or led to another port, alike in both forms."""
    shutil.copytree(dumps, folder)
    ports = collections.defaultdict(set)  # of a switch that its entries name
    entries = []
    for line, guid in with_switches((folder / 'opensm.fdbs').read_text()):
        if (entry := re.match(r'(0x\w{4}) : (\d+) ', line)) and int(entry[2]) > 0:
            ports[guid].add(int(entry[2]))
            entries.append((guid, int(entry[1], 16)))
    changes = {}
    for guid, lid in rng.sample(entries, min(len(entries), rng.randint(1, 6))):
        gone = rng.random() < 0.1
        changes[guid, lid] = None if gone else rng.choice(sorted(ports[guid]))
    forms = {'opensm.fdbs': '0x{0:04x} : {1:03d}  : 01   : yes',
             'opensm-lfts.dump': '0x{0:04x} {1:03d} #'}
    for name, form in forms.items():
        lines = []
        for line, guid in with_switches((folder / name).read_text()):
            lid = int(line.split()[0], 16) if line.startswith('0x') else None
            port = changes.get((guid, lid), 0)
            if port is not None:
                lines.append(form.format(lid, port) if port else line)
        (folder / name).write_text('\n'.join(lines) + '\n')
    return folder


def with_switches(text):
    """The lines of a dump of tables, each with the GUID of its switch."""
    guid = None
    for line in text.splitlines():
        if header := re.match(r'(?:dump_ucast_routes: Switch|Unicast lids.* guid) (0x\w+)', line):
            guid = header[1]
        yield line, guid


def put_inputs(folder, plan):
    (folder / 'roots').write_text(f'0x{plan.root:016x}\n')
    (folder / 'torus.conf').write_text(plan.torus)
    (folder / 'guid2lid').write_text(plan.guid2lid())
    (folder / 'groups').write_text(plan.multicast())


def run_engine(weft, plan, name, rng, counts):
    """Judges OpenSM's tables, unless it falls back to another engine."""
    folder = subnet.new_folder()
    put_inputs(folder, plan)
    engine, *options = ENGINES[name]
    if plan.groups:
        options += ['-S', 'groups']
    try:
        used = subnet.routed_subnet(folder, plan.net.text(), engine, *options, '-l', str(plan.lmc))
        differences = []
        if used == engine:
            shutil.copy(folder / 'guid2lid', folder / 'dumps')
            counts.runs[name] += 1
            differences = compare(weft, folder / 'dumps', plan, counts)
            if rng.random() < 0.3:
                counts.runs['entries changed'] += 1
                changed = change_entries(rng, folder / 'dumps', folder / 'changed')
                differences += compare(weft, changed, plan, counts)
    except (subnet.StepFailed, subprocess.TimeoutExpired) as error:
        counts.failed += 1
        print(f'FAILED {plan.spec}, LMC {plan.lmc}, {name}: {error}; files kept in {folder}')
        return
    if differences:
        counts.differences += 1
        print(f'DIFFER {plan.spec}, LMC {plan.lmc}, {name}: files kept in {folder}')
        for each in differences:
            print(f'       {each}')
    else:
        shutil.rmtree(folder)


def judge_all(weft, plans):
    counts = Counts()
    for seed, plan in plans:
        rng = random.Random(seed)
        for name in ENGINES:
            if name != 'torus-2QoS' or plan.torus:
                run_engine(weft, plan, name, rng, counts)
                sys.stdout.flush()
    return counts


def campaign(weft):
    fabrics = int(os.environ.get('WEFT_INTEROP_FABRICS', 200))
    first = int(os.environ.get('WEFT_INTEROP_SEED', 1))
    counts = judge_all(weft, ((seed, random_subnets.random_plan(weft, seed))
                              for seed in range(first, first + fabrics)))
    print(', '.join(f'{name}: {runs}' for name, runs in sorted(counts.runs.items())))
    print(f'campaign: {fabrics} fabrics x {len(ENGINES)} engines: {counts}')
    return counts.agree()


def short_list(weft):
    """Every engine is met, and every verdict: otherwise the comparison would be worth nothing."""
    plans = random_subnets.fixed_plans(weft)
    counts = judge_all(weft, enumerate(plans))
    print(f'{len(plans)} fabrics x {len(ENGINES)} engines: {counts}')
    idle = [name for name in ENGINES if counts.runs[name] == 0]
    met = counts.loops > 0 and counts.unreached > 0 and sum(counts.runs.values()) > counts.loops
    if idle or not met:
        print(f'FAIL   engines that were not met: {idle}; all verdicts were met: {met}')
    return counts.agree() and met and not idle


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ['--campaign']):
        sys.exit('usage: credit_loops.py WEFT [--campaign]')
    weft = shutil.which(sys.argv[1])
    if weft is None:
        sys.exit(f'credit_loops.py: there is no program {sys.argv[1]}')
    subnet.require_tools()
    weft = os.path.abspath(weft)
    sys.exit(0 if (campaign if sys.argv[2:] else short_list)(weft) else 1)


if __name__ == '__main__':
    main()
