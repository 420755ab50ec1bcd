// SPDX-License-Identifier: Apache-2.0
// weft's own form of tables.
#include <gtest/gtest.h>

#include "format_support.hpp"

namespace weft::test::format_weft_tables {
namespace {

constexpr auto format = "weft";

/// s0 - "rack 1" - s2 in a line by ports 1 and 2, a host on port 3 of each, four ports.
Fabric line() {
  FabricBuilder builder("line");
  for (const char* name : {"s0", "rack 1", "s2"}) builder.add_switch({name, 4});
  for (const char* name : {"h0", "h|1", "h:2"}) {
    const SwitchId on(builder.host_count());
    builder.add_host({name, on, 3, {}});
  }
  builder.add_link({{SwitchId(0), 1}, {SwitchId(1), 2}, {}});
  builder.add_link({{SwitchId(1), 1}, {SwitchId(2), 2}, {}});
  return std::move(builder).build();
}

Tables parsed_tables(const std::string& text) {
  return read_tables({"file", text}, line(), format);
}

const std::string turns = R"(weft tables 1
engine updown:root=s0
lanes 2
columns hosts switches
paths destination
switches s0 "rack 1" s2
turns from hosts 0 otherwise =
turn s0 1: 1
turn "rack 1" 2: = 0 1 + -
turn s2 3: 0 0 0 x 0
to h0 | s0: . 2 2
to "h|1": 1 . -
to: 1 1 .
group "to all" lane 1 source h0: h0 "h|1" "h:2"
out s0: 1 3
out "rack 1": 1
group any lane 0:
out s2:
)";

const std::string services = R"(weft tables 1
engine "two\x0alines"
lanes 4
columns hosts
paths source
switches s0 "rack 1" s2
levels 3: 0 1 2
map "rack 1" 2 1: 3 3 3
to h0: ., 2, 2 2
level 2
to "h|1" "h:2": 1, ., -
level 0 1 0
to: 1 1, -, .
)";

TEST(WeftTables, ReadsTurns) {
  const Tables tables = parsed_tables(turns);
  EXPECT_EQ(tables.engine, "updown:root=s0");
  EXPECT_EQ(tables.lane_count, 2);
  EXPECT_EQ(tables.to_host[HostId(0)], ColumnId(0));
  EXPECT_EQ(tables.to_host[HostId(2)], ColumnId::none());
  EXPECT_EQ(tables.to_switch[SwitchId(0)], ColumnId(0));
  EXPECT_EQ(tables.to_switch[SwitchId(1)], ColumnId::none());
  const auto& next = std::get<DestinationTables>(tables.paths);
  EXPECT_EQ(next[ColumnId(0)][0], here);
  EXPECT_EQ(next[ColumnId(1)][0], 1);
  EXPECT_EQ(next[ColumnId(1)][2], no_port);
  const auto& lanes = std::get<TurnLanes>(tables.lanes);
  EXPECT_EQ(lanes.at(SwitchId(0), 3, 1), LaneOp::set(0)) << "from a host";
  EXPECT_EQ(lanes.at(SwitchId(0), 1, 4), LaneOp::set(1));
  EXPECT_EQ(lanes.at(SwitchId(1), 1, 2), LaneOp::keep());
  EXPECT_EQ(lanes.at(SwitchId(1), 2, 3), LaneOp::plus_one());
  EXPECT_EQ(lanes.at(SwitchId(1), 2, 4), LaneOp::minus_one());
  EXPECT_EQ(lanes.at(SwitchId(2), 3, 3), LaneOp());
  ASSERT_EQ(tables.groups.size(), 2);
  EXPECT_EQ(tables.groups[0].members.size(), 3);
  EXPECT_EQ(tables.groups[0].out[0].ports, (std::vector<PortNumber>{1, 3}));
  EXPECT_EQ(tables.groups[1].source, std::nullopt);
  EXPECT_EQ(written(line(), tables, format), turns);
}

const std::string rooted = R"(weft tables 1
engine updown
lanes 2
columns hosts
paths destination
switches s0 "rack 1" s2
to h0: . 2 2
group "to all" lane 1 root "rack 1": h0 "h|1" "h:2"
up 1: s0
up 2: s2
out "rack 1": 1 2
group one lane 0 source h0 root s2: h0 "h|1"
up 1: s0 "rack 1"
out s2: 2
)";

