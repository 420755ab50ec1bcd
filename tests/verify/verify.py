#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second verifier of certificates, written from docs/certificate.md alone, for tests.

verify.py FABRIC TABLES CERTIFICATE   prints "holds", "fails" or "refused", and why
verify.py --batch FILE                the same for many cases, a line each; a case is a line with the
                                      lengths of three texts, and the texts
"""
import re
import sys


class Refused(Exception):
    """A text is not in the form that the page describes."""


class Fails(Exception):
    """The certificate does not hold."""


QUOTED = r'"(?:\\[\x00-\xff]|[^"\\\n])*"'
FABRIC_WORD = re.compile(r"[ \t\r\n,=]+|#[^\n]*|(" + QUOTED + r'|[\[\]{}]|[^ \t\r\n\[\],={}#"]+)')
LINE_WORD = re.compile(r"[ \t\r]+|#[^\n]*|(" + QUOTED + r'|[:,|]|[^ \t\r\n:,|#"]+)')


def words_of(text, pattern):
    at, out = 0, []
    while at < len(text):
        match = pattern.match(text, at)
        if not match:
            raise Refused("an open quote")
        if match.group(1):
            word = match.group(1)
            if any(letter < " " for letter in word):
                raise Refused("a control character")
            out.append(word)
        at = match.end()
    return out


def number(word, least, most):
    if not re.fullmatch("[0-9]+", word) or not least <= int(word) <= most:
        raise Refused(f"{word} is no number from {least} to {most}")
    return int(word)


def lines_of(text):
    lines = [words_of(line, LINE_WORD) for line in text.split("\n")]
    return [words for words in lines if words]


def name(word):
    if not word or word in "[]{}:,|":
        raise Refused("a mark is no name")
    return word[1:-1] if word.startswith('"') else word


def known(word, names):
    if name(word) not in names:
        raise Refused(f"{word} is not known")
    return name(word)


class Fabric:
    """ports: by switch; beyond: what is behind (switch, port), ("switch", name, in-port) or
    ("host", name); place: (switch, port) by host."""

    def __init__(self, text):
        self.ports, self.beyond, self.place = {}, {}, {}
        self.words = words_of(text, FABRIC_WORD) + [""]
        self.words.reverse()
        self.expect("weft")
        self.expect('"fabric 1"')
        while self.words[-1] in ("name", "speed", "delay"):
            self.words.pop()
            self.text()
        self.expect("switches")
        self.expect("[")
        while self.row_begins():
            switch = self.text()
            if switch in self.ports:
                raise Refused(f"two switches {switch}")
            self.ports[switch] = number(self.words.pop(), 0, 65000)
            self.end_row()
        self.expect("hosts")
        self.expect("[")
        while self.row_begins():
            host = self.text()
            if host in self.place:
                raise Refused(f"two hosts {host}")
            self.place[host] = self.end()
            self.beyond[self.place[host]] = ("host", host)
            self.end_row()
        self.expect("links")
        self.expect("[")
        while self.row_begins():
            a = self.end()
            self.beyond[a] = None
            b = self.end()
            if a[0] == b[0]:
                raise Refused("a link from a switch to itself")
            self.beyond[a], self.beyond[b] = ("switch", *b), ("switch", *a)
            self.end_row()
        if self.words != [""]:
            raise Refused("more text")

    def expect(self, word):
        if self.words.pop() != word:
            raise Refused(f"no {word}")
        if not self.words:
            raise Refused("the end")

    def text(self):
        return name(self.words.pop() if len(self.words) > 1 else "")

    def end(self):
        switch = self.text()
        if switch not in self.ports:
            raise Refused(f"no switch {switch}")
        port = number(self.words.pop() if len(self.words) > 1 else "", 1, self.ports[switch])
        if (switch, port) in self.beyond:
            raise Refused("a port twice")
        return switch, port

    def row_begins(self):
        if self.words[-1] == "]":
            self.words.pop()
            return False
        self.expect("[")
        return True

    def end_row(self):
        if self.words[-1] == "{":
            while self.words[-1] != "}":
                self.words.pop()
                if self.words == [""]:
                    raise Refused("an open brace")
            self.words.pop()
        self.expect("]")


class Line:
    """The words of a line, taken from the left."""

    def __init__(self, words):
        self.words, self.at = words, 0

    def peek(self):
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self):
        if not self.peek():
            raise Refused("a line ends early")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, *words):
        for word in words:
            if self.take() != word:
                raise Refused(f"no {word}")

    def ends(self):
        return self.at == len(self.words)

    def rest(self):
        out, self.at = self.words[self.at :], len(self.words)
        return out

    def end(self):
        if not self.ends():
            raise Refused("a line is too long")


class Lines:
    def __init__(self, text):
        self.lines = [Line(words) for words in lines_of(text)]
        self.lines.reverse()

    def take(self, keyword):
        """The next line, after its keyword; or None if it begins with another one."""
        if not self.lines or self.lines[-1].peek() != keyword:
            return None
        line = self.lines.pop()
        line.take()
        return line

    def need(self, keyword):
        line = self.take(keyword)
        if line is None:
            raise Refused(f"no line {keyword}")
        return line

    def done(self):
        if self.lines:
            raise Refused("a line that may not stand here")


def distinct(things):
    if len(set(things)) != len(things):
        raise Refused("a thing twice")
    return things


class Group:
    def __init__(self, label, lane, level, source, root, members):
        self.label, self.lane, self.level = label, lane, level  # a lane, or a level
        self.source, self.root = source, root
        self.members, self.out, self.up = members, {}, {}


class Tables:
    def __init__(self, text, fabric):
        self.fabric = fabric
        lines = Lines(text)
        line = lines.need("weft")
        line.expect("tables", "1")
        line.end()
        lines.take("engine")
        line = lines.need("lanes")
        self.lanes = number(line.take(), 1, 64)
        line.end()
        line = lines.need("columns")
        line.expect("hosts")
        self.to_switches = not line.ends()
        if self.to_switches:
            line.expect("switches")
        line.end()
        line = lines.need("paths")
        self.by_source = line.take()
        line.end()
        if self.by_source not in ("source", "destination", "choices"):
            raise Refused("paths of an unknown kind")
        self.by_choice = self.by_source == "choices"
        self.by_source = self.by_source == "source"
        self.order = distinct([known(w, fabric.ports) for w in lines.need("switches").rest()])
        if len(self.order) != len(fabric.ports):
            raise Refused("a switch is not listed")
        self.link_groups = {}
        while self.by_source and (line := lines.take("links")):
            label = f"g{len(self.link_groups)}"
            line.expect(label, ":")
            self.link_groups[label] = distinct([number(w, 1, 65000) for w in line.rest()])
        if self.by_choice:
            self.read_choices(lines)
        self.read_lanes(lines)
        self.columns = []
        while line := lines.take("to") or self.by_choice and (
            lines.take("in") or lines.take("via")
        ):
            if line.words[0] == "to":
                self.columns.append(self.read_column(line, lines))
            else:
                self.read_phase_column(line, lines)
        self.groups = []
        while line := lines.take("group"):
            self.groups.append(self.read_group(line, lines))
        lines.done()
        distinct([group.label for group in self.groups])
        distinct([h for column in self.columns for h in column["hosts"]])
        distinct([s for column in self.columns for s in column["switches"]])

    def port(self, word, switch, least):
        return number(word, least, self.fabric.ports[switch])

    def lane(self, word):
        return number(word, 0, self.lanes - 1)

    def mark(self, word):
        return word if word in ("=", "+", "-", "x") else self.lane(word)

    def read_lanes(self, lines):
        self.rule, self.levels, self.special = "zero", 0, {}
        if line := lines.take("turns"):
            self.rule = "turns"
            line.expect("from", "hosts")
            self.from_hosts = self.mark(line.take())
            line.expect("otherwise")
            self.otherwise = self.mark(line.take())
            line.end()
            while line := lines.take("turn"):
                switch = known(line.take(), self.fabric.ports)
                key = switch, self.port(line.take(), switch, 0)
                line.expect(":")
                marks = [self.mark(word) for word in line.rest()]
                if len(marks) == 1:
                    marks *= self.fabric.ports[switch] + 1
                if len(marks) != self.fabric.ports[switch] + 1 or key in self.special:
                    raise Refused("a wrong turn line")
                self.special[key] = marks
        elif line := lines.take("levels"):
            if line.peek() == "unknown":
                line.take()
                line.end()
                return
            self.rule, self.levels = "levels", self.lanes
            if line.ends():
                return
            self.rule, self.levels = "map", number(line.take(), 1, 256)
            self.usual = self.read_map(line)
            while line := lines.take("map"):
                switch = known(line.take(), self.fabric.ports)
                key = switch, self.port(line.take(), switch, 0), self.port(line.take(), switch, 0)
                if key in self.special:
                    raise Refused("a map line twice")
                self.special[key] = self.read_map(line)

    def read_choices(self, lines):
        self.sets, self.phases, self.intermediates = [], [], []
        while line := lines.take("choice"):
            line.expect(f"c{len(self.sets)}", ":")
            self.sets.append([self.read_choice(word) for word in line.rest() if word != "|"])
            if not self.sets[-1]:
                raise Refused("a choice of nothing")
        if line := lines.take("regions"):
            for word in line.rest():
                number(word, 0, 2**32 - 1)
        if line := lines.take("intermediates"):
            line.take()
            line.end()
        if line := lines.take("decide"):
            if len(line.rest()) != 7:
                raise Refused("a wrong line decide")
        self.starts, self.start_by_level = [0], False
        if line := lines.take("start"):
            if line.peek() in ("random", "queue", "level"):
                self.start_by_level = line.take() == "level"
            self.starts = distinct([number(word, 0, 7) for word in line.rest()])
        while line := lines.take("phase"):
            line.expect(str(len(self.phases)))
            name(line.take())
            line.expect(":", "to")
            phase = {"away": line.peek() == "intermediates", "next": None, "detour": None}
            phase["own"] = {}
            line.take() if phase["away"] else line.expect("hosts")
            if phase["away"]:
                line.expect("next")
                phase["next"] = number(line.take(), 0, 7)
            elif not line.ends():
                line.expect("detour")
                phase["detour"] = number(line.take(), 0, 7)
            line.end()
            self.phases.append(phase)
        if not self.phases:
            self.phases = [{"away": False, "next": None, "detour": None, "own": {}}]
        self.check_phases()

    def check_phases(self):
        count = len(self.phases)
        if count > 8 or not self.starts or max(self.starts) >= count:
            raise Refused("wrong phases")
        for phase in self.phases:
            if phase["away"] and (
                phase["next"] >= count or self.phases[phase["next"]]["away"]
            ):
                raise Refused("a wrong next phase")
            detour = phase["detour"]
            if detour is not None and (detour >= count or not self.phases[detour]["away"]):
                raise Refused("a wrong detour")
        for choices in self.sets:
            for choice in choices:
                if choice[2] is None and count == 1:
                    choice[2] = 0
                if choice[2] is None or choice[2] >= count:
                    raise Refused("a choice without a phase")

    def read_choice(self, word):
        match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?(?:>([0-9]+))?", word)
        if not match:
            raise Refused("no choice")
        port, lane, phase = match.groups()
        return [
            number(port, 1, 65000),
            None if lane is None else self.lane(lane),
            None if phase is None else number(phase, 0, 7),
        ]

    def read_phase_column(self, line, lines):
        hosts = None
        if line.words[0] == "in":
            phase = self.phases[number(line.take(), 0, len(self.phases) - 1)]
            if phase["away"]:
                raise Refused("a phase without columns")
            line.expect("to")
            hosts = []
            while line.peek() != ":":
                hosts.append(known(line.take(), self.fabric.place))
        line.expect(":")
        if line.peek() == "=":
            line.take()
            line.end()
            if not self.columns:
                raise Refused("no column before")
        else:
            entry = self.read_ports(line.rest())
            self.columns.append({"hosts": [], "further": [], "switches": [], "entry": entry})
            self.columns[-1].update({"level": dict.fromkeys(self.order, 0), "by_host": False})
        self.read_levels(self.columns[-1], lines)
        for host in hosts or []:
            if host in phase["own"]:
                raise Refused("a host twice in a phase")
            phase["own"][host] = self.columns[-1]
        if hosts is None:
            self.intermediates.append(self.columns[-1])

    def read_map(self, line):
        line.expect(":")
        lanes = [self.lane(word) for word in line.rest()]
        if len(lanes) != self.levels:
            raise Refused("a wrong number of lanes")
        return lanes

    def read_column(self, line, lines):
        names = []
        while line.peek() != ":":
            names.append(line.take())
        line.take()
        switches, further = [], []
        if "|" in names:
            bar = names.index("|")
            names, switches = names[:bar], names[bar + 1 :]
            if "|" in switches:
                bar = switches.index("|")
                switches, further = switches[:bar], switches[bar + 1 :]
            elif not self.to_switches:
                raise Refused("no columns of switches")
            if switches and not self.to_switches:
                raise Refused("no columns of switches")
        for offset in further[1::2]:
            number(offset, 1, 127)
        if len(further) % 2:
            raise Refused("a host without the number of its LID")
        further = [known(w, self.fabric.place) for w in further[::2]]
        column = {
            "hosts": distinct([known(w, self.fabric.place) for w in names]),
            "further": further,
            "switches": distinct([known(w, self.fabric.ports) for w in switches]),
            "level": dict.fromkeys(self.order, 0),
            "by_host": False,
        }
        entries = line.rest()
        read = self.read_routes if self.by_source else self.read_ports
        column["entry"] = read(entries)
        self.read_levels(column, lines)
        return column

    def read_levels(self, column, lines):
        if self.levels and (line := lines.take("level")):
            words = line.rest()
            column["by_host"] = words[:1] == ["hosts"]
            sources = list(self.fabric.place) if column["by_host"] else self.order
            levels = [number(word, 0, self.levels - 1) for word in words[column["by_host"] :]]
            if len(levels) == 1:
                levels *= len(sources)
            if len(levels) != len(sources):
                raise Refused("a wrong number of levels")
            column["level"] = dict(zip(sources, levels))

    def read_ports(self, entries):
        if len(entries) != len(self.order):
            raise Refused("a wrong number of entries")
        return {
            switch: word if word in (".", "-") else self.read_entry(word, switch)
            for switch, word in zip(self.order, entries)
        }

    def read_entry(self, word, switch):
        if not self.by_choice:
            return self.port(word, switch, 1)
        if not re.fullmatch("c[0-9]+", word):
            raise Refused("no choice")
        choices = self.sets[number(word[1:], 0, len(self.sets) - 1)]
        for port, _, _ in choices:
            if port > self.fabric.ports[switch]:
                raise Refused("no such port")
        return choices

    def read_routes(self, words):
        routes = [[]]
        for word in words:
            if word == ",":
                routes.append([])
            else:
                routes[-1].append(word)
        if not self.order and words:
            raise Refused("a route of no switch")
        if self.order and len(routes) != len(self.order):
            raise Refused("a wrong number of routes")
        return {switch: self.read_route(route) for switch, route in zip(self.order, routes)}

    def read_route(self, words):
        """A tuple of tags, each a tuple of ports; None where there is no route."""
        if words == ["-"]:
            return None
        if words == ["."]:
            return ()
        if not words:
            raise Refused("an empty route")
        return tuple(self.read_tag(word) for word in words)

    def read_tag(self, word):
        if word in self.link_groups:
            return tuple(self.link_groups[word])
        return (number(word, 1, 65000),)

    def read_group(self, line, lines):
        label = name(line.take())
        lane, level, source, root = None, None, None, None
        if self.rule in ("levels", "map") and line.peek() == "level":
            line.take()
            level = number(line.take(), 0, self.levels - 1)
        else:
            line.expect("lane")
            lane = self.lane(line.take())
        if line.peek() == "source":
            line.take()
            source = known(line.take(), self.fabric.place)
        if line.peek() == "root":
            line.take()
            root = known(line.take(), self.fabric.ports)
        line.expect(":")
        members = [known(word, self.fabric.place) for word in line.rest()]
        if level is not None and root is not None:
            raise Refused("a level and a root")
        group = Group(label, lane, level, source, root, members)
        while True:
            if line := lines.take("out"):
                switch = known(line.take(), self.fabric.ports)
                line.expect(":")
                ports = distinct([self.port(word, switch, 1) for word in line.rest()])
                if switch in group.out:
                    raise Refused("two out lines")
                group.out[switch] = sorted(ports)
            elif root is not None and (line := lines.take("up")):
                port = line.take()
                number(port, 1, 65000)
                line.expect(":")
                for word in line.rest():
                    switch = known(word, self.fabric.ports)
                    if switch in group.up:
                        raise Refused("two ports up")
                    group.up[switch] = self.port(port, switch, 1)
            else:
                return group


def read_certificate(text, fabric):
    """Lanes, the kind of proof, and numbers by node: (switch, port, lane), or (switch, port, "host")."""
    lines = Lines(text)
    line = lines.need("weft")
    line.expect("certificate", "1")
    line.end()
    line = lines.need("lanes")
    lanes = number(line.take(), 1, 64)
    line.end()
    proof = "every"
    if lines.lines and lines.lines[-1].words[:2] == ["choices", "some"]:
        words = lines.lines.pop().words
        if words[2:] not in ([], ["worms"]):
            raise Refused("an unknown kind of proof")
        proof = "worms" if words[2:] else "some"
    numbers, listed = {}, []
    while lines.lines:
        line = lines.lines.pop()
        switch = known(line.take(), fabric.ports)
        port = number(line.take(), 1, fabric.ports[switch])
        line.expect(":")
        values = line.rest()
        if (switch, port) not in fabric.beyond or len(values) != lanes:
            raise Refused("a wrong line of numbers")
        listed.append((switch, port))
        for lane, value in enumerate(values):
            if value == "-":
                continue
            value = number(value, 0, 2**32 - 2)
            if fabric.beyond[switch, port][0] == "switch":
                numbers[switch, port, lane] = value
            elif lane == 0:
                numbers[switch, port, "host"] = value
            else:
                raise Refused("a host's link has one number")
    distinct(listed)
    return lanes, proof, numbers


class Verifier:
    """Collects the edges (pairs of nodes) that numbers must increase along."""

    def __init__(self, fabric, tables, numbers, proof):
        self.fabric, self.tables, self.numbers, self.proof = fabric, tables, numbers, proof
        rooted = any(group.root is not None for group in tables.groups)
        if proof != "every" and (rooted or not (tables.by_source or tables.by_choice)):
            raise Fails("no choices are left")
        self.steps = set()  # of packets that are no circuits, and of copies in trees
        self.taken = {}  # node: the places from which circuits come to it
        self.trees = [(g, self.tree(g)) for g in tables.groups if g.root is not None]
        for group, tree in self.trees:
            for node, parent, _ in tree:
                self.taken.setdefault(node, set()).add(parent[:2] if parent else "root")
            for switch in group.up:
                if node := self.up(group, switch):
                    self.taken.setdefault(node, set()).update({"up", "elsewhere"})

    def verify(self):
        if self.tables.by_choice:
            ChoiceStates(self).verify()
        for column in self.tables.columns:
            if not self.tables.by_choice and (column["hosts"] or column["further"]):
                self.unicast(column)
        for group in self.tables.groups:
            if group.root is None:
                self.multicast(group)
        edges = set(self.steps)
        for group, tree in self.trees:
            edges |= self.ordered(group, tree)
        edges |= self.steps
        self.check(edges)
        unsafe = self.unsafe()
        for _, tree in self.trees:
            self.check(self.contended(tree, unsafe))

    def check(self, edges):
        for first, second in edges:
            for node in (first, second):
                if node not in self.numbers:
                    raise Fails(f"{node} has no number")
            if not self.numbers[first] < self.numbers[second]:
                raise Fails(f"{first} waits for {second}")

    def node(self, switch, port, lane):
        """The node behind a port, or None."""
        beyond = self.fabric.beyond.get((switch, port))
        if beyond is None:
            return None
        return (switch, port, "host") if beyond[0] == "host" else (switch, port, lane)

    def step(self, first, second):
        if first is not None and (second[2] != "host" or second in self.taken):
            self.steps.add((first, second))

    # --- from hosts to hosts

    def unicast(self, column):
        begin = []
        for host, (switch, port) in self.fabric.place.items():
            tags = column["entry"][switch] if self.tables.by_source else ()
            level = column["level"][host if column["by_host"] else switch]
            if tags is not None:
                begin.append((None, switch, port, 0, level, tags))
        if self.proof != "every":
            before, self.step = self.step, lambda *_: None
            self.some_choice(begin, lambda head: self.next_heads(head, column))
            self.step = before
            return
        done = set(begin)
        while begin:
            for following in self.next_heads(begin.pop(), column):
                if following not in done:
                    done.add(following)
                    begin.append(following)

    def some_choice(self, begin, next_heads):
        """Heads are tuples that begin with the node they hold; they end at hosts."""
        held = {head: -1 for head in begin}
        while begin:
            head = begin.pop()
            heads = list(next_heads(head))
            for following in heads:
                most = self.numbers.get(following[0], -1)
                if self.proof == "worms":
                    most = max(most, held[head])
                if held.get(following, -2) < most:
                    held[following] = most
                    begin.append(following)
            self.need_some(head[0], held[head], [following[0] for following in heads])

    def need_some(self, holds, held, wanted):
        wanted = [node for node in wanted if node[2] != "host"]
        if holds is None or not wanted:
            return
        if holds not in self.numbers or not any(
            self.numbers.get(node, -1) > held for node in wanted
        ):
            raise Fails(f"{holds} waits for any of {wanted}")

    def next_heads(self, head, column):
        holds, switch, in_port, lane, level, tags = head
        if not self.tables.by_source:
            ports, left = (column["entry"][switch],), ()
        else:
            ports, left = (tags[0], tags[1:]) if tags else ((".",), ())
        for port in ports:
            if port == ".":
                for host in column["hosts"] + column["further"]:
                    if self.fabric.place[host][0] == switch:
                        self.step(holds, (*self.fabric.place[host], "host"))
                continue
            beyond = self.fabric.beyond.get((switch, port))
            if beyond is None:
                continue
            if beyond[0] == "host":
                self.step(holds, (switch, port, "host"))
                continue
            out = self.lane_after(switch, in_port, port, lane, level, holds is None)
            if not 0 <= out < self.tables.lanes:
                raise Fails("a lane that does not exist")
            self.step(holds, (switch, port, out))
            yield (switch, port, out), beyond[1], beyond[2], out, level, left

    def lane_after(self, switch, in_port, port, lane, level, from_host):
        tables = self.tables
        if tables.rule == "zero":
            return 0
        if tables.rule == "levels":
            return level
        if tables.rule == "map":
            return tables.special.get((switch, in_port, port), tables.usual)[level]
        if (switch, in_port) in tables.special:
            mark = tables.special[switch, in_port][port]
        else:
            mark = tables.from_hosts if from_host else tables.otherwise
        return {"=": lane, "+": lane + 1, "-": lane - 1, "x": -1}.get(mark, mark)

    # --- groups

    def copies(self, group, switch, in_port):
        for port in group.out.get(switch, ()):
            lane = group.lane
            if lane is None:
                lane = self.lane_after(switch, in_port, port, 0, group.level, False)
            node = self.node(switch, port, lane)
            if node and port != in_port:
                yield node

    def behind(self, group, node):
        kind, *place = self.fabric.beyond[node[:2]]
        return list(self.copies(group, *place)) if kind == "switch" else []

    def multicast(self, group):
        senders = [group.source] if group.source is not None else group.members
        todo = []
        for sender in senders:
            todo += self.copies(group, *self.fabric.place[sender])
        done = set(todo)
        while todo:
            node = todo.pop()
            for following in self.behind(group, node):
                self.step(node, following)
                if following not in done:
                    done.add(following)
                    todo.append(following)

    def tree(self, group):
        """(node, parent, root port) in order of depth-first search."""
        out, seen = [], set()
        todo = [(n, None, n) for n in self.copies(group, group.root, None)][::-1]
        while todo:
            node, parent, top = todo.pop()
            if node in seen:
                raise Fails(f"{group.label} is no tree")
            seen.add(node)
            out.append((node, parent, top))
            todo += [(n, node, top) for n in self.behind(group, node)][::-1]
        return out

    def up(self, group, switch):
        if switch == group.root or switch not in group.up:
            return None
        node = self.node(switch, group.up[switch], group.lane)
        return node if node and node[2] != "host" else None

    def ordered(self, group, tree):
        edges = set()
        for switch in group.up:
            if not (node := self.up(group, switch)):
                continue
            above = self.fabric.beyond[node[:2]][1]
            if above == group.root:
                edges |= {(node, first) for first, _, _ in tree[:1]}
            elif following := self.up(group, above):
                edges.add((node, following))
        parents = {parent for _, parent, _ in tree}
        tops = [node for node, parent, _ in tree if parent is None]
        after = dict(zip(tops, tops[1:]))
        for node, parent, top in tree:
            if parent:
                self.steps.add((parent, node))
            if node not in parents and top in after:
                edges.add((node, after[top]))
        return edges

    def unsafe(self):
        bad = set()
        for first, second in self.steps:
            guarded = self.taken.get(second) == {first[:2]}
            if second in self.taken and not (guarded and second[2] in (first[2], "host")):
                bad.add(first)
        while more := {a for a, b in self.steps if b in bad and a not in bad}:
            bad |= more
        return bad

    def contended(self, tree, unsafe):
        children, parent_of = {}, {}
        for node, parent, _ in tree:
            children.setdefault(parent, []).append(node)
            parent_of[node] = parent
        leaves = [node for node, _, _ in tree if node not in children]
        edges = set()
        for node, parent, _ in tree:
            if parent is None or (node not in unsafe and len(self.taken[node]) == 1):
                continue
            siblings = children[parent]
            free = set(siblings[siblings.index(node) :])  # it and those of later ports
            for leaf in leaves:
                at = leaf
                while at is not None and at not in free:
                    at = parent_of[at]
                if at is None:
                    edges.add((leaf, node))
        return edges


class ChoiceStates:
    """Packets of choice tables: where they are is (holds, switch, in-port, lane, level, phase)."""

    def __init__(self, verifier):
        self.v, self.tables = verifier, verifier.tables
        self.arrivals, self.detours = {}, {}  # what packets hold at most where they join

    def verify(self):
        hosts, targets = [], []
        for column in self.tables.columns:
            hosts += [(host, column) for host in column["hosts"] + column["further"]]
        for host, column in hosts:
            columns = [
                None if p["away"] else p["own"].get(host) if p["own"] else column
                for p in self.tables.phases
            ]
            alike = [t for t in targets if t[0] == columns and t[1] is column]
            if alike:
                alike[0][2].append(host)
            else:
                targets.append((columns, column, [host]))
        self.level_columns = [column for _, column, _ in targets]
        for column in self.tables.intermediates:
            targets.append(([column] * len(self.tables.phases), None, []))
        before = None
        while before != (before := (dict(self.arrivals), dict(self.detours))):
            for target in targets:
                self.follow(*target)

    def begin(self, level_column, hosts):
        for host, (switch, port) in self.v.fabric.place.items():
            for column in [level_column] if hosts else self.level_columns:
                level = column["level"][host if column["by_host"] else switch]
                starts = self.tables.starts
                if self.tables.start_by_level:
                    starts = [starts[min(level, len(starts) - 1)]]
                for phase in starts:
                    away = self.tables.phases[phase]["away"]
                    if away == (not hosts):
                        yield (None, switch, port, 0, level, phase), -1
                    elif away:
                        next_phase = self.tables.phases[phase]["next"]
                        yield (None, switch, port, 0, level, next_phase), -1
        yield from (self.arrivals if hosts else self.detours).items()

    def follow(self, columns, level_column, hosts):
        held, todo = {}, []

        def join(joints, state, most):
            joints[state] = max(most, joints.get(state, -1))

        def enter(state, most):
            phase = self.tables.phases[state[5]]
            if not hosts and phase["away"] and columns[state[5]]["entry"][state[1]] == ".":
                state = (*state[:5], phase["next"])
            if not hosts and not self.tables.phases[state[5]]["away"]:
                join(self.arrivals, state, most)
            elif held.get(state, -2) < most:
                held[state] = most
                todo.append(state)

        for state, most in list(self.begin(level_column, hosts)):
            enter(state, most)
        while todo:
            state = todo.pop()
            detour = self.tables.phases[state[5]]["detour"]
            wanted, is_last = self.wanted(state, columns, hosts)
            if hosts and detour is not None and not is_last:
                join(self.detours, (*state[:5], detour), held[state])
            for node, following in wanted:
                if following:
                    most = self.v.numbers.get(node, -1)
                    if self.v.proof == "worms":
                        most = max(most, held[state])
                    enter(following, most)
            if self.v.proof == "every":
                for node, _ in wanted:
                    self.v.step(state[0], node)
            else:
                self.v.need_some(state[0], held[state], [node for node, _ in wanted])

    def wanted(self, state, columns, hosts):
        """Nodes with the states there, and whether a host is handed its packets here."""
        holds, switch, in_port, lane, level, phase = state
        entry = columns[phase]["entry"][switch] if columns[phase] else "-"
        out, place = [], self.v.fabric.place
        if entry == ".":
            here = [place[host] for host in hosts if place[host][0] == switch]
            return [((*end, "host"), None) for end in here], True
        is_last = False
        for port, to_lane, to_phase in entry if entry != "-" else []:
            beyond = self.v.fabric.beyond.get((switch, port))
            if beyond is None:
                continue
            if beyond[0] == "host":
                out.append(((switch, port, "host"), None))
                is_last = is_last or hosts == [beyond[1]]
                continue
            if to_lane is None:
                to_lane = self.v.lane_after(switch, in_port, port, lane, level, holds is None)
            if not 0 <= to_lane < self.tables.lanes:
                raise Fails("a lane that does not exist")
            node = (switch, port, to_lane)
            out.append((node, (node, beyond[1], beyond[2], to_lane, level, to_phase)))
        return out, is_last


def verdict(fabric, tables, certificate):
    try:
        wiring = Fabric(fabric)
        routes = Tables(tables, wiring)
        lanes, proof, numbers = read_certificate(certificate, wiring)
        if lanes != routes.lanes:
            raise Fails("another number of lanes")
        Verifier(wiring, routes, numbers, proof).verify()
        return "holds", ""
    except Refused as problem:
        return "refused", str(problem)
    except Fails as problem:
        return "fails", str(problem)


def main(arguments):
    if arguments[0] == "--batch":
        with open(arguments[1], "rb") as file:
            while lengths := file.readline().split():
                texts = [file.read(int(length)).decode("latin-1") for length in lengths]
                print(verdict(*texts)[0])
    else:
        texts = [open(path, "rb").read().decode("latin-1") for path in arguments]
        print(*verdict(*texts))


if __name__ == "__main__":
    main(sys.argv[1:])
