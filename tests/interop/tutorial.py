#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/infiniband.md as an administrator types them, those of OpenSM included (the
blocks ```console opensm), on the fabric irr16 that ibsim simulates. The blocks ```console alone
bring an ibsim of their own, and are run as a whole.

usage: tutorial.py WEFT PLUGIN, the program and the folder of libweft.so"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import subnet

PAGE = subnet.HERE.parents[1] / 'docs' / 'infiniband.md'
PATIENCE = 120


def steps_of(text):
    """(Whether OpenSM's tools may be used, command, expected lines) one after the other."""
    for kind, block in re.findall(r'^```(console(?: opensm)?)\n(.*?)^```$', text,
                                  re.MULTILINE | re.DOTALL):
        lines = block.splitlines()
        while lines:
            command = lines.pop(0).removeprefix('$ ')
            while command.endswith('\\'):
                command += '\n' + lines.pop(0)
            if here := re.search(r"<<'?(\w+)'?", command):
                while not command.endswith(f'\n{here[1]}'):
                    command += '\n' + lines.pop(0)
            expected = []
            while lines and not lines[0].startswith('$ '):
                expected.append(lines.pop(0))
            yield kind != 'console', command, expected


def pattern_of(expected):
    """`<...>` is any text in a line, a line of three dots any lines."""
    out = ''
    for line in expected:
        if line == '...':
            out += r'(?:.*\n)*?'
        else:
            out += '.*'.join(re.escape(part) for part in line.split('<...>')) + '\n'
    return re.compile(out)


def run_step(managed, opensm, command, expected):
    """What went wrong, or nothing."""
    environment = managed.inside if opensm else managed.environment
    done = subprocess.run(['bash', '-c', command], cwd=managed.folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE)
    found = done.stdout.rstrip('\n')
    found += '\n' if found else ''
    if done.returncode != 0:
        found += f'[exit {done.returncode}]\n'
    while expected and not expected[-1]:
        expected.pop()
    if not pattern_of(expected).fullmatch(found):
        return '\n'.join(['expected:', *expected, 'found:', found])
    return None


def run_alone(managed, text):
    """Blocks that are one session of a shell, in a folder of their own."""
    count = 0
    for number, block in enumerate(re.findall(r'^```console alone\n(.*?)^```$', text,
                                              re.MULTILINE | re.DOTALL)):
        commands = [line.removeprefix('$ ') for line in block.splitlines()]
        folder = managed.folder / f'alone{number}'
        folder.mkdir()
        done = subprocess.run(['bash', '-e', '-c', '\n'.join(commands)], cwd=folder, text=True,
                              env=dict(managed.environment, IBSIM_SOCKNAME=f'{managed.socket}a',
                                       SIM_HOST=''),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE)
        dumped = folder / 'after.lft'
        if done.returncode != 0 or not dumped.exists() or 'Unicast lids' not in dumped.read_text():
            sys.exit(f'FAIL  {PAGE.name}: {block}: status {done.returncode}\n{done.stdout}')
        count += len(commands)
    return count


def main():
    if len(sys.argv) != 3 or shutil.which(sys.argv[1]) is None:
        sys.exit('usage: tutorial.py WEFT PLUGIN, the program and the folder of libweft.so')
    subnet.require_tools()
    weft, plugin = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = subnet.new_folder()
    subprocess.run([weft, 'sample', 'irr16'], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    net = (folder / 'irr16' / 'ibnetdiscover.txt').read_text()
    shutil.rmtree(folder / 'irr16')
    count = {False: 0, True: 0}
    with subnet.Subnet(folder, net) as managed:
        for place in (managed.environment, managed.inside):
            place['PATH'] = f'{pathlib.Path(weft).parent}:{place["PATH"]}'
            place['LD_LIBRARY_PATH'] = plugin
        managed.simulate()
        for opensm, command, expected in steps_of(PAGE.read_text()):
            count[opensm] += 1
            if problem := run_step(managed, opensm, command, expected):
                sys.exit(f'FAIL  {PAGE.name}: $ {command}\n{problem}\nfiles kept in {folder}')
        count[True] += run_alone(managed, PAGE.read_text())
        managed.finish()
    shutil.rmtree(folder)
    print(f'ok    {PAGE.name}: {count[False]} commands of weft alone, {count[True]} with OpenSM')
    sys.exit(0 if count[True] > 0 else 1)


if __name__ == '__main__':
    main()