TEST(WeftTables, ReadsGroupsWithARoot) {
  const Tables tables = parsed_tables(rooted);
  ASSERT_EQ(tables.groups.size(), 2U);
  EXPECT_EQ(tables.groups[0].root, SwitchId(1));
  EXPECT_EQ(tables.groups[0].source, std::nullopt);
  EXPECT_EQ(tables.groups[0].up, (std::vector<UpPort>{{SwitchId(0), 1}, {SwitchId(2), 2}}));
  EXPECT_EQ(tables.groups[1].source, HostId(0));
  EXPECT_EQ(tables.groups[1].root, SwitchId(2));
  EXPECT_EQ(tables.groups[1].up, (std::vector<UpPort>{{SwitchId(0), 1}, {SwitchId(1), 1}}));
  EXPECT_EQ(written(line(), tables, format), rooted);
}

TEST(WeftTables, ReadsServiceLevelsAndSourceRoutes) {
  const Tables tables = parsed_tables(services);
  EXPECT_EQ(tables.engine, "two\nlines");
  EXPECT_TRUE(tables.to_switch.empty());
  const auto& routes = std::get<SourceRoutes>(tables.paths);
  EXPECT_EQ(routes.route(ColumnId(0), SwitchId(0))->size(), 0);
  EXPECT_EQ(routes.route(ColumnId(0), SwitchId(2))->size(), 2);
  EXPECT_EQ(routes.route(ColumnId(1), SwitchId(2)), std::nullopt);
  const auto& service = std::get<ServiceLanes>(tables.lanes);
  EXPECT_EQ(service.level[ColumnId(0)][1], 2);
  EXPECT_EQ(service.level[ColumnId(1)][1], 1);
  EXPECT_EQ(service.level[ColumnId(2)][1], 0);
  const Fabric fabric = line();
  EXPECT_EQ((*service.map)(SwitchId(1), fabric[SwitchId(1)], 2, 1, 0), 3);
  EXPECT_EQ((*service.map)(SwitchId(1), fabric[SwitchId(1)], 1, 2, 1), 1);
  EXPECT_EQ(written(fabric, tables, format), services);
}

const std::string choices = R"(weft tables 1
engine nca
lanes 1
columns hosts
paths source
switches s0 "rack 1" s2
links g0: 1 2
links g1: 2
to h0: ., g0, g1 2
to: g0 1, -, .
)";

TEST(WeftTables, ReadsGroupsOfLinks) {
  const Tables tables = parsed_tables(choices);
  const auto& routes = std::get<SourceRoutes>(tables.paths);
  ASSERT_EQ(routes.link_groups().size(), 2U);
  EXPECT_EQ(routes.link_groups()[0], (std::vector<PortNumber>{1, 2}));
  EXPECT_EQ(routes.route(ColumnId(0), SwitchId(1))->front(), first_link_group);
  EXPECT_EQ(routes.route(ColumnId(0), SwitchId(2))->front(), first_link_group + 1);
  EXPECT_EQ(written(line(), tables, format), choices);
}

TEST(WeftTables, LevelsWithoutMap) {
  const std::string text =
      replaced(services, "levels 3: 0 1 2\nmap \"rack 1\" 2 1: 3 3 3", "levels");
  EXPECT_EQ(written(line(), parsed_tables(text), format), text);
}

TEST(WeftTables, TheListOfSwitchesGivesTheOrder) {
  std::string text = replaced(services, "switches s0 \"rack 1\" s2", "switches s2 s0 \"rack 1\"");
  text = replaced(text, "., 2, 2 2", "2 2, ., 2");
  text = replaced(text, "1, ., -", "-, 1, .");
  text = replaced(text, "level 0 1 0", "level 0 0 1");
  text = replaced(text, "1 1, -, .", "., 1 1, -");
  EXPECT_EQ(parsed_tables(text), parsed_tables(services));
  text = replaced(turns, "switches s0 \"rack 1\" s2", "switches s2 s0 \"rack 1\"");
  text = replaced(text, ". 2 2", "2 . 2");
  text = replaced(text, "1 . -", "- 1 .");
  text = replaced(text, "1 1 .", ". 1 1");
  EXPECT_EQ(parsed_tables(text), parsed_tables(turns));
}

