// SPDX-License-Identifier: Apache-2.0
// Fabrics compared, expected against found.
#include "fabric/difference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fabric/builder.hpp"
#include "fabric/without.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

using DifferenceLines = std::vector<std::string>;

/// "cables moved: s0:1 (s1:2 -> s2:2)".
DifferenceLines lines_of(const Fabric& expected, const Fabric& found) {
  DifferenceLines out;
  for (const FabricDifference& one : differences(expected, found))
    out.push_back(
        fmt::format("{}: {} ({} -> {})", to_text(one.kind), one.what, one.expected, one.found));
  return out;
}

struct PlannedLink {
  const char *a, *b;
  PortNumber a_port, b_port;
  std::int64_t speed = 100;
};

/// Three switches of ten ports with a host each, on port 9.
Fabric planned(const std::vector<PlannedLink>& links, const char* third = "c", Guid guid = 3) {
  FabricBuilder builder("plan");
  std::map<std::string, SwitchId> switches;
  switches["a"] = builder.add_switch({.name = "a", .ports = 10, .guid = 1});
  switches["b"] = builder.add_switch({.name = "b", .ports = 10, .guid = 2});
  switches["c"] = builder.add_switch({.name = third, .ports = 10, .guid = guid});
  for (const auto& [name, id] : switches)
    builder.add_host({.name = "h" + name, .on = id, .port = 9});
  for (const PlannedLink& link : links)
    builder.add_link({{switches[link.a], link.a_port},
                      {switches[link.b], link.b_port},
                      {gigabits_per_second(link.speed)}});
  return std::move(builder).build();
}

const std::vector<PlannedLink> triangle{{"a", "b", 1, 1}, {"b", "c", 2, 1}, {"c", "a", 2, 2}};

TEST(FabricDifference, NothingBetweenEqualFabrics) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(lines_of(random_fabric(seed), random_fabric(seed)), DifferenceLines{});
}

TEST(FabricDifference, Lids) {
  const auto with_lids = [](Lid of_switch, Lid of_host, std::uint8_t lmc) {
    FabricBuilder builder("lids");
    const SwitchId s = builder.add_switch({.name = "s", .guid = 1, .lid = of_switch});
    builder.add_host({.name = "h", .on = s, .port_guid = 2, .lid = of_host, .lmc = lmc});
    return std::move(builder).build();
  };
  EXPECT_EQ(lines_of(with_lids(1, 8, 0), with_lids(1, 8, 0)), DifferenceLines{});
  EXPECT_EQ(lines_of(with_lids(0, 0, 0), with_lids(1, 8, 2)), DifferenceLines{}) << "a plan";
  EXPECT_EQ(lines_of(with_lids(1, 8, 0), with_lids(2, 8, 2)),
            (DifferenceLines{"LIDs changed: switch s (LID 1 -> LID 2)",
                             "LIDs changed: host h (LID 8 -> LIDs 8 to 11)"}));
}

TEST(FabricDifference, Cables) {
  EXPECT_EQ(lines_of(planned(triangle), planned({{"a", "b", 1, 1}, {"c", "a", 2, 2}})),
            DifferenceLines{"cables missing: b:2 - c:1 (100Gb/s -> )"});
  EXPECT_EQ(lines_of(planned({{"a", "b", 1, 1}}), planned({{"b", "a", 1, 1}, {"a", "c", 5, 5}})),
            DifferenceLines{"cables that nobody expects: a:5 - c:5 ( -> 100Gb/s)"});
  EXPECT_EQ(lines_of(planned({{"a", "b", 1, 1}}), planned({{"a", "b", 1, 1, 25}})),
            DifferenceLines{"slower than expected: a:1 - b:1 (100Gb/s -> 25Gb/s)"});
  EXPECT_EQ(lines_of(planned({{"a", "b", 1, 1}}), planned({{"a", "c", 1, 7}})),
            DifferenceLines{"cables moved: a:1 (b:1 -> c:7)"});
}

TEST(FabricDifference, TwoCablesSwapped) {
  const DifferenceLines lines = lines_of(planned({{"a", "b", 1, 1}, {"a", "c", 2, 2}}),
                                         planned({{"a", "c", 1, 2}, {"a", "b", 2, 1}}));
  EXPECT_EQ(lines,
            (DifferenceLines{"cables moved: a:1 (b:1 -> c:2)", "cables moved: a:2 (c:2 -> b:1)"}))
      << "both cables are told of, each once";
}

TEST(FabricDifference, ACableWhoseEndsAreBothElsewhere) {
  EXPECT_EQ(lines_of(planned({{"a", "b", 1, 1}}), planned({{"a", "c", 1, 2}, {"b", "c", 1, 3}})),
            (DifferenceLines{"cables moved: a:1 (b:1 -> c:2)", "cables moved: b:1 (a:1 -> c:3)"}));
}

TEST(FabricDifference, SwitchesByGuidAndThenByName) {
  EXPECT_EQ(lines_of(planned(triangle), planned(triangle, "spare")),
            DifferenceLines{"switches changed: switch c (the name c -> the name spare)"});
  EXPECT_EQ(lines_of(planned(triangle), planned(triangle, "c", 77)),
            DifferenceLines{"switches changed: switch c (GUID 0x0000000000000003 -> GUID "
                            "0x000000000000004d)"});
  EXPECT_EQ(
      lines_of(planned({}), planned({}, "spare", 77)),
      (DifferenceLines{"switches missing: switch c (0 cables to switches and 1 host -> )",
                       "switches that nobody expects: switch spare ( -> 0 cables to switches and 1 "
                       "host)",
                       "hosts moved: host hc (c:9 -> spare:9)"}));
}

/// What without() takes out is what is missing, no more and no less.
TEST(FabricDifference, OfWhatIsTakenOut) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Fabric fabric = random_fabric(seed);
    const Removal gone{{LinkId(seed % fabric.link_count())}, {}, {HostId(0)}};
    std::vector<DifferenceKind> kinds;
    for (const auto& one : differences(fabric, without(fabric, gone).fabric))
      kinds.push_back(one.kind);
    EXPECT_EQ(kinds, (std::vector{DifferenceKind::host_missing, DifferenceKind::cable_missing}));
  }
}

}  // namespace
}  // namespace weft::test
