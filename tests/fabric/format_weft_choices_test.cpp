// SPDX-License-Identifier: Apache-2.0
// Choice tables in weft's own form of tables.
#include <gtest/gtest.h>

#include "format_support.hpp"

namespace weft::test::format_weft_choices {
namespace {

constexpr auto format = "weft";

/// A ring of four switches by ports 1 and 2, a host on port 3 of each.
Fabric ring() {
  FabricBuilder builder("ring");
  for (std::size_t i = 0; i < 4; ++i) builder.add_switch({fmt::format("s{}", i), 4});
  for (std::size_t i = 0; i < 4; ++i) builder.add_host({fmt::format("h{}", i), SwitchId(i), 3, {}});
  for (std::size_t i = 0; i < 4; ++i)
    builder.add_link({{SwitchId(i), 1}, {SwitchId((i + 1) % 4), 2}, {}});
  return std::move(builder).build();
}

Tables parsed_tables(const std::string& text) {
  return read_tables({"file", text}, ring(), format);
}

const std::string ugal = R"(weft tables 1
engine ugal
lanes 3
columns hosts switches
paths choices
switches s0 s1 s2 s3
choice c0: 1.0>2
choice c1: 1.0>2 2.0>2
choice c2: 1.1>1
choice c3: 1.2>2 | 2.2>2 | | 2>2
regions 0 0 1 1
intermediates elsewhere
decide port 1 2 threshold -30 draws 2
start queue 0 2
phase 0 undecided: to hosts detour 1
phase 1 detour: to intermediates next 2
phase 2 "at last": to hosts
to h0 h1 | s0: . c0 c1 c0
in 0 to h1 h2: =
in 2 to h3: =
in 0 to h0: . c3 c1 -
in 2 to h0 h1: =
via: c2 c2 . .
via: =
to: - - - -
)";

TEST(WeftChoices, ReadsEverything) {
  const Tables tables = parsed_tables(ugal);
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  EXPECT_EQ(choices.size(), 4U);
  EXPECT_EQ(tables.to_host[HostId(1)], ColumnId(0));
  EXPECT_EQ(tables.to_host[HostId(2)], ColumnId::none());
  EXPECT_EQ(tables.to_switch[SwitchId(0)], ColumnId(0));
  ASSERT_EQ(choices.phases.size(), 3U);
  EXPECT_EQ(choices.phases[0].name, "undecided");
  EXPECT_EQ(choices.phases[0].detour, PhaseId{1});
  EXPECT_EQ(choices.phases[0].to_host[HostId(2)], ColumnId(0));
  EXPECT_EQ(choices.phases[0].to_host[HostId(0)], ColumnId(1));
  EXPECT_EQ(choices.phases[0].to_host[HostId(3)], ColumnId::none());
  EXPECT_TRUE(choices.phases[1].to_intermediate);
  EXPECT_EQ(choices.phases[1].next, 2);
  EXPECT_EQ(choices.phases[2].name, "at last");
  EXPECT_EQ(choices.phases[2].to_host[HostId(3)], ColumnId(0));
  EXPECT_EQ(choices.starts, (std::vector<PhaseId>{0, 2}));
  EXPECT_EQ(choices.start_rule, StartRule::queue);
  EXPECT_EQ(choices.intermediates.columns, (std::vector<ColumnId>{ColumnId(2), ColumnId(2)}));
  EXPECT_EQ(choices.intermediates.rule, IntermediateRule::elsewhere);
  EXPECT_EQ(choices.intermediates.region[SwitchId(2)], 1U);
  EXPECT_EQ(choices.decision, (DetourDecision{DetourDecision::Queue::port, 1, 2, -30, 2}));
  const auto at = [&](std::size_t column, std::size_t s) {
    return choices.next[ColumnId(column)][s];
  };
  EXPECT_EQ(at(0, 0), ChoiceTables::at_end);
  EXPECT_EQ(at(3, 0), ChoiceTables::no_route);
  const auto last = choices.candidates(at(1, 1));
  ASSERT_EQ(last.size(), 3U);
  EXPECT_EQ(last[0], (Candidate{1, 2, 2, 0}));
  EXPECT_EQ(last[1], (Candidate{2, 2, 2, 1}));
  EXPECT_EQ(last[2], (Candidate{2, Candidate::by_lanes, 2, 3}));
  EXPECT_EQ(written(ring(), tables, format), ugal);
}

const std::string plain = R"(weft tables 1
engine groups of ports
lanes 1
columns hosts
paths choices
switches s0 s1 s2 s3
choice c0: 1 2
choice c1: 2.0
levels
to h0: . c0 c0 c1
to: - - - -
)";

