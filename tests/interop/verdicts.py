# SPDX-License-Identifier: Apache-2.0
"""What ibdmchk and weft say about the dumps of a subnet, in the same words."""
import dataclasses
import json
import re
import shutil
import subprocess

PATIENCE = 300


@dataclasses.dataclass
class Judgement:
    """None: the program gives no verdict."""
    reached: bool = None  # every port of a host reaches every other one
    loops: bool = None  # there are credit loops
    why: str = ''

    def agrees(self, other):
        """Where both have a verdict it is the same."""
        return all(mine is None or its is None or mine == its
                   for mine, its in ((self.reached, other.reached), (self.loops, other.loops)))

    def __str__(self):
        words = {None: 'not judged', True: 'yes', False: 'no'}
        return f'(reached: {words[self.reached]}, credit loops: {words[self.loops]})'


def moved_lids(dumps, folder):
    """The dumps with all LIDs less one. With an LMC, ibdmchk looks for ports at LIDs 1, 1 + 2^LMC
    and so on, whereas InfiniBand wants multiples of 2^LMC."""
    shutil.copytree(dumps, folder)
    rules = [('opensm-subnet.lst', r'(LID:)([0-9A-F]{4})', 16, '{}{:04X}'),
             ('opensm.fdbs', r'^(0x)([0-9A-Fa-f]{4})(?= :)', 16, '{}{:04x}'),
             ('opensm.psl', r'^(0x[0-9a-f]{16} )(\d+)', 10, '{}{}')]
    for name, pattern, base, form in rules:
        file = folder / name
        if file.exists():
            text = file.read_text()
            file.write_text(re.sub(
                pattern, lambda m: form.format(m[1], max(int(m[2], base) - 1, 0)), text,
                flags=re.MULTILINE))
    return folder


def judged_by_ibdmchk(dumps, lmc, multicast):
    """ibdmchk looks for credit loops only if all pairs are reached and all groups are trees."""
    if lmc > 0 and not (moved := dumps.parent / f'{dumps.name}-moved').exists():
        moved_lids(dumps, moved)
    folder = moved if lmc > 0 else dumps
    command = ['ibdmchk', '-s', 'opensm-subnet.lst', '-f', 'opensm.fdbs', '-m', 'opensm.mcfdbs',
               '-l', str(lmc)]
    for option, name in (('-c', 'opensm.psl'), ('-d', 'opensm-sl2vl.dump')):
        if (folder / name).exists():
            command += [option, name]
    done = subprocess.run(command + ['-M'] * multicast, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE, text=True, errors='replace')
    (dumps.parent / f'{dumps.name}-ibdmchk{"-M" * multicast}.log').write_text(done.stdout)
    if 'credit loops in routing' in done.stdout:
        return Judgement(True, True)
    if 'no credit loops found' in done.stdout:
        return Judgement(True, False)
    if 'Some Point to Point Traversals Failed' in done.stdout:
        return Judgement(False)
    return Judgement(why=f'status {done.returncode}: {done.stdout.strip().splitlines()[-1:]}')


def judged_by_weft(weft, folder):
    """Judgements of unicast alone, and with multicast."""
    file = folder.parent / f'{folder.name}.json'
    done = subprocess.run([weft, 'check', str(folder), '--json', str(file)], timeout=PATIENCE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (folder.parent / f'{folder.name}-weft.log').write_text(done.stdout)
    if done.returncode > 1:
        nothing = Judgement(why=f'status {done.returncode}: {done.stdout.strip()}')
        return nothing, nothing
    found = {each['check']: each for each in json.loads(file.read_text())['findings']}
    reached, deadlock = found['reach']['verdict'] == 'ok', found['deadlock']
    if deadlock['verdict'] == '?':
        nothing = Judgement(reached, why=deadlock['summary'])
        return nothing, nothing
    return tuple(Judgement(reached, deadlock['numbers'].get(key) == 0)
                 for key in ('unicast_free', 'free'))
