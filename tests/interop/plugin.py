#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opensm -R weft: OpenSM loads weft's plugin, and every switch holds what weft gave: its unicast
entries, the lanes of all turns, its part of the multicast trees; the service level of every pair is
that of the tables; ibdmchk's verdict is weft's. What InfiniBand cannot do is refused, with a line in
the log, and so is all that goes wrong with weft: OpenSM then routes by itself.

usage: plugin.py WEFT PLUGIN [--short | --sweeps N]

WEFT is the program, PLUGIN the folder of libweft.so; with --sweeps only so many sweeps of one subnet
are tried, in which memory and open files must not grow. Both may be built with the address sanitizer
of g++, which then says what is not given back. Needs the Debian packages opensm, ibsim-utils,
infiniband-diags and ibutils, but neither InfiniBand nor root rights. The files of a difference are
kept."""
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tomllib

import random_subnets
import subnet
import verdicts
from expectations import (Differs, entries, levels_in, most_lanes, require_levels, require_same,
                          require_tables)

PATIENCE = 300
MESH, TORUS, TREE, IRREGULAR = (
    'mesh:dims=4x4', 'torus:dims=5x5,hosts=2', 'tree:k=4,n=2',
    'random_irregular:switches=12,links=24,hosts=3,parallel=2,bare=2,seed=7')
FABRICS = (MESH, TORUS, TREE, IRREGULAR)
# Engines that route what OpenSM has found, and those that need coordinates: weft routes these
# before, and the plugin gets their tables.
ENGINES = ('minhop', 'updown', 'prefix', 'lash', 'dmodk', 'sssp', 'dfsssp', 'nue', 'nue:lanes=4')
FILED = ('xy', 'dor', 'dor:lanes=service', 'dl', 'sbp', 'nca')
NEVER = {'dl', 'sbp', 'nca'}  # lanes by the lane before, routes from the source on
ORDER = re.compile(r'weft: unicast .* meanwhile')
SHORT = ((MESH, 'updown'), (TORUS, 'dor:lanes=service'), (IRREGULAR, 'dfsssp'), (TREE, 'nca'))


class Managed(subnet.Subnet):
    """A subnet under an OpenSM that has the plugin."""

    def __init__(self, folder, net, plugin, words):
        super().__init__(folder, net)
        self.inside['LD_LIBRARY_PATH'] = str(plugin)
        if sanitizer := sanitizer_of(plugin):
            self.inside['LD_PRELOAD'] = f'{sanitizer} {self.inside["LD_PRELOAD"]}'
            # OpenSM and umad2sim have flaws of their own.
            (folder / 'suppressions').write_text(''.join(
                f'interceptor_via_lib:{each}\n' for each in ('umad2sim', 'ibumad', 'osmvendor')))
            self.inside['ASAN_OPTIONS'] = (f'log_path={folder}/sanitizer:exitcode=0:halt_on_error=0:'
                                           f'suppressions={folder}/suppressions')
        (folder / 'kept').mkdir()
        (folder / 'opensm.conf').write_text(
            f'event_plugin_name weft\nevent_plugin_options {words} --keep {folder}/kept\n')

    def manage_by_plugin(self, *options):
        self.simulate()
        return self.manage('-F', str(self.folder / 'opensm.conf'), '-R', 'weft', '-Q', *options)

    def log(self):
        return (self.folder / 'opensm.log').read_text(errors='replace')


def sanitizer_of(plugin):
    """The run-time library of a sanitized plugin, which must be loaded before all others."""
    libraries = run('ldd', str(pathlib.Path(plugin) / 'libweft.so')).stdout
    found = re.search(r'libasan\S* => (\S+)', libraries)
    return found[1] if found else None


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
                          text=True)


def lanes_in(text):
    """The lanes of the levels by switch, in-port and out-port, where they differ from the usual."""
    usual = re.search(r'^levels \d+: (.*)$', text, re.MULTILINE)
    out = collections.defaultdict(lambda: [int(lane) for lane in usual[1].split()] if usual
                                  else list(range(16)))
    for line in text.splitlines():
        if turn := re.match(r'map (\S+) (\d+) (\d+): (.*)', line):
            out[turn[1], int(turn[2]), int(turn[3])] = [int(lane) for lane in turn[4].split()]
    return out


def require_lanes(tables, net, dumps):
    """Of all turns that are cabled, on the levels that the tables use."""
    used = 1 + max(max(row.values()) for row in levels_in(tables).values())
    count = int(re.search(r'^lanes (\d+)', tables, re.MULTILINE)[1])
    if count == 1:
        return 0
    expected, found, at = lanes_in(tables), {}, None
    names = {net.nodes[each].guid: net.nodes[each].name for each in net.switches()}
    cabled = {(net.nodes[each].name, port) for link in net.links for each, port in link}
    between = {(net.nodes[each].name, port) for link in net.links for each, port in link
               if all(net.nodes[end].kind == 'Switch' for end, _ in link)}
    for line in (dumps / 'opensm-sl2vl.dump').read_text().splitlines():
        if header := re.match(r'(Switch|Channel Adapter|\w+) (0x\w+)', line):
            at = names.get(int(header[2], 16)) if header[1] == 'Switch' else None
        elif at is not None and (row := re.match(r'\s*(\d+)\s+(\d+)\s*:(.*)', line)):
            turn = (at, int(row[1]), int(row[2]))
            if (at, turn[1]) in cabled and (at, turn[2]) in between and turn[1] != turn[2]:
                found[turn] = [int(lane) for lane in row[3].split()][:used]
    require_same('lanes of turns', {turn: expected[turn][:used] for turn in found}, found)
    if len(found) < len(between):
        raise Differs(f'lanes of {len(found)} turns, and {len(between)} ports between switches')
    return len(found)


def require_same_levels(expected, kept):
    """The plugin may have moved all levels up by one, to leave the first to multicast."""
    moved = {kept[host][at] - level for host, row in expected.items() for at, level in row.items()}
    if expected.keys() != kept.keys() or moved not in ({0}, {1}):
        raise Differs(f'levels of the tables have been moved by {moved}')


def multicast_ports(text):
    """Ports by group and switch, of what dump_fts -M prints: port p is in column 12 + 2p."""
    out, at = {}, None
    for line in text.splitlines():
        if header := re.match(r'Multicast mlids.* guid (0x\w+)', line):
            at = int(header[1], 16)
        elif row := re.match(r'0x[cC]\w{3}', line):
            ports = {(place - 12) // 2 for place in range(12, len(line)) if line[place] == 'x'}
            if ports:
                out[int(row[0], 16), at] = ports
    return out


def require_multicast(kept, net, dumps, groups, alone):
    """The switches hold the groups of weft's tables, and these have all members. Tables have no
    groups of one, which is `alone`."""
    guids = {net.nodes[each].name: net.nodes[each].guid for each in net.switches()}
    expected, group = {}, None
    for line in kept.splitlines():
        if header := re.match(r'group (0x\w+)', line):
            group = int(header[1], 16)
        elif ports := re.match(r'out (\S+): (.*)', line):
            expected[group, guids[ports[1]]] = {int(port) for port in ports[2].split()}
    found = multicast_ports((dumps / 'switches.mft').read_text())
    own = {key: ports for key, ports in found.items() if key[0] > 0xC000 and key[0] not in alone}
    require_same('multicast entries', expected, own)
    if {group for group, _ in own} != {0xC001 + each for each in range(len(groups))} - alone:
        raise Differs(f'groups {sorted({hex(group) for group, _ in own})}')
    for number, members in enumerate(groups):
        if 0xC001 + number in alone:
            continue
        ports = sum(len(ports) for (group, _), ports in own.items() if group == 0xC001 + number)
        switches = sum(1 for group, _ in own if group == 0xC001 + number)
        if ports != len(members) + 2 * (switches - 1):
            raise Differs(f'group {number} of {len(members)} members has {ports} ports at '
                          f'{switches} switches: that is no tree')
    return len(own)


def require_verdict(weft, managed, lmc):
    """ibdmchk's verdict is weft's on the dumps; where weft has left a certificate, both find none."""
    ours = verdicts.judged_by_weft(weft, managed.dumps)
    for multicast in (False, True):
        theirs = verdicts.judged_by_ibdmchk(managed.dumps, lmc, multicast)
        if theirs.reached is None:
            raise subnet.StepFailed(f'ibdmchk does not judge: {theirs.why}')
        if not theirs.agrees(ours[multicast]):
            raise Differs(f'ibdmchk{" -M" * multicast} {theirs}, weft check {ours[multicast]}')
    kept = managed.folder / 'kept'
    if (kept / 'certificate').exists():
        done = run(weft, 'verify', str(kept / 'fabric.toml'), str(kept / 'tables.weft'),
                   str(kept / 'certificate'))
        if done.returncode != 0 or ours[True].loops:
            raise Differs(f'a certificate, but weft check says {ours[True]}; {done.stdout}')
    elif not ours[True].loops:
        raise Differs('no certificate, though there are no credit loops')
    return not ours[True].loops


def dump(managed):
    managed.discover()
    managed.ask_levels()
    (managed.dumps / 'switches.lft').write_text(managed.run('dump_fts'))
    (managed.dumps / 'switches.mft').write_text(managed.run('dump_fts', '-M'))
    wait_for_kept(managed)


def wait_for_kept(managed):
    """weft writes its files when nobody asks, this one last."""
    subnet.wait_until(lambda: (managed.folder / 'kept' / 'tables.weft').exists(), managed.manager,
                      'weft live --keep')


def held_by_switches(managed):
    """Port by switch and LID of hosts, as soon as weft has written what it gave."""
    wait_for_kept(managed)
    hosts = {lid for _, lid, _ in subnet.hosts_of(managed.run('ibnetdiscover'))}
    return {key: port for key, port in entries(managed.run('dump_fts')).items() if key[1] in hosts}


def type_at_console(managed, *words):
    """Of ibsim; what weft kept until then is taken away."""
    (managed.folder / 'kept' / 'tables.weft').unlink()
    return managed.sweep_after(lambda: managed.command('{} "{}"[{}]'.format(*words)))


def host_entries(tables, fabric):
    """The same, of weft's own files."""
    described = tomllib.loads(fabric)
    switches = {name: int(more['guid'], 16) for name, _, more in described['switches']}
    hosts = {name: (port, more['lid']) for name, _, port, more in described['hosts']}
    order = re.search(r'^switches (.*)$', tables, re.MULTILINE)[1].split()
    out = {}
    for names, ports in re.findall(r'^to ([^:|]*)[^:]*: (.*)$', tables, re.MULTILINE):
        for name in names.split():
            for at, port in zip(order, ports.split()):
                if port != '-':
                    out[switches[at], hosts[name][1]] = (hosts[name][0] if port == '.'
                                                         else int(port))
    return out


