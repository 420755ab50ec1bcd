#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: changes the program a little, in many places, one at a time, and reports which
changes no test notices. See docs/design/tests.md."""
import argparse
import concurrent.futures
import hashlib
import math
import os
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from sites import mutants_of
from verdicts import (AT_START, COLUMNS, KILLED, NO_MUTANT, Campaign, Fault, Inputs, Tests,
                      Verdict, merged, read_reasons, read_verdicts, write_verdicts)
from workshop import FULL, QUICK, Suite, TestRun, Workshop

EXAMPLE = """example:
  ./weft.sh mutants fabric/format      judge the mutants of a room that have no valid verdict
  ./weft.sh mutants --survivors        what no test notices, as changed lines
"""


def parsed(words):
    parser = argparse.ArgumentParser(
        prog="./weft.sh mutants", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Changes the program a little, in many places, one at a time, and reports which"
                    "\nchanges no test notices.", epilog=EXAMPLE)
    parser.add_argument("rooms", nargs="*", metavar="ROOM",
                        help="rooms of src/rooms.txt (default: those of the campaign)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="mutants at a time (default: as many as there are cores)")
    parser.add_argument("--count", type=int, metavar="N", help="mutants per room, as an exception")
    parser.add_argument("--all", action="store_true", help="judge again what has a valid verdict")
    parser.add_argument("--part", default="1/1", metavar="I/N",
                        help="only every N-th of them, from the I-th: for several machines")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M",
                        help="begin no further mutant after this time")
    parser.add_argument("--merge", type=Path, metavar="FILE",
                        help="add the verdicts of another machine's verdicts.csv")
    parser.add_argument("--list", action="store_true", help="list the mutants and their verdicts")
    parser.add_argument("--survivors", action="store_true",
                        help="show what no test notices, and why it may stay so")
    parser.add_argument("--check", action="store_true",
                        help="whether the recorded verdicts are complete and explained; no build")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2],
                        help=argparse.SUPPRESS)  # the tests have small trees of their own
    return parser.parse_args(words)


@dataclass
class Records:
    """What a tree says about its mutants."""

    root: Path

    def __post_init__(self):
        folder = self.root / "tests/mutants"
        self.path = folder / "verdicts.csv"
        self.campaign = Campaign(folder / "campaign.toml", self.root / "src/rooms.txt")
        self.tests = Tests(self.root / "tests")
        self.inputs = Inputs(self.root, self.tests, self.campaign)
        self.verdicts = read_verdicts(self.path)
        self.reasons = read_reasons(folder / "reasons.toml")
        self.sources = {}  # as they were when their mutants were made
        self.lock = threading.Lock()

    def source(self, file):
        return self.sources.setdefault(file, (self.root / file).read_text())

    def is_valid(self, id):
        verdict = self.verdicts.get(id)
        return verdict is not None and self.inputs.of(verdict) == verdict.inputs

    def add(self, mutant, room, outcome, by):
        with self.lock:
            before = self.verdicts.get(mutant.id)
            once = "survived" if outcome == "survived" or (before and before.once) else ""
            verdict = Verdict(room, mutant.file, mutant.id, mutant.context, mutant.kind,
                              mutant.before, mutant.after, outcome, by, once, "")
            self.verdicts[mutant.id] = self.inputs.sealed(verdict)
            write_verdicts(self.path, self.verdicts)

    def killers(self, file):
        """Tests that have killed mutants of a file, the most successful ones first."""
        count = {}
        with self.lock:
            for verdict in self.verdicts.values():
                if verdict.file == file and verdict.verdict == "killed":
                    count[verdict.by] = count.get(verdict.by, 0) + 1
        return sorted(count, key=lambda name: (-count[name], name))

    def forget_gone(self, rooms, candidates):
        """Verdicts on lines that are no more."""
        self.verdicts = {id: v for id, v in self.verdicts.items()
                         if v.room not in rooms or id in candidates}


def candidates_of(records, room):
    return {mutant.id: mutant for file in records.campaign.files(records.root, room)
            for mutant in mutants_of(file, records.source(file))}


def rank(id):
    """A random order that is the same on every machine and every day."""
    return hashlib.sha256(b"1" + id.encode()).digest()


def choose(candidates, verdicts, count):
    """`count` mutants, those with a verdict first, spread over files and kinds. A file with four
    times as many places gets about twice as many mutants; no place is changed twice."""
    groups, sizes, taken, used = {}, {}, {}, set()
    for mutant in sorted(candidates.values(), key=lambda m: rank(m.id)):
        for key in (mutant.file, (mutant.file, mutant.kind)):
            sizes[key] = sizes.get(key, 0) + 1
        groups.setdefault(mutant.file, {}).setdefault(mutant.kind, []).append(mutant)
    chosen = []

    def take(mutant):
        chosen.append(mutant)
        used.add((mutant.file, mutant.begin))
        for key in (mutant.file, (mutant.file, mutant.kind)):
            taken[key] = taken.get(key, 0) + 1

    def fill(key):
        return (taken.get(key, 0) + 1) / math.sqrt(sizes[key])

    for id in sorted(verdicts, key=rank):
        if id in candidates:
            used.add((candidates[id].file, candidates[id].begin))
            if verdicts[id].verdict not in NO_MUTANT and len(chosen) < count:
                take(candidates[id])
    while len(chosen) < count and groups:
        file = min(groups, key=lambda name: (fill(name), name))
        kind = min(groups[file], key=lambda name: (fill((file, name)), name))
        mutant = groups[file][kind].pop(0)
        if not groups[file][kind]:
            del groups[file][kind]
        if not groups[file]:
            del groups[file]
        if (mutant.file, mutant.begin) not in used:
            take(mutant)
    return chosen


class Judging:
    """Judges mutants, several at a time."""

    def __init__(self, records, options):
        self.records, self.options = records, options
        folder = records.root / "build/mutants"
        self.folder = folder / "work"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.workshop = Workshop(records.root, folder, options.jobs)
        self.ends = time.monotonic() + 60 * options.minutes
        self.seconds = []
        self.spent = {"compiling": 0.0, "linking": 0.0}

    def prepare(self, rooms):
        names = sorted({name for room in rooms for name in self.records.campaign.tests_of(room)})
        begun = time.monotonic()
        self.workshop.make_clean(names)
        print(f"built in {time.monotonic() - begun:.0f} s", flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(Suite.learn, self.workshop.suites.values()))
        for name, suite in self.workshop.suites.items():
            print(f"{name}_tests: {len(suite.times)} tests take {suite.quick_seconds:.1f} s with "
                  f"few random cases, {suite.full_seconds:.1f} s with all", flush=True)

    def judge(self, room, mutant):
        if time.monotonic() > self.ends:
            return
        begun = time.monotonic()
        place = self.folder / mutant.id
        try:
            outcome, by = self.outcome(room, mutant, place)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        self.records.add(mutant, room, outcome, by)
        self.seconds.append(time.monotonic() - begun)
        print(f"{outcome:17}{self.seconds[-1]:6.1f} s  {mutant.file}:{mutant.line}: {mutant.kind}"
              f"{'  ' + by if by else ''}", flush=True)

    def outcome(self, room, mutant, place):
        begun = time.monotonic()
        made = self.workshop.compile(mutant, self.records.source(mutant.file), place)
        linked = time.monotonic()
        self.spent["compiling"] += linked - begun
        if made is None:
            return "does not compile", ""
        if self.workshop.same_code(made):
            return "same code", ""
        programs = []
        for name in self.records.campaign.tests_of(room):
            suite, program = self.workshop.suites[name], place / f"{name}_tests"
            if suite.build(made, program):
                programs.append((suite, program))
        self.spent["linking"] += time.monotonic() - linked
        for filters, environment in self.attempts(mutant.file):
            for suite, program in programs:
                if filters[suite.name]:
                    run = TestRun(program, ":".join(filters[suite.name]), environment, suite.times)
                    if run.verdict != "survived":
                        return run.verdict, run.by
        return "survived", ""

    def attempts(self, file):
        """Tests to run one after another, those first that are the most likely to notice."""
        suites = self.workshop.suites.values()
        killers = self.records.killers(file)
        yield {s.name: [name for name in killers if name in s.times][:12] for s in suites}, FULL
        yield {s.name: [name for name in s.times if self.records.tests.is_about(name, file)]
               for s in suites}, QUICK
        yield {s.name: ["*"] if s.quick_seconds < s.full_seconds / 2 else [] for s in suites}, QUICK
        yield {s.name: ["*"] for s in suites}, FULL

    def judge_all(self, work):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            futures = [pool.submit(self.judge, room, mutant) for room, mutant in work]
            try:
                for future in concurrent.futures.as_completed(futures):
                    future.result()
            except BaseException:
                self.ends = 0  # those under way are finished, and no others are begun
                raise


def in_part(id, part):
    number, _, of = part.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise Fault(f"--part {part}: write 2/3 for the second of three parts")
    return int(id, 16) % int(of) == int(number) - 1


def pending(records, room, options, done):
    """Mutants of a room that need a verdict."""
    candidates = candidates_of(records, room)
    records.forget_gone([room], candidates)
    own = {id: v for id, v in records.verdicts.items() if v.room == room}
    count = options.count or records.campaign.count(room)
    return [mutant for mutant in choose(candidates, own, count)
            if mutant.id not in done and in_part(mutant.id, options.part)
            and (options.all or not records.is_valid(mutant.id))]


def judge_rooms(records, rooms, options):
    judging, done = None, set()
    # What does not compile is replaced by others, which may not compile either.
    while work := [(room, mutant) for room in rooms
                   for mutant in pending(records, room, options, done)]:
        if judging is None:
            records.inputs.read_all(rooms)
            judging = Judging(records, options)
            judging.prepare(rooms)
        print(f"{len(work)} mutants", flush=True)
        judging.judge_all(sorted(work, key=lambda pair: rank(pair[1].id)))
        done |= {mutant.id for _, mutant in work}
        if time.monotonic() > judging.ends:
            break
    if judging is not None and judging.seconds:
        parts = [f"{seconds / len(judging.seconds):.1f} s {what}"
                 for what, seconds in judging.spent.items()]
        print(f"{sum(judging.seconds) / len(judging.seconds):.1f} s per mutant and job: "
              f"{', '.join(parts)}, the rest testing")
    write_verdicts(records.path, records.verdicts)


def counts(verdicts, reasons):
    real = [v for v in verdicts if v.verdict not in NO_MUTANT]
    killed = sum(v.verdict in KILLED or "killed_by" in reasons.get(v.id, {}) for v in real)
    equivalent = sum(v.verdict == "survived" and "equivalent" in reasons.get(v.id, {})
                     for v in real)
    return len(real), killed, equivalent


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def summary(records, rooms):
    for room in [*rooms, None]:
        total, killed, equivalent = counts(
            [v for v in records.verdicts.values() if v.room == room or (
                room is None and v.room in rooms)], records.reasons)
        print(f"{room or 'all':20}{total:5} mutants: {killed:4} killed ({share(killed, total)}), "
              f"{equivalent:3} equivalent, {total - killed - equivalent:3} others survive; "
              f"{share(killed, total - equivalent)} of those that can be killed are")


def show_list(records, rooms):
    for room in rooms:
        options = argparse.Namespace(count=None, all=True, part="1/1")
        for mutant in pending(records, room, options, ()):
            verdict = records.verdicts.get(mutant.id)
            state = "no verdict" if verdict is None else verdict.verdict
            stale = "" if verdict is None or records.is_valid(mutant.id) else " (stale)"
            print(f"{mutant.id}  {state + stale:26}{mutant.file}:{mutant.line}: {mutant.kind}: "
                  f"{mutant.before} → {mutant.after}")


def show_survivors(records, rooms):
    for room in rooms:
        lines = {mutant.id: mutant.line for mutant in candidates_of(records, room).values()}
        for v in records.verdicts.values():
            if v.room != room or v.verdict != "survived":
                continue
            reason = records.reasons.get(v.id, {"no reason": "not explained yet"})
            said = "; ".join(f"{key}: {text}" for key, text in reason.items())
            print(f"[{v.id}] {v.file}:{lines.get(v.id, '?')} {v.context} ({v.kind}): {said}\n"
                  f"-  {v.before}\n+  {v.after}\n")


def complaints(records):
    """What is wrong with the recorded verdicts."""
    survivors = {id for id, v in records.verdicts.items() if v.verdict == "survived"}
    for id, v in records.verdicts.items():
        if id in survivors and id not in records.reasons:
            yield f"{id} ({v.file}: {v.after}) survives without a reason in reasons.toml"
        if v.verdict in KILLED and v.by != AT_START and not records.tests.exists(v.by):
            yield f"{id} ({v.file}) is killed by {v.by}, which is no test; judge it again"
    for id, reason in records.reasons.items():
        if id not in survivors:
            yield f"reasons.toml: {id} is no survivor"
        if "killed_by" in reason and not records.tests.exists(reason["killed_by"]):
            yield f"reasons.toml: {id} is killed by {reason['killed_by']}, which is no test"
    if not records.campaign.complete:
        return
    campaign = records.campaign
    total, killed, equivalent = counts(records.verdicts.values(), records.reasons)
    if total < campaign.least_mutants:
        yield f"{total} mutants have a verdict; the campaign needs {campaign.least_mutants}"
    if killed <= campaign.least_killed * (total - equivalent):
        yield (f"{killed} of {total - equivalent} mutants are killed: "
               f"not over {100 * campaign.least_killed:g} %")


def check(records):
    found = list(complaints(records))
    for complaint in found:
        print(f"mutants: {complaint}")
    stale = sum(not records.is_valid(id) for id in records.verdicts)
    total, killed, equivalent = counts(records.verdicts.values(), records.reasons)
    print(f"{total} mutants, {killed} killed, {equivalent} equivalent; {stale} verdicts are older "
          "than their sources")
    return 1 if found else 0


def main(words):
    options = parsed(words)
    records = Records(options.root.resolve())
    rooms = options.rooms or list(records.campaign.rooms)
    for room in rooms:
        if room not in records.campaign.all_rooms and room not in records.campaign.rooms:
            raise Fault(f'there is no room "{room}"; src/rooms.txt lists them')
    if options.merge:
        others = read_verdicts(options.merge)
        records.verdicts = merged(records.verdicts, others, records.inputs)
        write_verdicts(records.path, records.verdicts)
        print(f"{len(others)} verdicts of {options.merge}, {len(records.verdicts)} in all")
        return 0
    if options.check:
        return check(records)
    if options.list:
        show_list(records, rooms)
    elif options.survivors:
        show_survivors(records, rooms)
    else:
        judge_rooms(records, rooms, options)
        summary(records, rooms)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Fault as fault:
        print(f"mutants: {fault}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