TEST(WeftTables, LineEndsOfWindowsAndRemarks) {
  std::string text;
  for (const char letter : turns)
    text += letter == '\n' ? "\r\n# remark\r\n\r\n" : std::string{letter};
  EXPECT_EQ(parsed_tables(text), parsed_tables(turns));
}

TEST(WeftTables, TheMostCommonTurnNeedsNoLine) {
  std::string text = replaced(turns, "from hosts 0", "from hosts x");
  text = replaced(text, "turn s2 3:", "turn \"rack 1\" 3: 1 1 x 1 1\nturn s2 3:");
  EXPECT_EQ(written(line(), parsed_tables(text), format), text);
}

TEST(WeftTables, QuotesOnlyNamesThatNeedThem) {
  const auto text_with = [](const std::string& name) {
    Tables tables = parsed_tables(turns);
    tables.groups[0].name = name;
    return written(line(), tables, format);
  };
  for (const std::string name : {"azAZ09", "_.-+/@;()[]=", "ü"})
    EXPECT_NE(text_with(name).find("\ngroup " + name + " lane"), std::string::npos) << name;
  for (const std::string name : {"", "a b", "a:", "a,b", "|", "#"})
    EXPECT_NE(text_with(name).find("\ngroup \"" + name + "\" lane"), std::string::npos) << name;
}

TEST(WeftTables, EveryEngineName) {
  for (const char* name : {"", " x ", "\"", "a\tb", "a: b # c", "\\", "ü"}) {
    Tables tables = parsed_tables(turns);
    tables.engine = name;
    tables.groups[0].name = name;
    EXPECT_EQ(parsed_tables(written(line(), tables, format)), tables) << name;
  }
}

struct Case {
  std::string_view what, by, message;
};

