# SPDX-License-Identifier: Apache-2.0
"""Tests of the scripts beside this file, on a tree of one room; no compiler is needed."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import mutants
import verdicts
import workshop
from sites import KINDS, mutants_of

SOURCE = """// SPDX-License-Identifier: Apache-2.0
// if (a < b) in a comment stays as it is
#include <vector>
#define LIMIT 3 + 1

namespace weft {
static_assert(sizeof(int) == 4);
constexpr int lanes = 4;

struct Pair {
  int least = 0, most = 9;
  virtual int width() const = 0;
};

template <int n = 7>
int Counter::count(const std::vector<int>& all, bool wanted) {
  std::vector<int> found;
  found.reserve(all.size() + 1);
  invariant(all.size() > 2);
  int sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 3 && wanted) continue;
    sum += std::max<int>(all[i], 1) * 2 - 1;
    note("a < b", '<', R"(c < d)");
  }
  if (!wanted) throw Error("no " + std::to_string(sum + 1));
  return sum;
}
}  // namespace weft
"""


def shown(source, kind=None):
    return [(m.before, m.after) for m in mutants_of("src/room/a.cpp", source)
            if kind in (None, m.kind)]


class Sites(unittest.TestCase):
    def after(self, kind):
        return [after for _, after in shown(SOURCE, kind)]

    def test_every_kind_is_made(self):
        self.assertEqual({m.kind for m in mutants_of("a.cpp", SOURCE)}, set(KINDS))

    def test_comparisons(self):
        self.assertEqual(self.after("comparison"), [
            "for (std::size_t i = 0; i <= all.size(); ++i) {",
            "if (all[i] != 3 && wanted) continue;"])

    def test_off_by_one(self):
        self.assertEqual(self.after("off by one"), [
            "for (std::size_t i = 1; i < all.size(); ++i) {",
            "sum += std::max<int>(all[i], 1) * 2 - 0;",
            "sum += std::max<int>(all[i], 1) * 2 - 2;"])

    def test_logic_and_conditions(self):
        self.assertEqual(self.after("logic"), [
            "if (all[i] == 3 || wanted) continue;",
            'if (wanted) throw Error("no " + std::to_string(sum + 1));'])
        self.assertEqual(self.after("condition")[:2],
                         ["if (false) continue;", "if (true) continue;"])

    def test_arithmetic(self):
        self.assertEqual(self.after("arithmetic"), [
            "sum -= std::max<int>(all[i], 1) * 2 - 1;",
            "sum += std::max<int>(all[i], 1) / 2 - 1;",
            "sum += std::max<int>(all[i], 1) * 2 + 1;"])

    def test_dropped_statements(self):
        dropped = [before for before, after in shown(SOURCE, "statement") if after == ";"]
        self.assertEqual(dropped, ["sum += std::max<int>(all[i], 1) * 2 - 1;",
                                   'note("a < b", \'<\', R"(c < d)");'])

    def test_constants_and_words(self):
        self.assertEqual(self.after("constant"), [
            "constexpr int lanes = 5;", "int least = 0, most = 10;", "int sum = 1;",
            "if (all[i] == 4 && wanted) continue;", "sum += std::max<int>(all[i], 2) * 2 - 1;",
            "sum += std::max<int>(all[i], 1) * 3 - 1;"])
        self.assertEqual(self.after("word"), ["sum += std::min<int>(all[i], 1) * 2 - 1;"])

    def test_a_statement_over_several_lines_keeps_the_lines_below(self):
        source = "void f() {\n  g(1,\n    2);\n  h();\n}\n"
        dropped = next(m for m in mutants_of("a.cpp", source) if m.kind == "statement")
        self.assertEqual(dropped.apply(source), "void f() {\n  \n;\n  h();\n}\n")

    def test_contexts(self):
        source = """struct Outer final : Base {
  int one() const { return 1; }
  class Inner;
};
class Outer::Inner {
  Inner() : a_{2} { run([&](int x) { return x == 3; }); }
};
Type operator+(Type a) { return a * 4; }
"""
        contexts = {m.before: m.context for m in mutants_of("a.cpp", source)}
        self.assertEqual(list(contexts.values()),
                         ["Outer::one", "Outer::Inner::Inner", "operator+"])

    def test_declarations_are_not_dropped(self):
        source = """void f() {
  Type x(3);
  const auto y = g();
  std::vector<int> z(4);
  Type* p = h();
  co_await wait();
  a.b[i]->c(1);
  ++n;
  x.y = 2;
}
"""
        self.assertEqual([before for before, _ in shown(source, "statement")],
                         ["co_await wait();", "a.b[i]->c(1);", "++n;", "x.y = 2;"])


class Identity(unittest.TestCase):
    def ids(self, source):
        return {m.id for m in mutants_of("src/room/a.cpp", source)}

    def test_is_stable_under_edits_elsewhere(self):
        edited = SOURCE.replace("constexpr int lanes = 4;", "int before(int a) { return a + 7; }\n"
                                "\nconstexpr int lanes = 4;")
        edited = edited.replace("wanted) continue;", "wanted)   continue;  // the next")
        self.assertLess(self.ids(SOURCE), self.ids(edited))

    def test_differs_for_equal_lines(self):
        source = "void f() {\n  g(1);\n  g(1);\n}\nvoid h() {\n  g(1);\n}\n"
        self.assertEqual(len(self.ids(source)), 6)


class FakeJudging:
    """Kills every mutant but those whose line has `survivor`, and remembers what it was asked."""

    survivor, asked = "no line", []

    def __init__(self, records, options):
        self.records, self.ends, self.seconds, self.spent = records, float("inf"), [], {}

    def prepare(self, rooms):
        pass

    def judge_all(self, work):
        for room, mutant in work:
            FakeJudging.asked.append(mutant.id)
            if "lanes" in mutant.before:
                self.records.add(mutant, room, "does not compile", "")
            elif FakeJudging.survivor in mutant.before:
                self.records.add(mutant, room, "survived", "")
            else:
                self.records.add(mutant, room, "killed", "Room.Counts")


class Campaigns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/rooms.txt", "# rooms\nroom:\nroom/inner: room\n")
        self.write("src/room/a.cpp", SOURCE)
        self.write("src/room/inner/b.cpp", SOURCE)
        self.write("tests/room/a_test.cpp", "TEST(Room, Counts) {}\n")
        self.write("tests/room/b_test.cpp", "TEST_P(Room, Other) {}\n")
        self.write("tests/mutants/campaign.toml", "complete = false\nleast_mutants = 10\n"
                   'least_killed = 0.95\n[rooms]\nroom = {count = 12}\n')
        FakeJudging.survivor = "no line"

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_script(self, *words):
        """Exit code and output."""
        FakeJudging.asked = []
        out = io.StringIO()
        real, mutants.Judging = mutants.Judging, FakeJudging
        try:
            with contextlib.redirect_stdout(out):
                code = mutants.main(["--root", str(self.root), *words])
        finally:
            mutants.Judging = real
        return code, out.getvalue()

    def test_judges_the_wanted_number_once(self):
        _, said = self.run_script()
        self.assertIn("room                   12 mutants:   12 killed (100.0 %)", said)
        self.assertEqual(len(set(FakeJudging.asked)), len(FakeJudging.asked))
        self.run_script()
        self.assertEqual(FakeJudging.asked, [])
        self.run_script("--all")
        self.assertEqual(len(FakeJudging.asked), 12)

    def test_judges_only_what_changes_touch(self):
        FakeJudging.survivor = "for ("
        self.run_script()
        text = (self.root / "tests/mutants/verdicts.csv").read_text()
        survivors = text.count(",survived,,survived,")
        self.assertGreater(survivors, 0)
        self.write("tests/room/b_test.cpp", "TEST(Room, Other) { more(); }\n")
        self.run_script()  # this test has killed nothing, but might kill survivors
        self.assertEqual(len(FakeJudging.asked), survivors)
        self.write("tests/room/a_test.cpp", "TEST(Room, Counts) { more(); }\n")
        self.run_script()
        self.assertEqual(len(FakeJudging.asked), 12)

    def test_keeps_that_a_mutant_once_survived(self):
        FakeJudging.survivor = "for ("
        self.run_script()
        FakeJudging.survivor = "no line"
        self.write("tests/room/a_test.cpp", "TEST(Room, Counts) { more(); }\n")
        self.run_script()
        self.assertIn(",killed,Room.Counts,survived,",
                      (self.root / "tests/mutants/verdicts.csv").read_text())

    def test_forgets_lines_that_are_gone(self):
        self.run_script()
        self.write("src/room/a.cpp", SOURCE.replace("sum += ", "total += "))
        self.run_script()
        self.assertNotIn("sum += ", (self.root / "tests/mutants/verdicts.csv").read_text())

    def test_parts_are_disjoint_and_merge(self):
        path = self.root / "tests/mutants/verdicts.csv"
        self.run_script("--part", "1/2")
        first = list(FakeJudging.asked)
        part = self.root / "first.csv"
        path.rename(part)
        self.run_script("--part", "2/2")
        self.assertFalse(set(first) & set(FakeJudging.asked))
        self.run_script("--merge", str(part))
        for id in first:
            self.assertIn(id, path.read_text())

    def test_check_wants_reasons_for_survivors(self):
        FakeJudging.survivor = "for ("
        self.run_script()
        code, said = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("survives without a reason in reasons.toml", said)
        ids = [line.split(",")[2] for line in (self.root / "tests/mutants/verdicts.csv")
               .read_text().splitlines() if ",survived," in line]
        self.write("tests/mutants/reasons.toml",
                   "".join(f'["{id}"]\nequivalent = "it is the same"\n' for id in ids))
        self.assertEqual(self.run_script("--check")[0], 0)
        self.write("tests/mutants/reasons.toml",
                   "".join(f'["{id}"]\nkilled_by = "Room.Nowhere"\n' for id in ids))
        code, said = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("is killed by Room.Nowhere, which is no test", said)

    def test_check_of_a_complete_campaign_counts(self):
        self.run_script("--count", "8")
        self.assertEqual(self.run_script("--check")[0], 0)
        path = self.root / "tests/mutants/campaign.toml"
        path.write_text(path.read_text().replace("complete = false", "complete = true"))
        code, said = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("8 mutants have a verdict; the campaign needs 10", said)
        self.run_script()
        self.assertEqual(self.run_script("--check")[0], 0)

    def test_check_reports_old_verdicts_and_missing_tests(self):
        self.run_script()
        self.write("src/room/a.cpp", SOURCE + "\n")
        code, said = self.run_script("--check")
        self.assertEqual(code, 0)
        self.assertNotIn(" 0 verdicts are older than their sources", said)
        self.write("tests/room/a_test.cpp", "TEST(Room, Renamed) {}\n")
        code, said = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("is killed by Room.Counts, which is no test; judge it again", said)

    def test_refuses_what_is_no_list_of_verdicts(self):
        for text, fault in (("id,file\n", "the first line is to be room,file"),
                            (",".join(mutants.COLUMNS) + "\na,b\n", "row 2 has 2 columns"),
                            (",".join(mutants.COLUMNS) + "\n" + "x," * 10 + "x\n",
                             'row 2: "x" is no verdict')):
            self.write("tests/mutants/verdicts.csv", text)
            with self.assertRaisesRegex(mutants.Fault, fault):
                self.run_script("--check")


class TestNames(unittest.TestCase):
    def test_a_test_is_about_files_that_share_a_word_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "run").mkdir()
            (Path(folder) / "run/qos_service_test.cpp").write_text("TEST(Flows, Wait) {}\n")
            (Path(folder) / "run/tports_test.cpp").write_text("TEST(QosMore, Wait) {}\n"
                                                              "TEST_P(Tports, Wait) {}\n")
            tests = verdicts.Tests(Path(folder))
        for name, expected in (("Flows.Wait", True), ("QosMore.Wait", True),
                               ("All/Tports.Wait/3", False)):
            self.assertEqual(tests.is_about(name, "src/comm/qos/master.cpp"), expected, name)


PROGRAM = """#!/usr/bin/env python3
import sys, time
for name in ("Room.First", "Room.Second"):
    print("[ RUN      ]", name, flush=True)
    exec({body!r})
    print("[       OK ]", name, "(3 ms)", flush=True)
"""


class Runs(unittest.TestCase):
    def run_program(self, body):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "tests"
            program.write_text(PROGRAM.format(body=body))
            program.chmod(0o755)
            return workshop.TestRun(program, "*", {}, {"Room.First": 0.0, "Room.Second": 0.0}, 0.3)

    def test_all_pass(self):
        run = self.run_program("pass")
        self.assertEqual((run.verdict, run.times), (
            "survived", {"Room.First": 0.003, "Room.Second": 0.003}))

    def test_failure_crash_and_endless_loop(self):
        for body, verdict in (("print('a_test.cpp:3: Failure', flush=True)", "killed"),
                              ("import os; os.abort()", "killed"),
                              ("while True: pass", "timed out")):
            run = self.run_program(f"if name == 'Room.Second':\n {body}")
            self.assertEqual((run.verdict, run.by), (verdict, "Room.Second"), body)


if __name__ == "__main__":
    unittest.main()
