// SPDX-License-Identifier: Apache-2.0
// Repaired tables, compared with checks of everything and with engines that route anew.
#include "plan/repair/repair.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/survey.hpp"
#include "plan/repair/matching_flows.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

/// One or two links or switches.
Removal random_failure(const Fabric& fabric, Rng& rng) {
  Removal out;
  for (std::uint64_t i = 0; i <= rng.below(2); ++i)
    if (fabric.link_count() > 0 && rng.below(3) > 0)
      out.links.insert(LinkId(rng.below(fabric.link_count())));
    else
      out.switches.insert(SwitchId(rng.below(fabric.switch_count())));
  return out;
}

bool ends_at(const Fabric& fabric, const Tables& tables, HostId host) {
  const ColumnId c = tables.to_host[host];
  if (!c.valid()) return false;
  const PortNumber port = std::get<DestinationTables>(tables.paths)[c][fabric[host].on.index()];
  return port == here || port == fabric[host].port;
}

std::uint64_t differing(const Tables& a, const Tables& b, const Fabric& fabric,
                        const Removal& failure) {
  const auto& was = std::get<DestinationTables>(a.paths);
  const auto& is = std::get<DestinationTables>(b.paths);
  std::set<ColumnId> columns;
  for (HostId h : fabric.hosts())
    if (!failure.takes(fabric, h) && ends_at(fabric, a, h)) columns.insert(a.to_host[h]);
  std::uint64_t out = 0;
  for (ColumnId c : columns)
    for (SwitchId s : fabric.switches())
      out += failure.switches.count(s) == 0 && was[c][s.index()] != is[c][s.index()] ? 1 : 0;
  return out;
}

struct RepairTally {
  int repaired = 0, given_up = 0;
};

/// Everything that the repair says is what the checks find in its tables.
void expect_right(const Fabric& fabric, const Tables& tables, TableRepair& repair,
                  const Removal& failure, RepairTally& tally, bool reaches_all = true) {
  SCOPED_TRACE(tables.engine + " on " + fabric.name() + " without " + to_text(fabric, failure));
  const bool complete = repair(failure).complete;
  const RepairResult result = repair(failure, false);
  EXPECT_EQ(result.complete, complete);
  ++(complete ? tally.repaired : tally.given_up);
  const Remainder rest = without(fabric, failure);
  const Tables left = tables_without(repair.tables(), fabric, rest);
  const Survey seen = survey(rest.fabric, left);
  if (reaches_all) {
    EXPECT_EQ(seen.complete(), complete);
  }
  EXPECT_EQ(result.reached, seen.reached);
  EXPECT_EQ(result.hop_sum, seen.hop_sum);
  EXPECT_EQ(result.most_hops, seen.most_hops);
  EXPECT_EQ(result.changed_entries, differing(tables, repair.tables(), fabric, failure));
  if (repair.certified()) {
    EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(rest.fabric, left)));
  }
  if (!failure.switches.empty()) return;
  MatchingFlows flows(fabric, tables, 3, 7);
  EXPECT_NEAR(flows.mean(repair.tables(), repair.changed_columns()),
              effective_bisection(rest.fabric, left, 3, 7).mean, 1e-12);
}

Fabric fabric_to_break(std::uint64_t seed) {
  if (seed % 4 == 1) return random_box(seed);
  if (seed % 4 == 2) return damaged_tree(seed);
  return random_fabric(seed, 24);
}

class Repairs : public ::testing::TestWithParam<std::string> {};

TEST_P(Repairs, AreWhatTheChecksFind) {
  const int count = tries(60, 2000);
  RepairTally tally;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    const Fabric fabric = fabric_to_break(static_cast<std::uint64_t>(seed));
    const Routed routed = route(fabric, GetParam());
    const auto* tables = std::get_if<Tables>(&routed);
    if (tables == nullptr || !TableRepair::serves(fabric, *tables)) continue;
    TableRepair repair(fabric, *tables);
    EXPECT_EQ(repair.certified(), std::holds_alternative<Certificate>(deadlock(fabric, *tables)));
    Rng rng(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 8; ++i)
      expect_right(fabric, *tables, repair, random_failure(fabric, rng), tally);
    repair(Removal{});
    EXPECT_TRUE(repair.tables() == *tables) << "a failure leaves something behind";
  }
  EXPECT_GE(tally.repaired, count) << "hardly anything was tried";
  EXPECT_LE(tally.given_up, tally.repaired);
}

INSTANTIATE_TEST_SUITE_P(Engines, Repairs,
                         ::testing::Values("minhop", "updown", "dmodk", "sssp", "nue", "prefix",
                                           "updown:columns=switch,select=low_port"),
                         [](const auto& info) { return "engine_" + std::to_string(info.index); });

/// Tables of a subnet that was broken before lose pairs, and these stay lost.
TEST(Repair, TablesWithHoles) {
  const int count = tries(40, 1000);
  RepairTally tally;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    const Fabric fabric = fabric_to_break(static_cast<std::uint64_t>(seed));
    Tables tables = std::get<Tables>(route(fabric, "updown"));
    auto& next = std::get<DestinationTables>(tables.paths);
    Rng rng(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 6; ++i)
      next[ColumnId(rng.below(next.size()))][rng.below(fabric.switch_count())] =
          rng.below(2) == 0 ? no_port : static_cast<PortNumber>(1 + rng.below(4));
    if (rng.below(3) == 0) tables.to_host[HostId(rng.below(fabric.host_count()))] = {};
    if (!TableRepair::serves(fabric, tables)) continue;
    TableRepair repair(fabric, tables);
    for (int i = 0; i < 8; ++i)
      expect_right(fabric, tables, repair, random_failure(fabric, rng), tally, false);
  }
  EXPECT_GE(tally.repaired, count) << "hardly anything was tried";
}

/// On a full tree every detour is as long as the route was, and no single link is missed.
TEST(Repair, TreesLoseNothing) {
  const Fabric fabric = make_fabric("clos3:radix=8");
  const Tables tables = std::get<Tables>(route(fabric, "dmodk"));
  TableRepair repair(fabric, tables);
  for (LinkId l : fabric.links()) {
    const RepairResult result = repair({.links = {l}});
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.reached, repair.whole().reached);
    EXPECT_EQ(result.hop_sum, repair.whole().hop_sum);
    EXPECT_GT(result.changed_entries, 0U);
  }
}

/// What links no longer join is lost, and not blamed on the repair.
TEST(Repair, PartsThatFallApart) {
  const Fabric fabric = from_links(4, {{0, 1}, {1, 2}, {2, 3}}, 2);
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  TableRepair repair(fabric, tables);
  const RepairResult cut = repair({.links = {LinkId(1)}});
  EXPECT_TRUE(cut.complete);
  EXPECT_EQ(cut.reached, 2U * 4 * 4) << "two parts of four hosts";
  EXPECT_EQ(cut.most_hops, 2U);
  const RepairResult gone = repair({.switches = {SwitchId(1)}});
  EXPECT_EQ(gone.reached, 2U * 2 + 4 * 4);
}

TEST(Repair, ServesTablesOnOneLane) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=2");
  EXPECT_TRUE(TableRepair::serves(fabric, std::get<Tables>(route(fabric, "updown"))));
  EXPECT_FALSE(TableRepair::serves(fabric, std::get<Tables>(route(fabric, "dl"))));
  EXPECT_FALSE(TableRepair::serves(fabric, std::get<Tables>(route(fabric, "updown:form=source"))));
}

}  // namespace
}  // namespace weft::test