TEST(WeftTables, Messages) {
  const Case cases[] = {
      {"tables 1", "tables 2",
       "1: not tables of a known version; the first line is \"weft tables 1\""},
      {"engine ", "motor ",
       "2: \"motor\" begins no line; there are: to level turn map out group engine lanes columns "
       "paths switches turns levels links up choice in via phase start regions intermediates "
       "decide"},
      {"engine ", "engine \"a\" ",
       "2: \"updown:root=s0\" is too much; the line should end before it"},
      {"engine ", "engine \"", "2: a closing quote is missing"},
      {"engine ", "engine \"\\", "2: a backslash stands only before \", \\ or x"},
      {"engine ", "engine \"\\xg", "2: \\x must be followed by two hexadecimal digits, up to 7f"},
      {"engine ", "engine \"\\x90\"",
       "2: \\x must be followed by two hexadecimal digits, up to 7f"},
      {"lanes 2", "lanes 99",
       "3: \"99\" is not a number of lanes; a number from 0 to 64 is needed"},
      {"lanes 2", "lanes 0", "3: 0 lanes; from 1 to 64 are possible"},
      {"lanes 2", "lanes 2 3", "3: \"3\" is too much; the line should end before it"},
      {"lanes 2", "lanes 2x", "3: a space is missing before \"x\""},
      {"engine updown:root=s0", "lanes 2", "3: there is a second line \"lanes\"; one is possible"},
      {"columns hosts", "columns", "4: write \"columns hosts\""},
      {"columns hosts switches", "columns hosts all", "4: write \"columns hosts switches\""},
      {"columns hosts switches", "columns hosts",
       "11: a route to a switch, but the head does not say \"columns hosts switches\""},
      {"paths destination", "paths none",
       "5: paths by \"none\"; write destination, source or choices"},
      {"paths destination", "paths", "5: \"destination\", \"source\" or \"choices\" is missing"},
      {"switches s0", "switches s9", "6: the fabric has no switch \"s9\""},
      {"switches s0", "switches s0 s0", "6: switch \"s0\" is listed twice"},
      {"switches s0", "switches", "6: switch \"s0\" of the fabric is not listed"},
      {"switches s0 \"rack 1\" s2", "", "11: the list of switches must come before"},
      {"turns from", "turns", "7: write \"turns from hosts 0 otherwise =\""},
      {"otherwise =", "otherwise 2",
       "7: \"2\" is not a lane of these tables; a number from 0 to 1 is needed"},
      {"otherwise =", "otherwise ==", "7: a space is missing before \"=\""},
      {"turns from hosts 0 otherwise =", "levels",
       "8: a \"turn\" line needs a line \"turns\" before it"},
      {"turn s0 1: 1", "turns from hosts 0 otherwise =",
       "8: there is a second line \"turns or levels\"; one is possible"},
      {"turn s0 1: 1", "turn s0 1: 99",
       "8: \"99\" is not a lane of these tables; a number from 0 to 1 is needed"},
      {"turn s0 1: 1", "turn s0 5: 1",
       "8: \"5\" is not a port of the switch; a number from 0 to 4 is needed"},
      {"turn s0 1: 1", "turn s0 1 1", "8: a colon is missing before \"1\""},
      {"turn s0 1: 1", "turn s0 1: 1 1",
       "8: 5 marks are needed, by out-port from 0, or one for all"},
      {"turn s0 1: 1", "turn s0 1: 1 1 1 1 1 1",
       "8: \"1\" is too much; the line should end before it"},
      {"turn s0 1: 1", "map s0 1 1: 1", "8: a \"map\" line needs a line \"levels N: …\" before it"},
      {"turn s0 1: 1", "level 1",
       "8: a \"level\" line belongs below a column, and needs \"levels\""},
      {"turn s0 1: 1", "out s0: 1", "8: an \"out\" line belongs below a group"},
      {"to h0", "to h9", "11: the fabric has no host \"h9\""},
      {"to h0 | s0: .", "to h0 | s0: 5",
       "11: \"5\" is not a port of the switch; a number from 0 to 4 is needed"},
      {"to h0 | s0: . 2 2", "to h0 | s0: . 2", "11: 3 entries are needed, one for each switch"},
      {"to h0 | s0: . 2 2", "to h0 | s0: . 2 2 2",
       "11: \"2\" is too much; the line should end before it"},
      {"to h0 | s0: . 2 2", "to h0 | s0: .2 2", "11: a space is missing before \"2 2\""},
      {"to h0 | s0: . 2 2", "to h0 | s0", "11: a switch is missing"},
      {"to \"h|1\"", "to h0", "12: \"h0\" has a second column; one is possible"},
      {"to: 1 1 .", "lanes 2", "13: there is a second line \"lanes\"; one is possible"},
      {"to: 1 1 .", "levels", "13: there is a second line \"turns or levels\"; one is possible"},
      {"\" lane 1", "\" lane 2",
       "14: \"2\" is not a lane of these tables; a number from 0 to 1 is needed"},
      {"\" lane 1", "\"", "14: write \"group name lane 0: h0 h1\""},
      {"lane 1 source", "lane 1 from", "14: write \"group name lane 0 source h0: h0 h1\""},
      {"out s0: 1 3", "out s0: 0", "15: port 0 is the switch itself; ports count from 1"},
      {"out s0: 1 3", "out s0: 5",
       "15: \"5\" is not a port of the switch; a number from 0 to 4 is needed"},
      {"out s0: 1 3", "out s0: 3 1 3", "15: port 3 is listed twice"},
      {"turn s2 3:", "turn s0 1:",
       "10: there is a second line for these ports of switch \"s0\"; one is possible"},
      {"out \"rack 1\": 1", "out s0: 2",
       "16: switch \"s0\" has a second line \"out\" in this group; one is possible"},
      {"h0 \"h|1\" \"h:2\"", "h0 \"h|1\" h0", "14: host \"h0\" is listed twice"},
      {"group any", "group \"to all\"", "17: there is a second group \"to all\"; one is possible"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(tables_message(replaced(turns, what, by), line(), format),
              "file:" + std::string(message));
}

TEST(WeftTables, MessagesOfRoots) {
  const Case cases[] = {
      {"root \"rack 1\"", "root s7", "8: the fabric has no switch \"s7\""},
      {"root \"rack 1\"", "rot s2", "8: write \"group name lane 0 root s0: h0 h1\""},
      {"root \"rack 1\":", "root s2", "8: a colon is missing before \"h0 \"h|1\" \"h:2\"\""},
      {"root \"rack 1\"", "source h0", "9: an \"up\" line belongs below a group with a root"},
      {"up 1: s0\nup 2", "up 9: s0\nup 2", "9: switch \"s0\" has 4 ports, there is no port 9"},
      {"up 2: s2", "up 0: s2", "10: switch \"s2\" has 4 ports, there is no port 0"},
      {"up 2: s2", "up s2", "10: \"s2\" is not a port; a number from 0 to 65000 is needed"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(tables_message(replaced(rooted, what, by), line(), format),
              "file:" + std::string(message));
}

TEST(WeftTables, MessagesOfServiceLevels) {
  const Case cases[] = {
      {"levels 3", "levels 0", "7: 0 levels; from 1 to 256 are possible"},
      {"levels 3", "levels 257",
       "7: \"257\" is not a number of levels; a number from 0 to 256 is needed"},
      {"levels 3: 0 1 2", "levels 3: 0 1",
       "7: \"\" is not a lane of these tables; a number from 0 to 3 is needed"},
      {"3 3 3", "3 3 4", "8: \"4\" is not a lane of these tables; a number from 0 to 3 is needed"},
      {"., 2, 2 2", "., 2 2 2", "9: 3 routes are needed, one for each switch, with commas between"},
      {"., 2, 2 2", "., , 2 2", "9: \"\" is not a port; a number from 0 to 65000 is needed"},
      {"level 2", "level 3", "10: \"3\" is not a service level; a number from 0 to 2 is needed"},
      {"level 2", "level 0 0", "10: 3 levels are needed, one for each switch, or one for all"},
      {"level 2", "level 2\nlevel 2",
       "11: the column has a second \"level\" line; one is possible"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(tables_message(replaced(services, what, by), line(), format),
              "file:" + std::string(message));
  EXPECT_EQ(tables_message(replaced(services, "to h0", "lanes 4\nto h0"), line(), format),
            "file:9: there is a second line \"lanes\"; one is possible");
  EXPECT_EQ(tables_message("weft tables 1\nswitches s0 \"rack 1\" s2\nto h0: . . .\nlanes 2",
                           line(), format),
            "file:4: \"lanes\" must come before the first \"to\"");
}

TEST(WeftTables, MessagesOfGroupsOfLinks) {
  const Case cases[] = {
      {"links g1", "links g2", "8: write \"links g1: 1 2\""},
      {"links g1: 2", "links g1 2", "8: a colon is missing before \"2\""},
      {"g1: 2", "g1: x", "8: \"x\" is not a port; a number from 0 to 65000 is needed"},
      {"paths source", "", "7: groups of links need \"paths source\" before them"},
      {"g1 2", "g2 2", "9: \"2\" is not a group of links; a number from 0 to 1 is needed"},
      {"g1 2", "gg 2", "9: \"g\" is not a group of links; a number from 0 to 1 is needed"},
      {"links g0: 1 2\nlinks g1: 2", "", "8: a group of links needs a line \"links\" before it"},
      {"to: g0", "links g2: 1\nto: g0", "10: \"links\" must come before the first \"to\""},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(tables_message(replaced(choices, what, by), line(), format),
              "file:" + std::string(message));
}

TEST(WeftTables, NothingIsTooSmall) {
  EXPECT_EQ(tables_message("weft tables 1", line(), format),
            "file:1: the list of switches must come before");
  const Tables tables = parsed_tables("weft tables 1\nswitches s0 \"rack 1\" s2");
  EXPECT_EQ(column_count(tables), 0);
  EXPECT_EQ(parsed_tables(written(line(), tables, format)), tables);
}

TEST(WeftTables, LanesOfAHugeSwitchAreRefused) {
  FabricBuilder builder("f");
  builder.add_switch({"s", 65000});
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(
      tables_message("weft tables 1\nswitches s\nturns from hosts 0 otherwise 0", fabric, format),
      "file:3: lanes by turn would take 4225130001 entries on this fabric; at most 1073741824 "
      "are possible");
  EXPECT_EQ(
      tables_message("weft tables 1\nswitches s\nlevels 1: 0", fabric, format),
      "file:3: lanes by turn would take 4225130001 entries on this fabric; at most 1073741824 "
      "are possible");
}

TEST(WeftTables, TruncatedAnywhere) {
  for (const std::string& text : {turns, services, choices})
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string message = tables_message(text.substr(0, size), line(), format);
      EXPECT_TRUE(message == "(no error)" || message.starts_with("file:")) << message;
    }
}

}  // namespace
}  // namespace weft::test::format_weft_tables
