// SPDX-License-Identifier: Apache-2.0
// Checks against closed forms: bisection widths, loads, matchings, reach.
#include "plan/check/check.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "fabric/builder.hpp"
#include "plan/check/bisection.hpp"
#include "plan/check/load.hpp"
#include "plan/check/matchings.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

TEST(Bisection, Table3AndClosedForms) {
  struct Known {
    const char* topology;
    std::uint64_t links;
  };
  for (const Known& known :
       {Known{"ring:switches=8", 2}, Known{"mesh:dims=4x2", 2}, Known{"torus:dims=4x2", 4},
        Known{"myrinet_clos", 8}, Known{"fat_tree_242", 4}, Known{"fat_tree_241", 4},
        Known{"mesh:dims=4x4", 4}, Known{"torus:dims=4x4", 8}, Known{"hypercube:dims=4", 8},
        Known{"complete:switches=8", 16}, Known{"crossbar", 0}, Known{"tree:k=2,n=3", 4}}) {
    const Bisection found = bisection_width(make_fabric(known.topology));
    EXPECT_EQ(found.links, known.links) << known.topology;
    EXPECT_TRUE(found.exact) << known.topology;
  }
}

/// The smallest cut over all ways to halve the hosts as evenly as possible.
std::uint64_t brute_force_bisection(const Fabric& fabric) {
  const std::size_t n = fabric.switch_count();
  std::uint64_t best = ~std::uint64_t{0};
  std::uint64_t least_imbalance = ~std::uint64_t{0};
  for (std::uint64_t sides = 0; sides < (std::uint64_t{1} << n); ++sides) {
    std::int64_t difference = 0;
    for (std::size_t s = 0; s < n; ++s)
      difference += (sides >> s & 1U ? 1 : -1) *
                    static_cast<std::int64_t>(fabric.hosts_on(SwitchId(s)).size());
    const auto imbalance = static_cast<std::uint64_t>(std::abs(difference));
    std::uint64_t cut = 0;
    for (LinkId l : fabric.links())
      cut += (sides >> fabric[l].a.on.index() & 1U) != (sides >> fabric[l].b.on.index() & 1U);
    if (imbalance > least_imbalance) continue;
    best = imbalance < least_imbalance ? cut : std::min(best, cut);
    least_imbalance = imbalance;
  }
  return best;
}

TEST(Bisection, ExactOnRandomFabrics) {
  for (int seed = 1; seed <= tries(150); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 11);
    const Bisection found = bisection_width(fabric);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.links, brute_force_bisection(fabric)) << seed;
  }
}

TEST(Bisection, LargeFabricsGetABound) {
  const Bisection mesh = bisection_width(make_fabric("mesh:dims=16x16"));
  EXPECT_FALSE(mesh.exact);
  EXPECT_EQ(mesh.links, 16U);
  EXPECT_EQ(bisection_width(make_fabric("torus:dims=12x8")).links, 16U);
  const Bisection tree = bisection_width(make_fabric("tree:k=8,n=3"));
  EXPECT_EQ(tree.links, 256U);  // full bisection: half the 512 hosts
}

/// Two groups of 14 switches, all of a group linked to each other, and each to one of the other
/// group, with ids in turn: no order that the search begins with keeps the groups apart.
TEST(Bisection, MovesAndSwapsFindTwoGroups) {
  LinkList links;
  for (int i = 0; i < 28; i += 2) links.emplace_back(i, i + 1);
  for (int i = 0; i < 28; ++i)
    for (int j = i + 2; j < 28; j += 2) links.emplace_back(i, j);
  const Bisection found = bisection_width(from_links(28, links));
  EXPECT_FALSE(found.exact);
  EXPECT_EQ(found.links, 14U);
}

/// Bounds that the search has found; better ones are welcome.
TEST(Bisection, BoundsOfIrregularFabrics) {
  std::uint64_t links = 0;
  for (int seed = 1; seed <= 6; ++seed)
    links += bisection_width(
                 make_fabric(fmt::format("random_irregular:switches=40,links=80,seed={}", seed)))
                 .links;
  EXPECT_LE(links, 97U);
}

TEST(Bisection, WithoutHostsNothingIsHalved) {
  EXPECT_EQ(bisection_width(from_links(2, {{0, 1}}, 0)).links, 0U);
}

TEST(Load, DimensionOrderOnAMesh) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  const Survey seen = survey(fabric, routed(fabric, "dor"));
  EXPECT_EQ(link_load(fabric, seen).most, 16U);
  EXPECT_EQ(link_load(fabric, seen).unused, 0U);
}