def has_single_ports(net):
    return len(net.hosts()) == len({each for each, _ in net.hosts()})


def lost_links(net, count):
    """Ends of links between switches without which the switches are still connected."""
    rng, links = random.Random(count), [link for link in net.links if all(
        net.nodes[each].kind == 'Switch' for each, _ in link)]
    lost = []
    for link in rng.sample(links, len(links)):
        rest = [other for other in links if other is not link and other[0] not in lost]
        group = {each: each for each in net.switches()}

        def root(each):
            while group[each] != each:
                each = group[each]
            return each
        for a, b in rest:
            group[root(a[0])] = root(b[0])
        if len(lost) < count and len({root(each) for each in group}) == 1:
            lost.append(link[0])
    return lost


class PluginTest:
    def __init__(self, weft, plugin):
        self.weft, self.plugin = weft, plugin
        self.counts = collections.Counter()

    def attempt(self, name, test):
        """Runs a test in a folder of its own, which stays if it fails."""
        folder = subnet.new_folder()
        try:
            print(f'ok    {name}: {test(folder)}')
            self.counts['passed'] += 1
        except (Differs, subnet.StepFailed, subprocess.TimeoutExpired) as error:
            self.counts['failed'] += 1
            print(f'FAIL  {name}: {error}; files kept in {folder}')
            return
        finally:
            sys.stdout.flush()
        shutil.rmtree(folder)

    def words(self, fabric, engine, folder):
        """What the plugin gets: an engine, or tables of one."""
        if engine in ENGINES:
            return engine
        done = run(self.weft, 'route', fabric, engine, '-o', str(folder / 'given.weft'))
        if not (folder / 'given.weft').exists():
            if done.returncode != 1:
                raise subnet.StepFailed(f'weft route: {done.stdout}{done.stderr}')
            return None
        return str(folder / 'given.weft')

    def expected(self, managed, fabric, engine):
        """Tables and entries that weft gives by another way for the fabric that the plugin has
        seen, which is what ibnetdiscover finds."""
        seen, texts = str(managed.folder / 'kept' / 'fabric.toml'), []
        done = run(self.weft, 'diff', str(managed.dumps / 'discovered.topo'), seen)
        if done.returncode != 0:
            raise Differs(f'the plugin has seen another fabric: {done.stdout}{done.stderr}')
        fabric = fabric if engine in FILED else seen
        for form in ('weft', 'opensm'):
            file = managed.folder / f'expected.{form}'
            done = run(self.weft, 'route', fabric, most_lanes(engine, 7), '--format', form,
                       '--unsafe', '-o', str(file))
            if not file.exists():
                raise subnet.StepFailed(f'weft route: {done.stdout}{done.stderr}')
            texts.append(file.read_text())
        return texts

    def load_fabric(self, fabric, engine, lmc=0):
        net = random_subnets.made_by(self.weft, fabric)
        plan = random_subnets.SubnetPlan(fabric, net, lmc=lmc)
        guids = sorted(net.nodes[each].guid + port for each, port in net.hosts())
        plan.groups = [guids, sorted(random.Random(1).sample(guids, 2 + len(guids) // 3))]
        self.load(f'{fabric}, {engine}{", two LIDs" if lmc else ""}', plan, engine)

    def load_random(self, seed):
        """A fabric with links missing, hosts with two ports or two LIDs, and groups."""
        plan = random_subnets.random_plan(self.weft, seed)
        # Levels of paths are asked for by node: with several lanes, nodes have one port.
        laned = () if has_single_ports(plan.net) else ('lash', 'dfsssp', 'nue:lanes=4')
        engine = random.Random(seed).choice([each for each in ENGINES if each not in laned])
        self.load(f'seed {seed}, {plan.spec}, {engine}{", two LIDs" if plan.lmc else ""}', plan,
                  engine)

    def load(self, name, plan, engine):
        fabric, net, lmc = plan.spec, plan.net, plan.lmc

        def test(folder):
            (folder / 'groups').write_text(plan.multicast())
            (folder / 'guid2lid').write_text(plan.guid2lid())
            words = self.words(fabric, engine, folder)
            if words is None:
                return 'no engine for this fabric'
            with Managed(folder, net.text(), self.plugin, words) as managed:
                used = managed.manage_by_plugin('-S', 'groups', '-l', str(lmc))
                if used != 'weft':
                    return self.refused(used, managed)
                dump(managed)
                managed.finish()
            # Cables may be broken: what OpenSM cannot reach is not there.
            found = random_subnets.Net((managed.dumps / 'discovered.topo').read_text())
            return self.compare(managed, found, engine, plan)
        self.attempt(name, test)

    def refused(self, used, managed):
        line = re.search(r'weft: ERR: there are no tables of weft: (.*)', managed.log())
        if line is None or used != 'minhop':
            raise Differs(f'OpenSM has fallen back to {used}, and its log does not say why')
        self.counts['refused'] += 1
        return f'refused: {line[1]}'

    def compare(self, managed, net, engine, plan):
        tables, entries = self.expected(managed, plan.spec, engine)
        count = require_tables(entries, net, managed.dumps)
        kept = (managed.folder / 'kept' / 'tables.weft').read_text()
        require_same_levels(levels_in(tables), levels_in(kept))
        pairs = require_levels(levels_in(kept), net, managed.dumps) if has_single_ports(net) else 0
        turns = require_lanes(kept, net, managed.dumps)
        there = {net.nodes[each].guid + port for each, port in net.hosts()}
        groups = [[guid for guid in group if guid in there] for group in plan.groups]
        alone = {0xC001 + number for number, group in enumerate(groups) if len(group) < 2}
        multicast = require_multicast(kept, net, managed.dumps, groups, alone)
        free = require_verdict(self.weft, managed, plan.lmc)
        self.counts.update({'loaded': 1, engine: 1, 'entries': count, 'levels': pairs,
                            'turns': turns, 'multicast': multicast,
                            'free' if free else 'loops': 1})
        return (f'{count} entries, levels of {pairs} paths, lanes of {turns} turns, {multicast} '
                f'multicast entries, {"free of deadlock" if free else "credit loops"}')

    def lose_links(self, fabric, engine, count):
        """Links die one after the other, then come back: every time the switches hold what weft
        gave, few entries have changed, and there is a proof. In the end all is as it was."""
        def test(folder):
            net = random_subnets.made_by(self.weft, fabric)
            (folder / 'guid2lid').write_text(random_subnets.SubnetPlan(fabric, net).guid2lid())
            links = lost_links(net, count)
            words = self.words(fabric, engine, folder) + ' --sticky'
            changed = had_to = anew = 0
            with Managed(folder, net.text(), self.plugin, words) as managed:
                managed.manage_by_plugin()
                first = before = held_by_switches(managed)
                for end in links:
                    log = type_at_console(managed, 'Unlink', *end)
                    now = held_by_switches(managed)
                    self.require_proof(managed, now)
                    said = re.search(r'weft: (\d+) of \d+ entries are changed, (\d+) had to', log)
                    if said is None and 'entries are changed' in log:  # not by the last tables
                        before, anew = held_by_switches(managed), anew + 1
                        continue
                    differ = sum(1 for key in now if now[key] != before.get(key))
                    before = now
                    if 'weft: gone: ' not in log or (differ > 0 and not ORDER.search(log)):
                        raise Differs(f'the log does not say what is gone, and in which order: {log}')
                    if 'weft: all is routed anew' in log:
                        anew += 1
                        continue
                    if differ > 0 and (said is None or int(said[1]) != differ):
                        raise Differs(f'{differ} entries have changed, and weft says {said}')
                    changed, had_to = changed + differ, had_to + (int(said[2]) if said else 0)
                for end in links:
                    type_at_console(managed, 'ReLink', *end)
                    wait_for_kept(managed)
                require_same('entries when all links are back', first, held_by_switches(managed))
                managed.finish()
            if changed > 1.5 * had_to:  # which does not count what deadlocks would forbid
                raise Differs(f'{changed} entries have changed, and {had_to} had to')
            self.counts.update({'lost links': len(links), 'changed': changed, 'had to': had_to,
                                'anew': anew})
            return (f'{len(links)} links lost, {changed} entries changed, {had_to} had to; all anew '
                    f'{anew} times')
        self.attempt(f'{fabric}, {engine}, links die', test)

    def require_proof(self, managed, held):
        """weft's tables are those of the switches, and its certificate holds."""
        kept = managed.folder / 'kept'
        expected = host_entries((kept / 'tables.weft').read_text(),
                                (kept / 'fabric.toml').read_text())
        require_same('entries that weft has kept', expected, held)
        done = run(self.weft, 'verify', str(kept / 'fabric.toml'), str(kept / 'tables.weft'),
                   str(kept / 'certificate'))
        if done.returncode != 0:
            raise Differs(f'the certificate does not hold: {done.stdout}{done.stderr}')

    def misbehave(self, name, script, line):
        """A weft that fails leaves OpenSM with its own routing and a clear line in the log."""
        def test(folder):
            program = folder / 'weft'
            program.write_text(script)
            program.chmod(0o755)
            net = random_subnets.made_by(self.weft, MESH)
            with Managed(folder, net.text(), self.plugin, 'updown --patience 1') as managed:
                managed.inside['WEFT_PROGRAM'] = str(program)
                used = managed.manage_by_plugin()
                if used != 'minhop' or not re.search(line, managed.log()):
                    raise Differs(f'{used}, and the log does not say "{line}"')
                # Mended, it serves the next sweep.
                program.write_text(f'#!/bin/sh\nexec {self.weft} "$@"\n')
                managed.sweep_after(lambda: managed.manager.send_signal(signal.SIGHUP))
                used = re.findall(r'(\S+) tables configured on all switches', managed.log())[-1]
                if used != 'weft':
                    raise Differs(f'after weft works again, OpenSM uses {used}')
                managed.finish()
            return f'"{re.search(line, managed.log())[0]}", and weft again when it works'
        self.attempt(f'a weft that {name}', test)

    def killed_between_sweeps(self):
        """The next sweep starts another weft: OpenSM does not fall back for that."""
        def test(folder):
            net = random_subnets.made_by(self.weft, MESH)
            with Managed(folder, net.text(), self.plugin, 'updown') as managed:
                managed.manage_by_plugin()
                os.kill(children_of(managed.manager.pid)[0], signal.SIGKILL)
                log = managed.sweep_after(lambda: managed.manager.send_signal(signal.SIGHUP))
                if 'weft tables configured' not in log or 'it is started again' not in log:
                    raise Differs(f'the log of the next sweep: {log}')
                managed.finish()
            return 'another one serves the next sweep'
        self.attempt('a weft that is killed between sweeps', test)

    def fails_at_trees(self):
        """OpenSM routes by itself then, and does not sweep for ever."""
        def test(folder):
            program = folder / 'weft'
            program.write_text(NO_TREES.format(weft=self.weft))
            program.chmod(0o755)
            net = random_subnets.made_by(self.weft, MESH)
            plan = random_subnets.SubnetPlan(MESH, net)
            plan.groups = [sorted(net.nodes[each].guid + port for each, port in net.hosts())]
            (folder / 'groups').write_text(plan.multicast())
            with Managed(folder, net.text(), self.plugin, 'updown') as managed:
                managed.inside['WEFT_PROGRAM'] = str(program)
                managed.manage_by_plugin('-S', 'groups')
                subnet.wait_until(lambda: 'minhop tables configured' in managed.log(),
                                  managed.manager, 'opensm')
                managed.sweep_after(lambda: managed.manager.send_signal(signal.SIGHUP))
                sweeps = managed.log().count('SUBNET UP')
                managed.finish()
            if sweeps > 6:
                raise Differs(f'{sweeps} sweeps')
            return f'OpenSM routes by itself; {sweeps} sweeps'
        self.attempt('a weft that fails at trees', test)

    def sweep_often(self, count):
        """Neither OpenSM nor weft grows, whatever is routed how often, and all is given back."""
        def test(folder):
            net = random_subnets.made_by(self.weft, TORUS)
            inner = [link for link in net.links
                     if all(net.nodes[each].kind == 'Switch' for each, _ in link)]
            rng, down, sizes = random.Random(count), [], []
            with Managed(folder, net.text(), self.plugin, 'dfsssp') as managed:
                managed.inside['WEFT_PROGRAM'] = self.weft
                managed.manage_by_plugin()
                for number in range(count):
                    managed.sweep_after(lambda: disturb(managed, rng, inner, down, number))
                    if number in (count // 5, count - 1):
                        sizes.append(sizes_of(managed.manager.pid))
                managed.finish()
            log = managed.log()
            routed = log.count('weft tables configured on all switches')
            if routed < count or 'weft: ERR' in log:
                raise Differs(f'weft has routed {routed} of {count} sweeps')
            if any(last > 1.2 * first + 8 for first, last in zip(*sizes)):
                raise Differs(f'open files and MiB of OpenSM and weft grow from {sizes[0]} to '
                              f'{sizes[1]}')
            for file in folder.glob('sanitizer.*'):
                for report in re.split(r'\n\n', file.read_text(errors='replace')):
                    if re.search(r'libweft\.so|/bin/weft\b|runtime error', report):
                        raise Differs(f'the sanitizer says: {report[:600]}')
            reports = len(list(folder.glob('sanitizer.*')))
            return (f'{routed} sweeps; open files and MiB of OpenSM, then weft: {sizes[0]}, at the '
                    f'end {sizes[1]}; sanitized: {"yes" if sanitizer_of(self.plugin) else "no"}, '
                    f'{reports} reports of leaks in OpenSM itself')
        self.attempt(f'{count} sweeps', test)


def disturb(managed, rng, links, down, number):
    """Every fifth time a link dies or comes back; otherwise OpenSM is told to look again."""
    if number % 5 == 0 and down:
        managed.command('ReLink "{}"[{}]'.format(*down.pop()))
    elif number % 5 == 0:
        down.append(rng.choice(links)[0])
        managed.command('Unlink "{}"[{}]'.format(*down[-1]))
    else:
        managed.manager.send_signal(signal.SIGHUP)


def children_of(pid):
    return [int(each) for task in pathlib.Path(f'/proc/{pid}/task').iterdir()
            for each in (task / 'children').read_text().split()]


def sizes_of(pid):
    """Open files and memory in MiB of a process and of its children."""
    pids = [pid, *children_of(pid)]
    if len(pids) != 2:
        raise subnet.StepFailed(f'OpenSM and its children are {pids}')
    out = []
    for each in pids:
        status = pathlib.Path(f'/proc/{each}/status').read_text()
        out += [len(list(pathlib.Path(f'/proc/{each}/fd').iterdir())),
                int(re.search(r'VmRSS:\s+(\d+)', status)[1]) // 1024]
    return out


MISBEHAVIOURS = (
    ('is not there', '#!/nowhere/weft\n', r'weft: ERR: there are no tables of weft: .*'),
    ('ends at once', '#!/bin/sh\nexit 3\n', r'it ended with status 3'),
    ('crashes', '#!/bin/sh\nkill -SEGV $$\n', r'it was ended by a signal: Segmentation fault'),
    ('takes too long', '#!/bin/sh\nkill -ALRM $$\n', r'it took longer than its patience'),
    ('talks nonsense', '#!/bin/sh\necho nonsense, and a lot of it\nexec sleep 30\n',
     r'there are no tables of weft: it does not answer, and was killed'),
    ('says nothing', '#!/bin/sh\nexec sleep 30\n',
     r'there are no tables of weft: it does not answer, and was killed'))

# A weft that routes, and ends when it is asked for a tree (kind 2).
NO_TREES = '''#!/usr/bin/env python3
import struct, subprocess, sys
weft = subprocess.Popen([{weft!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def frame(source):
    head = source.read(16)
    if len(head) < 16:
        sys.exit(0)
    kind, _, size = struct.unpack('IIQ', head)
    return kind, head + source.read(size)
while True:
    kind, question = frame(sys.stdin.buffer)
    if kind == 2:
        sys.exit(1)
    weft.stdin.write(question)
    weft.stdin.flush()
    while True:
        kind, answer = frame(weft.stdout)
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
        if kind in (5, 7):
            break
'''


def main():
    words = [word for word in sys.argv[1:] if word != '--short']
    sweeps = int(words.pop()) if len(words) == 4 and words[2] == '--sweeps' else 0
    words = words[:2] if sweeps else words
    weft = shutil.which(words[0]) if len(words) == 2 else None
    if weft is None or not (pathlib.Path(words[1]) / 'libweft.so').exists():
        sys.exit('usage: plugin.py WEFT PLUGIN [--short | --sweeps N]; a program, and the folder of libweft.so')
    subnet.require_tools()
    tests = PluginTest(os.path.abspath(weft), os.path.abspath(words[1]))
    if sweeps:
        tests.sweep_often(sweeps)
        sys.exit(0 if tests.counts['failed'] == 0 else 1)
    short = '--short' in sys.argv
    pairs = SHORT if short else [(fabric, engine) for fabric in FABRICS
                                 for engine in ENGINES + FILED]
    for fabric, engine in pairs:
        tests.load_fabric(fabric, engine)
    for name, script, line in MISBEHAVIOURS[2:3] if short else MISBEHAVIOURS:
        tests.misbehave(name, script, line)
    tests.killed_between_sweeps()
    tests.lose_links(IRREGULAR, 'updown', 2 if short else 8)
    if not short:
        tests.fails_at_trees()
        for engine in ('updown', 'dfsssp', 'nue:lanes=4'):
            tests.load_fabric(IRREGULAR, engine, lmc=1)
        for fabric in FABRICS:
            for engine in ('updown', 'dfsssp', 'nue:lanes=3', 'lash'):
                tests.lose_links(fabric, engine, 8)
        tests.lose_links(TORUS, 'dor:lanes=service', 8)
        tests.lose_links(TREE, 'dmodk', 8)
        for seed in range(1, 201):
            tests.load_random(seed)
    counts = tests.counts
    idle = [] if short else [each for each in ENGINES + FILED
                             if each not in NEVER and counts[each] == 0]
    few = counts['changed'] <= 1.2 * counts['had to']
    met = counts['free'] > 0 and counts['refused'] > 0 and few
    print(f'{counts["loaded"]} tables loaded: {counts["entries"]} entries, {counts["levels"]} '
          f'levels, lanes of {counts["turns"]} turns and {counts["multicast"]} multicast entries '
          f'as weft gave them; {counts["free"]} free of deadlock, {counts["loops"]} not, as '
          f'ibdmchk says; {counts["refused"]} refused; {counts["lost links"]} links lost, '
          f'{counts["changed"]} entries changed, {counts["had to"]} had to; '
          f'{counts["failed"]} FAILED')
    if idle or not met:
        print(f'FAIL  engines that were not met: {idle}; tables, refusals and few changes were met: {met}')
    sys.exit(0 if met and not idle and counts['failed'] == 0 else 1)


if __name__ == '__main__':
    main()