TEST(WeftChoices, ASinglePhaseNeedsNoWords) {
  const Tables tables = parsed_tables(plain);
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  EXPECT_EQ(choices.phases, std::vector{Phase{}});
  EXPECT_EQ(choices.candidates(choices.next[ColumnId(0)][1])[1],
            (Candidate{2, Candidate::by_lanes, 0, 0}));
  EXPECT_EQ(written(ring(), tables, format), plain);
}

TEST(WeftChoices, TheListOfSwitchesGivesTheOrder) {
  std::string text = replaced(ugal, "switches s0 s1 s2 s3", "switches s3 s2 s1 s0");
  text = replaced(text, "regions 0 0 1 1", "regions 1 1 0 0");
  text = replaced(text, ". c0 c1 c0", "c0 c1 c0 .");
  text = replaced(text, ". c3 c1 -", "- c1 c3 .");
  text = replaced(text, "c2 c2 . .", ". . c2 c2");
  EXPECT_EQ(parsed_tables(text), parsed_tables(ugal));
}

TEST(WeftChoices, EqualSetsShareANumber) {
  const std::string twice = replaced(plain, "choice c1: 2.0", "choice c1: 2 1");
  const Tables tables = parsed_tables(twice);
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  EXPECT_EQ(choices.set_count(), 1U);
  EXPECT_EQ(choices.next[ColumnId(0)][1], choices.next[ColumnId(0)][3]);
  EXPECT_EQ(parsed_tables(written(ring(), tables, format)), tables);
}

TEST(WeftChoices, NoColumns) {
  const Tables tables = parsed_tables("weft tables 1\npaths choices\nswitches s0 s1 s2 s3");
  EXPECT_EQ(column_count(tables), 0U);
  EXPECT_EQ(parsed_tables(written(ring(), tables, format)), tables);
}

TEST(WeftChoices, StartsByLevel) {
  const std::string text =
      replaced(replaced(ugal, "start queue 0 2", "start level 0 2 2"), "via: =\n", "");
  const std::string with_levels = replaced(text, "to h0 h1 |", "levels\nto h0 h1 |");
  const Tables tables = parsed_tables(with_levels);
  EXPECT_EQ(std::get<ChoiceTables>(tables.paths).start_rule, StartRule::level);
  EXPECT_EQ(written(ring(), tables, format), with_levels);
}

struct Case {
  std::string_view what, by, message;
};

