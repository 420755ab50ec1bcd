# SPDX-License-Identifier: Apache-2.0
"""What is known about mutants: verdicts.csv, reasons.toml, and which of it is still valid."""
import csv
import hashlib
import io
import re
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path

KILLED = ("killed", "timed out")
NO_MUTANT = ("does not compile", "same code")
AT_START = "the start of the program"  # where a program ends before its first test
VERDICTS = KILLED + NO_MUTANT + ("survived",)


@dataclass(frozen=True)
class Verdict:
    """One line of verdicts.csv."""

    room: str
    file: str
    id: str
    context: str
    kind: str
    before: str
    after: str
    verdict: str
    by: str  # the test that noticed first
    once: str  # "survived" if it has ever survived
    inputs: str  # hash of what the verdict depends on


COLUMNS = [field.name for field in fields(Verdict)]


class Fault(Exception):
    """Something that the user must repair; its text says what."""


def read_verdicts(path):
    """Verdicts by id."""
    if not path.exists():
        return {}
    rows = list(csv.reader(io.StringIO(path.read_text())))
    if not rows or rows[0] != COLUMNS:
        raise Fault(f"{path.name}: the first line is to be {','.join(COLUMNS)}")
    found = {}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS):
            raise Fault(f"{path.name}: row {number} has {len(row)} columns, not {len(COLUMNS)}")
        verdict = Verdict(*row)
        if verdict.verdict not in VERDICTS:
            raise Fault(f'{path.name}: row {number}: "{verdict.verdict}" is no verdict')
        if verdict.id in found:
            raise Fault(f"{path.name}: {verdict.id} is listed twice")
        found[verdict.id] = verdict
    return found


def write_verdicts(path, verdicts):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    order = ("room", "file", "context", "before", "after", "id")
    for row in sorted(verdicts.values(), key=lambda v: [getattr(v, name) for name in order]):
        writer.writerow([getattr(row, column) for column in COLUMNS])
    part = path.with_suffix(".part")
    part.write_text(text.getvalue())
    part.replace(path)  # never half a file, whenever the campaign is stopped


def read_reasons(path):
    """Why survivors may survive: id → {"equivalent": text} or {"killed_by": test, …}."""
    reasons = tomllib.loads(path.read_text()) if path.exists() else {}
    for id, reason in reasons.items():
        known = [key for key in ("equivalent", "killed_by", "accepted") if reason.get(key)]
        if len(known) != 1:
            raise Fault(f"{path.name}: [{id}] needs one of: equivalent, killed_by, accepted")
    return reasons


def plain_test_name(name):
    """Suite.Test of Instance/Suite.Test/parameter."""
    suite, _, test = name.partition(".")
    return f"{suite.split('/')[-1]}.{test.split('/')[0]}"


class Tests:
    """The sources of tests below a folder, and which of them holds which test."""

    MACRO = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)"
                       r"\(\s*(\w+),\s*(\w+)", re.M)

    def __init__(self, folder):
        self.folder = folder
        self.files = {}  # test → file
        for file in sorted(folder.glob("*/*_test.cpp")):
            for match in self.MACRO.finditer(file.read_text()):
                self.files[f"{match.group(1)}.{match.group(2)}"] = file

    def exists(self, name):
        return plain_test_name(name) in self.files

    def file_of(self, name):
        return self.files.get(plain_test_name(name))

    def is_about(self, name, file):
        """Whether a test's file or suite shares a word with the path of a source."""
        words = re.split(r"[/_.]", file)[2:-1]  # not src, the room's first folder and the suffix
        test_file = self.file_of(name)
        own = re.findall(r"[A-Z][a-z0-9]+", plain_test_name(name).partition(".")[0])
        own += test_file.stem.split("_") if test_file else []
        return bool({word.lower() for word in own} & set(words))

    def sources(self, folders):
        """All that the tests of these folders are made of."""
        return sorted(file for name in [*folders, "support"]
                      for file in (self.folder / name).glob("*") if file.suffix in (".cpp", ".hpp"))


class Inputs:
    """Hashes of what verdicts depend on: a killed mutant's file and the test that killed it, a
    survivor's file and all tests of its room."""

    def __init__(self, root, tests, campaign):
        self.root, self.tests, self.campaign = root, tests, campaign
        self.known = {}

    def of_file(self, path):
        if path not in self.known:
            data = path.read_bytes() if path.exists() else b""
            self.known[path] = hashlib.sha256(data).hexdigest()
        return self.known[path]

    def read_all(self, rooms):
        """Keeps what the files are now: edits during a campaign make its verdicts old."""
        for room in rooms:
            for file in self.campaign.files(self.root, room):
                self.of_file(self.root / file)
            for file in self.tests.sources(self.campaign.tests_of(room)):
                self.of_file(file)

    def of(self, verdict):
        files = [self.root / verdict.file]
        if verdict.verdict in KILLED and (file := self.tests.file_of(verdict.by)):
            files.append(file)
        elif verdict.verdict not in NO_MUTANT:
            files += self.tests.sources(self.campaign.tests_of(verdict.room))
        return hashlib.sha256("".join(map(self.of_file, files)).encode()).hexdigest()[:12]

    def sealed(self, verdict):
        return replace(verdict, inputs=self.of(verdict))


def merged(mine, others, inputs):
    """Both lists as one. Where both have a verdict, one that holds for the present sources wins."""
    out = dict(mine)
    for id, other in others.items():
        own = mine.get(id)
        if own is None or inputs.of(own) != own.inputs or inputs.of(other) == other.inputs:
            once = "survived" if "survived" in (other.once, own.once if own else "") else other.once
            out[id] = replace(other, once=once)
    return out


class Campaign:
    """campaign.toml: rooms, how many mutants of each, and whose tests are to notice them."""

    def __init__(self, path, rooms_path):
        data = tomllib.loads(path.read_text())
        self.rooms = data["rooms"]
        self.complete = data["complete"]
        self.least_mutants, self.least_killed = data["least_mutants"], data["least_killed"]
        self.all_rooms = [line.partition(":")[0] for line in rooms_path.read_text().splitlines()
                          if line and not line.startswith("#")]

    def tests_of(self, room):
        return self.rooms.get(room, {}).get("tests", [room.split("/")[0]])

    def count(self, room):
        return self.rooms.get(room, {}).get("count", 40)

    def files(self, root, room):
        """Sources of a room, without those of rooms inside it, relative to the tree."""
        patterns = self.rooms.get(room, {}).get("files", [f"{room}/**/*"])
        inner = [other for other in self.all_rooms if other.startswith(room + "/")]
        found = {path.relative_to(root) for pattern in patterns
                 for path in (root / "src").glob(pattern) if path.suffix in (".cpp", ".hpp")}
        return sorted(str(path) for path in found
                      if not any(Path("src", other) in path.parents for other in inner))