TEST(Load, EveryLinkOfARingAlike) {
  const Fabric fabric = make_fabric("ring:switches=9,hosts=2");
  const Survey seen = survey(fabric, routed(fabric, "dor"));
  const LinkLoad load = link_load(fabric, seen);
  EXPECT_EQ(load.most, 40U);  // 4 hosts pairs * (1+2+3+4)
  EXPECT_DOUBLE_EQ(load.mean, 40);
  EXPECT_DOUBLE_EQ(load.deviation, 0);
  const auto histogram = load_histogram(seen, 4);
  EXPECT_EQ(histogram, (std::vector<std::size_t>{0, 0, 0, 18}));
}

Finding load_finding(const Fabric& fabric) {
  for (const Finding& finding : run_checks(fabric, routed(fabric, "minhop")).findings)
    if (finding.check == "load") return finding;
  throw Error("no check is called load");
}

TEST(Load, FourInARow) {
  const Finding finding = load_finding(from_links(4, {{0, 1}, {1, 2}, {2, 3}}));  // 3, 4 and 3
  EXPECT_NEAR(finding.numbers.at("mean"), 10 / 3.0, 1e-9);
  EXPECT_NEAR(finding.numbers.at("deviation"), std::sqrt(2.0) / 3, 1e-9);
  EXPECT_EQ(finding.details, (std::vector<std::string>{"       3 to 3             4 links",
                                                       "       4 to 4             2 links"}));
}

TEST(Load, OfLinksThatNobodyUses) {
  FabricBuilder builder("one end");
  for (const char* name : {"s0", "s1"}) builder.add_switch({name});
  builder.connect(SwitchId(0), SwitchId(1), {});
  builder.add_host({"h0", SwitchId(0)});
  EXPECT_EQ(load_finding(std::move(builder).build()).details,
            (std::vector<std::string>{"       0 to 0             2 links"}));
}

TEST(Matchings, NoContentionOnACrossbarAndFullContentionOnADumbbell) {
  const Fabric crossbar = make_fabric("crossbar:hosts=16");
  const auto free = effective_bisection(crossbar, routed(crossbar, "minhop"), 20, 1);
  EXPECT_DOUBLE_EQ(free.mean, 1);
  // Two hosts a side and one link: pairs across it share it.
  const Fabric dumbbell = from_links(2, {{0, 1}}, 1);
  const auto alone = effective_bisection(dumbbell, routed(dumbbell, "minhop"), 20, 1);
  EXPECT_DOUBLE_EQ(alone.mean, 1);
  const Fabric wide = from_links(2, {{0, 1}}, 32);
  const auto shared = effective_bisection(wide, routed(wide, "minhop"), 50, 1);
  EXPECT_LT(shared.mean, 0.6);
  EXPECT_GT(shared.mean, 0.5);  // half of the pairs stay on their switch
  EXPECT_LE(shared.least, shared.mean);
}

TEST(Matchings, ChoicesShareTheLinksThatThereAre) {
  // Four hosts of a leaf, two links up: when all of them send to others, each has half a link.
  const Fabric fabric = make_fabric("xgft:children=4x3,parents=1x2");
  const auto found = effective_bisection(fabric, routed(fabric, "nca"), 50, 1);
  EXPECT_LT(found.mean, 0.8);
  EXPECT_GE(found.least, 0.5);
}

TEST(Matchings, TheCheckIsRepeatable) {
  const Fabric fabric = from_links(2, {{0, 1}}, 8);
  const Tables tables = routed(fabric, "minhop");
  for (const Finding& finding : run_checks(fabric, tables).findings)
    if (finding.check == "matchings") {
      EXPECT_EQ(finding.numbers.at("mean"),
                effective_bisection(fabric, tables, matchings_for(16), 1).mean);
    }
}

TEST(Matchings, FasterLinksCarryMore) {
  const auto dumbbell = [](Bandwidth trunk) {
    FabricBuilder builder("dumbbell");
    const SwitchId a = builder.add_switch({"a"});
    const SwitchId b = builder.add_switch({"b"});
    builder.connect(a, b, {trunk, Duration{0}});
    for (int i = 0; i < 8; ++i)
      builder.add_host({"h" + std::to_string(i), i < 4 ? a : b, 0, {gigabits_per_second(1)}});
    return std::move(builder).build();
  };
  const Fabric thin = dumbbell(gigabits_per_second(1));
  const Fabric thick = dumbbell(gigabits_per_second(4));
  EXPECT_LT(effective_bisection(thin, routed(thin, "minhop"), 50, 1).mean, 0.8);
  EXPECT_DOUBLE_EQ(effective_bisection(thick, routed(thick, "minhop"), 50, 1).mean, 1);
}

