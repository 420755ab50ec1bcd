// SPDX-License-Identifier: Apache-2.0
// Routes of choice tables in words, and choice tables of what is left of a fabric.
#include "fabric/choice_text.hpp"

#include <gtest/gtest.h>

#include "fabric/route_set.hpp"
#include "fabric/without.hpp"
#include "format_support.hpp"

namespace weft::test::choice_text {
namespace {

/// Four switches in a square, s0 s1 / s2 s3: port 1 along a row, port 2 along a column, a host on
/// port 3 of each.
Fabric square() {
  FabricBuilder builder("square");
  for (int i = 0; i < 4; ++i) {
    Switch s{fmt::format("s{}", i), 3};
    s.at = {i % 2, i / 2};
    builder.add_switch(s);
  }
  for (std::size_t i = 0; i < 4; ++i) builder.add_host({fmt::format("h{}", i), SwitchId(i), 3, {}});
  for (const std::size_t left : {0U, 2U})
    builder.add_link({{SwitchId(left), 1}, {SwitchId(left + 1), 1}, {}});
  for (const std::size_t top : {0U, 1U})
    builder.add_link({{SwitchId(top), 2}, {SwitchId(top + 2), 2}, {}});
  return std::move(builder).build();
}

Tables tables_of(const std::string& text) {
  return read_tables({"file",
                      "weft tables 1\nengine test\nlanes 3\ncolumns hosts\npaths choices\n"
                      "switches s0 s1 s2 s3\n" +
                          text},
                     square(), "weft");
}

std::string route(const Tables& tables, std::size_t from, std::size_t to) {
  return route_text(square(), tables, HostId(from), HostId(to));
}

/// To h3, and by s1 or s2.
const std::string minimal =
    "choice c0: 1.0 2.1\nchoice c1: 2.0\nchoice c2: 1.0\nto h3: c0 c1 c2 .\n";

TEST(ChoiceText, AllCandidatesOfAHop) {
  const Tables tables = tables_of(minimal);
  EXPECT_EQ(route(tables, 0, 3), "h0 -> s0:1|2 lane 0|1 -> s1, s2:1|2 lane 0 -> s3:3 -> h3");
  EXPECT_EQ(route(tables, 1, 3), "h1 -> s1:2 lane 0 -> s3:3 -> h3");
  EXPECT_EQ(route(tables, 0, 1), "h0 -> s0: no entry for h1");
}

TEST(ChoiceText, OneRouteThatDoesNotArrive) {
  EXPECT_EQ(route(tables_of("choice c0: 1.0 2.1\nchoice c1: 2.0\nto h3: c0 c1 - .\n"), 0, 3),
            "h0 -> s0:2 lane 1 -> s2: no entry for h3");
  EXPECT_EQ(route(tables_of("choice c0: 1.0 3.1\nto h3: c0 - - .\n"), 0, 3),
            "h0 -> s0:3: delivered to somebody else");
}

const std::string detours =
    "choice c0: 1.1>2 2.1>2\nchoice c1: 2.1>2\nchoice c2: 1.1>2\n"
    "choice c3: 1.0>1\nchoice c4: 2.0>1\n";
const std::string columns = "to h3: c0 c1 c2 .\nvia: c3 . - c4\nvia: c4 - . c3\n";

TEST(ChoiceText, DetoursAreNamed) {
  const Tables tables =
      tables_of(detours +
                "start 0\nphase 0 undecided: to hosts detour 1\n"
                "phase 1 away: to intermediates next 2\nphase 2 home: to hosts\n" +
                columns);
  EXPECT_EQ(route(tables, 0, 3),
            "h0 -> s0:1|2 lane 1 -> s1, s2:1|2 lane 1 -> s3:3 -> h3; or by any of 2 intermediate "
            "destinations (s1, s2), as s1: h0 -> s0:1 lane 0 -> s1:2 lane 1 -> s3:3 -> h3");
}

TEST(ChoiceText, IntermediateDestinationsAlone) {
  const Tables tables =
      tables_of(detours +
                "start 1\nphase 0 home: to hosts\n"
                "phase 1 away: to intermediates next 2\nphase 2 home: to hosts\n" +
                columns);
  EXPECT_EQ(route(tables, 0, 3),
            "h0 by any of 2 intermediate destinations (s1, s2), as s1: h0 -> s0:1 lane 0 -> s1:2 "
            "lane 1 -> s3:3 -> h3");
}

TEST(ChoiceText, WhichIntermediateDestinationsMayBeDrawn) {
  const auto drawn = [](const std::string& rule, std::size_t from, std::size_t to) {
    const Tables tables =
        tables_of(detours + rule +
                  "start 1\nphase 0 home: to hosts\nphase 1 away: to intermediates next 2\nphase 2 "
                  "end: to hosts\n"
                  "via: . c2 c1 c0\nvia: c3 . - c4\nvia: c4 - . c3\nvia: - c4 c3 .\n");
    std::vector<std::size_t> out;
    const auto& choices = std::get<ChoiceTables>(tables.paths);
    for (const ColumnId c : drawn_intermediates(square(), choices, SwitchId(from), SwitchId(to)))
      out.push_back(c.index());
    return out;
  };
  using Columns = std::vector<std::size_t>;
  EXPECT_EQ(drawn("", 0, 1), (Columns{0, 1, 2, 3}));
  EXPECT_EQ(drawn("intermediates elsewhere\n", 0, 1), (Columns{2, 3}));
  EXPECT_EQ(drawn("intermediates elsewhere\nregions 0 1 0 1\n", 0, 2), (Columns{1, 3}));
  EXPECT_EQ(drawn("intermediates between\n", 0, 1), (Columns{0, 1}));
  EXPECT_EQ(drawn("intermediates aligned\n", 0, 1), (Columns{0, 1}));
  EXPECT_EQ(drawn("intermediates aligned\n", 0, 3), (Columns{0, 1, 2, 3}));
}

TEST(ChoicesWithout, DeadCandidatesAreNoChoice) {
  const Fabric fabric = square();
  const Remainder rest = without(fabric, "link=s0:1");
  const Tables tables = tables_without(tables_of(minimal), fabric, rest);
  EXPECT_EQ(route_text(rest.fabric, tables, HostId(0), HostId(3)),
            "h0 -> s0:2 lane 1 -> s2:1 lane 0 -> s3:3 -> h3");
}

TEST(ChoicesWithout, PhasesAndIntermediateDestinationsFollow) {
  const Fabric fabric = square();
  const Remainder rest = without(fabric, "switch=s1");
  const Tables before = tables_of(detours +
                                  "regions 0 1 2 3\nstart 1\nphase 0 home: to hosts\n"
                                  "phase 1 away: to intermediates next 2\nphase 2 home: to hosts\n"
                                  "in 2 to h3: c0 c1 c2 .\nvia: c3 . - c4\nvia: c4 - . c3\n");
  const Tables tables = tables_without(before, fabric, rest);
  require_fit(rest.fabric, tables);
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  EXPECT_EQ(choices.intermediates.columns, std::vector<ColumnId>{ColumnId(2)});
  EXPECT_EQ(choices.intermediates.region.size(), 3U);
  EXPECT_EQ(choices.intermediates.region[SwitchId(1)], 2U);
  EXPECT_EQ(choices.phases[2].to_host[HostId(2)], ColumnId(0));
}

}  // namespace
}  // namespace weft::test::choice_text
