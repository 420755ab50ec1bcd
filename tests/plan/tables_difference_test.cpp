// SPDX-License-Identifier: Apache-2.0
// Tables compared, and the change from one to the other.
#include "plan/difference/tables_difference.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/repair/repair.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

Tables routed(const Fabric& fabric, const std::string& engine) {
  return std::get<Tables>(route(fabric, engine));
}

bool is_free(const TransitionVerdict& verdict) {
  return std::holds_alternative<Certificate>(verdict);
}

TEST(TablesDifference, OfEqualTables) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=2");
  for (const char* engine : {"updown", "dl", "dfsssp", "updown:form=source"}) {
    const Tables tables = routed(fabric, engine);
    const TablesDifference difference = compare_tables(fabric, tables, tables);
    EXPECT_EQ(difference.changed_entries, 0U) << engine;
    EXPECT_EQ(difference.changed_pairs, 0U) << engine;
    EXPECT_TRUE(is_free(difference.transition)) << engine;
  }
}

/// Pairs are counted as if every pair were walked in both tables.
TEST(TablesDifference, CountsEntriesAndPairs) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Fabric fabric = random_fabric(seed, 20);
    const Tables before = routed(fabric, "updown");
    const Tables after = routed(fabric, "minhop:columns=switch");
    const TablesDifference difference = compare_tables(fabric, before, after);
    Walker walk_before(fabric, before), walk_after(fabric, after);
    std::uint64_t pairs = 0;
    for (HostId from : fabric.hosts())
      for (HostId to : fabric.hosts())
        pairs += walk_before(from, to).hops != walk_after(from, to).hops ? 1 : 0;
    EXPECT_EQ(difference.changed_pairs, pairs);
    std::uint64_t by_switch = 0, by_host = 0;
    for (const std::uint64_t n : difference.by_switch) by_switch += n;
    for (const std::uint64_t n : difference.by_destination) by_host += n;
    EXPECT_EQ(by_switch, difference.changed_entries);
    EXPECT_EQ(by_host, difference.changed_entries);
    EXPECT_EQ(difference.before.load, survey(fabric, before).load);
  }
}

/// Both tables of a ring are free of deadlock, but each closes the gap that the other leaves.
TEST(Transition, OfTwoGoodTablesThatDoNotMix) {
  const Fabric fabric = ring(6);
  const Tables before = routed(fabric, "updown:root=s0");
  const Tables after = routed(fabric, "updown:root=s3");
  EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, before)));
  EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, after)));
  const TransitionVerdict verdict = transition(fabric, before, after);
  ASSERT_TRUE(std::holds_alternative<MixedCycle>(verdict));
  const auto& cycle = std::get<MixedCycle>(verdict);
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const ChannelId next = cycle.waits[(i + 1) % cycle.waits.size()].channel;
    EXPECT_EQ(fabric.to(cycle.waits[i].channel), fabric.from(next)) << "a cycle is a walk";
    EXPECT_TRUE(cycle.waits[i].to.valid()) << "every wait has packets";
  }
  EXPECT_EQ(cycle.describe(fabric).size(), cycle.waits.size());
}

/// Mixtures of entries, every switch on its own, are never worse than the verdict says.
TEST(Transition, ProvesEveryMixture) {
  int proved = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Fabric fabric = seed % 2 == 0 ? damaged_tree(seed) : random_fabric(seed, 16);
    const Tables before = routed(fabric, "updown");
    const Tables after =
        routed(fabric, seed % 3 == 0 ? "updown:root=far" : "updown:columns=switch");
    const bool good = is_free(transition(fabric, before, after));
    ++(good ? proved : refuted);
    Rng rng(seed);
    for (int i = 0; i < 10; ++i) {
      Tables mixed = before;
      mixed.to_host = IdVector<HostId, ColumnId>(fabric.host_count());
      DestinationTables next(fabric.host_count(), fabric.switch_count(), no_port);
      for (HostId h : fabric.hosts()) {
        mixed.to_host[h] = ColumnId(h.index());
        for (SwitchId s : fabric.switches()) {
          const Tables& from = rng.below(2) == 0 ? before : after;
          next[ColumnId(h.index())][s.index()] =
              std::get<DestinationTables>(from.paths)[from.to_host[h]][s.index()];
        }
      }
      mixed.paths = std::move(next);
      if (good) {
        EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, mixed))) << seed;
      }
    }
  }
  EXPECT_GT(proved, 5);
  EXPECT_GT(refuted, 5);
}

}  // namespace
}  // namespace weft::test