TEST(WeftChoices, Messages) {
  const Case cases[] = {
      {"paths choices\n", "", "6: \"choice\" needs \"paths choices\" before it"},
      {"paths choices", "paths any", "5: paths by \"any\"; write destination, source or choices"},
      {"choice c0", "choice c1", "7: write \"choice c0: 1.0 2.0\""},
      {"c0: 1.0>2", "c0 1.0>2", "7: a colon is missing before \"1.0>2\""},
      {"c0: 1.0>2", "c0:", "7: a choice needs a candidate: choice c0: 1.0 2.0"},
      {"c0: 1.0>2", "c0: 1.3>2",
       "7: \"3>2\" is not a lane of these tables; a number from 0 to 2 is needed"},
      {"c0: 1.0>2", "c0: 1.0>8",
       "7: \"8\" is not the number of a phase; a number from 0 to 7 is needed"},
      {"c0: 1.0>2", "c0: x", "7: \"x\" is not a port; a number from 0 to 65000 is needed"},
      {"c0: 1.0>2", "c0: 1.0>2x", "7: a space is missing before \"x\""},
      {"c0: 1.0>2", "c0: 1 .0>2", "7: \".0>2\" is not a port; a number from 0 to 65000 is needed"},
      {"c0: 1.0>2", "c0: 1.0>2 1.0>2",
       "7: port 1 is listed twice with the same lane, phase and preference"},
      {"c0: 1.0>2", "c0: 1.0",
       "7: a candidate names no phase, and there are 3: write it behind the lane, as 1.0>0"},
      {"regions 0 0 1 1", "regions 0 0 1", "11: 4 regions are needed, one for each switch"},
      {"regions 0 0 1 1", "regions 0 0 1 1 1",
       "11: \"1\" is too much; the line should end before it"},
      {"regions 0 0 1 1", "regions 0 0 1 1\nregions 0 0 1 1",
       "12: there is a second line \"regions\"; one is possible"},
      {"intermediates elsewhere", "intermediates far",
       "12: \"far\" is not a rule of intermediate destinations; there are: any elsewhere between "
       "aligned up_to_last"},
      {"decide port", "decide host", "13: \"host\" is not a queue; there are: port lane path"},
      {"decide port 1 2", "decide port 1",
       "13: \"threshold\" is not a weight; a number from 0 to 1000000 is needed"},
      {"threshold", "above", "13: write \"decide port 1 2 threshold 30 draws 1\""},
      {"draws 2", "", "13: write \"decide port 1 2 threshold 30 draws 1\""},
      {"start queue 0 2", "start 0 2",
       "14: how do packets get one of 2 phases? start random, start queue or start level"},
      {"start queue 0 2", "start some 0",
       "14: \"some\" is not a rule of the first phase; there are: random queue level"},
      {"start queue 0 2", "start queue", "14: a phase is missing: start 0"},
      {"start queue 0 2", "start", "14: a rule of the first phase is missing"},
      {"start queue 0 2", "start 0\nstart 0",
       "15: there is a second line \"start\"; one is possible"},
      {"phase 0", "phase 1", "15: write \"phase 0 name: to hosts\""},
      {"phase 0 undecided: to hosts", "phase 0 undecided: to all",
       "15: write \"phase 0 name: to hosts\""},
      {"detour 1", "via 1", "15: \"via 1\" is too much; the line should end before it"},
      {" next 2", "", "16: write \"phase 0 name: to intermediates next 1\""},
      {"to h0 h1 | s0: . c0 c1 c0", "to h0 h1 | s0: . c0 c1",
       "18: 4 entries are needed, one for each switch"},
      {"to h0 h1 | s0: . c0 c1 c0", "to h0 h1 | s0: . c0 c1 c4",
       "18: \"4\" is not the number of a choice; a number from 0 to 3 is needed"},
      {"to h0 h1 | s0: . c0 c1 c0", "to h0 h1 | s0: . c0 c1 1",
       "18: an entry is \".\", \"-\" or a choice such as c0"},
      {"to h0 h1 | s0: .", "to h0 | | h0 1: .",
       "18: further LIDs need \"paths destination\", or choices of one phase"},
      {"to h0 h1 | s0: . c0 c1 c0\n", "",
       "18: \"=\" is the column of the line before; there is none"},
      {"in 0 to h1 h2: =", "in 3 to h1: =",
       "19: there is no phase 3; there are 3 (counted from 0)"},
      {"in 0 to h1 h2: =", "in 1 to h1: =",
       "19: phase 1 leads to intermediate destinations: its columns are lines \"via\""},
      {"in 0 to h1 h2: =", "in 0 h1: =", "19: write \"in 0 to h0 h1: . c0\""},
      {"in 0 to h1 h2: =", "in 0 to h1 h1: =",
       "19: \"h1\" has a second column in phase 0; one is possible"},
      {"in 0 to h1 h2: =", "choice c4: 1>0", "19: \"choice\" must come before the first column"},
      {"in 0 to h1 h2: =", "phase 3 x: to hosts",
       "19: \"phase\" must come before the first column"},
      {"via: =", "via: . c0 c1", "24: 4 entries are needed, one for each switch"},
      // What lines say of each other.
      {"phase 2 \"at last\"", "# phase 2",
       "7: a choice leads to phase 2; there are 2 (counted from 0)"},
      {"start queue 0 2", "start queue 0 3",
       "14: packets start in phase 3; there are 3 (counted from 0)"},
      {"start queue 0 2", "start queue 2 2", "14: packets start in phase 2, which is named twice"},
      {"detour 1", "detour 2",
       "15: detours are phase 2, which is none that leads to intermediates"},
      {" next 2", " next 1", "16: the next phase is 1, which is none that leads to hosts"},
      {" next 2", " next 5", "16: the next phase is 5, which is none that leads to hosts"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(tables_message(replaced(ugal, what, by), ring(), format),
              "file:" + std::string(message));
  EXPECT_EQ(tables_message(replaced(plain, "c0 c0 c1", "c0 c0 c2"), ring(), format),
            "file:10: \"2\" is not the number of a choice; a number from 0 to 1 is needed");
  EXPECT_EQ(tables_message(replaced(plain, "choice c1: 2.0", "choice c1: 1 9"), ring(), format),
            "file:10: switch \"s3\" has 4 ports; choice c1 names port 9");
  EXPECT_EQ(tables_message(replaced(plain, "choice c1: 2.0", "choice c1: 2.0>1"), ring(), format),
            "file:8: a choice leads to phase 1; there is 1 (counted from 0)");
  EXPECT_EQ(tables_message(replaced(replaced(ugal, "via: =\n", ""), "via: c2 c2 . .\n", ""), ring(),
                           format),
            "file:16: this phase leads to intermediate destinations; a line \"via\" is needed for "
            "each");
  EXPECT_EQ(tables_message("weft tables 1\npaths choices\nregions 0", ring(), format),
            "file:3: the list of switches must come before");
  EXPECT_EQ(
      tables_message("weft tables 1\npaths choices\nswitches s0 s1 s2 s3\nto: c0", ring(), format),
      "file:4: a choice needs a line \"choice\" before it");
}

TEST(WeftChoices, TruncatedAnywhere) {
  for (const std::string& text : {ugal, plain})
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string message = tables_message(text.substr(0, size), ring(), format);
      EXPECT_TRUE(message == "(no error)" || message.starts_with("file:")) << message;
    }
}

}  // namespace
}  // namespace weft::test::format_weft_choices
