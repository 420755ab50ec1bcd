# SPDX-License-Identifier: Apache-2.0
"""What OpenSM and the switches must hold, compared with what weft has written."""
import collections
import re

import subnet


class Differs(Exception):
    """OpenSM does something else than weft said."""


def most_lanes(engine, lanes=8):
    """What weft makes of an engine that may take more lanes than InfiniBand has."""
    return f'{engine}:lanes={lanes}' if engine in ('dfsssp', 'lash') else engine


def levels_in(text):
    """By destination host: the levels by source switch. Packets of tables with lanes by turns keep
    the lane that they begin with, otherwise there is no folder."""
    switches = re.search(r'^switches (.*)$', text, re.MULTILINE)[1].split()
    levels, hosts = {}, []
    turns = re.search(r'^turns from hosts (\d+) ', text, re.MULTILINE)
    usual = int(turns[1]) if turns else 0
    for line in text.splitlines():
        if line.startswith('to '):
            hosts = line[3:].split(':')[0].split('|')[0].split()
            ports = line.split(':')[1].split()  # at its own switch, a packet meets no lane
            row = [0 if port == '.' else usual for port in ports]
            levels.update({host: row for host in hosts})
        elif line.startswith('level '):
            row = [int(word) for word in line.split()[1:]]
            levels.update({host: row * len(switches) if len(row) == 1 else row for host in hosts})
    return {host: dict(zip(switches, row)) for host, row in levels.items()}


def entries(text):
    """Port by switch and LID."""
    out, at = {}, None
    for line in text.splitlines():
        if header := re.match(r'Unicast lids.* guid (0x\w+)', line):
            at = int(header[1], 16)
        elif entry := re.match(r'(0x\w+) (\d+)', line):
            out[at, int(entry[1], 16)] = int(entry[2])
    return out


def require_same(what, expected, found):
    if expected == found:
        return
    wrong = sorted(key for key in expected.keys() | found.keys()
                   if expected.get(key) != found.get(key))
    first = wrong[0]
    raise Differs(f'{what}: {len(wrong)} of {len(expected)} differ; the first, {first}, is '
                  f'{found.get(first)} and not {expected.get(first)}')


def require_tables(written, net, dumps):
    """The dumps have the entries that weft has written, and all switches have all LIDs.
    dump_fts may leave the last out, where it is a multiple of 64."""
    expected = entries(written)
    found = entries((dumps / 'opensm-lfts.dump').read_text())
    # Tables of an engine may leave switches without hosts out, but these have to answer, too.
    with_hosts = {net.nodes[each].guid for link in net.links for each, _ in link
                  if any(net.nodes[end].kind == 'Ca' for end, _ in link)}
    expected.update({key: port for key, port in found.items()
                     if key not in expected and key[0] not in with_hosts})
    require_same('entries of opensm-lfts.dump', expected, found)
    asked = entries((dumps / 'switches.lft').read_text())
    last = max(lid for _, lid in expected)
    require_same('entries of dump_fts', {key: port for key, port in expected.items()
                                         if key in asked or key[1] != last}, asked)
    lids = {lid for _, lid in expected}
    if len(expected) != len(net.switches()) * len(lids):
        raise Differs(f'{len(expected)} entries, not {len(net.switches())} x {len(lids)}')
    return len(expected)


def require_levels(levels, net, dumps):
    """The level of every pair is that of weft's own tables."""
    names = {net.nodes[each].guid: net.nodes[each].name for each in net.nodes}
    switch_of = {}
    for a, b in net.links:
        for host, other in ((a, b), (b, a)):
            if net.nodes[host[0]].kind == 'Ca':
                switch_of[net.nodes[host[0]].name] = net.nodes[other[0]].name
    lids = {first + further: names[guid] for guid, first, lmc in
            subnet.hosts_of((dumps / 'discovered.topo').read_text())
            for further in range(1 << lmc)}
    found = {}
    for line in (dumps / 'opensm.psl').read_text().splitlines():
        guid, lid, level = line.split()
        found[names[int(guid, 16)], int(lid)] = int(level)
    expected = {(source, lid): levels[target][switch_of[source]]
                for source in switch_of for lid, target in lids.items() if source != target}
    require_same('service levels of pairs', expected, found)
    return len(found)


def ports_by_switch(text, switch, row, ports):
    """What `ports` finds in the rows of a dump, by the GUID of their switch."""
    out, at = collections.defaultdict(set), None
    for line in text.splitlines():
        if header := re.match(switch + r' (0x\w+)', line):
            at = int(header[1], 16)
        elif found := re.match(row, line):
            out[at] |= ports(found[1])
    return out