TEST(Reach, NamesWhoIsNotReached) {
  const Fabric fabric = ring(4);
  Tables tables = routed(fabric, "updown");
  auto& next = std::get<DestinationTables>(tables.paths);
  next[tables.to_host[HostId(2)]][0] = no_port;
  const auto findings = run_checks(fabric, tables).findings;
  EXPECT_EQ(findings[0].check, "reach");
  EXPECT_EQ(findings[0].verdict, Verdict::bad);
  EXPECT_EQ(findings[0].summary, "1 of 16 pairs of hosts are not reached");
  EXPECT_EQ(findings[0].details,
            (std::vector<std::string>{"1 pair: switch \"s0\" has no entry for h2",
                                      "one of them: h0 -> s0: no entry for h2"}));
}

TEST(Reach, APortToTheWrongHostIsNoticed) {
  const Fabric fabric = from_links(2, {{0, 1}}, 2);
  Tables tables = routed(fabric, "minhop:select=low_port");
  auto& next = std::get<DestinationTables>(tables.paths);
  const ColumnId column = tables.to_host[HostId(3)];
  ASSERT_EQ(column, tables.to_host[HostId(2)]);
  // Its own port, as imported tables have it, is right for one host of the column only.
  next[column][1] = fabric[HostId(3)].port;
  const Survey seen = survey(fabric, tables);
  EXPECT_FALSE(seen.complete());
  EXPECT_EQ(seen.reached, 12U);
  ASSERT_FALSE(seen.strays.empty());
  EXPECT_EQ(seen.strays[0].to, HostId(2));
}

TEST(Reach, NamesTheFirstHostOfAColumnAndTheFirstFewPairs) {
  const Fabric fabric = from_links(
      12,
      {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 9}, {0, 10}, {0, 11}},
      2);
  Tables tables = routed(fabric, "minhop:select=low_port");
  auto& next = std::get<DestinationTables>(tables.paths);
  const auto column = next[tables.to_host[HostId(0)]];
  std::fill(column.begin() + 1, column.end(), no_port);
  const Survey seen = survey(fabric, tables);
  EXPECT_EQ(seen.reached, 24U * 24 - 22 * 2);
  EXPECT_EQ(seen.strays.size(), 8U);
  for (const auto& stray : seen.strays) EXPECT_EQ(stray.to, HostId(0));
}

TEST(Reach, AColumnForHostsOfTwoSwitchesIsWrongForOne) {
  const Fabric fabric = from_links(2, {{0, 1}});
  Tables tables = routed(fabric, "minhop");
  tables.to_host[HostId(1)] = tables.to_host[HostId(0)];
  const Survey seen = survey(fabric, tables);
  EXPECT_EQ(seen.reached, 2U);
  for (const auto& stray : seen.strays) EXPECT_EQ(stray.to, HostId(1));
}

TEST(Load, TablesThatNameTheHostsPortCountAlike) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  Tables tables = routed(fabric, "dor");
  const Survey before = survey(fabric, tables);
  auto& next = std::get<DestinationTables>(tables.paths);
  for (HostId h : fabric.hosts()) next[tables.to_host[h]][fabric[h].on.index()] = fabric[h].port;
  const Survey after = survey(fabric, tables);
  EXPECT_EQ(after.load, before.load);
  EXPECT_EQ(after.hop_sum, before.hop_sum);
}

TEST(Matchings, WhatDoesNotArriveCountsNothing) {
  const Fabric fabric = ring(4);
  Tables tables = routed(fabric, "updown");
  auto& next = std::get<DestinationTables>(tables.paths);
  for (ColumnId c : next.ids()) std::fill(next[c].begin(), next[c].end(), no_port);
  EXPECT_DOUBLE_EQ(effective_bisection(fabric, tables, 10, 1).mean, 0);
}

TEST(Matchings, TheSlowerHostBoundsAPair) {
  FabricBuilder builder("two speeds");
  const SwitchId s = builder.add_switch({"s"});
  builder.add_host({"fast", s, 0, {gigabits_per_second(100)}});
  builder.add_host({"slow", s, 0, {gigabits_per_second(1)}});
  const Fabric fabric = std::move(builder).build();
  EXPECT_DOUBLE_EQ(effective_bisection(fabric, routed(fabric, "minhop"), 5, 1).mean, 0.505);
}

TEST(Reach, PartsWithoutALinkAreNotBlamedOnTheTables) {
  const Fabric fabric = random_apart(1);
  const auto findings = run_checks(fabric, routed(fabric, "updown")).findings;
  EXPECT_EQ(findings[0].verdict, Verdict::fine);
  EXPECT_NE(findings[0].summary.find("lie in different parts of the fabric"), std::string::npos);
}

TEST(Checks, EveryRowSaysSomething) {
  const Fabric fabric = make_fabric("rhinet2_a");
  const auto findings = run_checks(fabric, routed(fabric, "dl")).findings;
  EXPECT_EQ(findings.size(), checks().size());
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.summary.empty()) << finding.check;
    EXPECT_NE(finding.verdict, Verdict::bad) << finding.check;
  }
}

}  // namespace
}  // namespace weft::test
