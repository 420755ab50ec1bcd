// SPDX-License-Identifier: Apache-2.0
// Tables compared, and the change from one to the other.
#include "plan/difference/tables_difference.hpp"

#include <gtest/gtest.h>

#include <array>

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

bool is_free(const UpdateVerdict& verdict) {
  const auto* order = std::get_if<UpdateOrder>(&verdict);
  return order != nullptr && order->safe == SafeUpdate::in_any_order;
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

TEST(TablesDifference, ListsEntriesThatChange) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=2");
  for (const char* engine : {"dor", "updown:form=source"}) {
    const Tables before = routed(fabric, "updown"), after = routed(fabric, engine);
    const std::uint64_t changed = compare_tables(fabric, before, after).changed_entries;
    EXPECT_EQ(changed_entries(fabric, before, after, 10'000).size(), changed) << engine;
    EXPECT_LE(changed_entries(fabric, before, after, 5).size(), 5U) << engine;
  }
  const Tables before = routed(fabric, "updown"), after = routed(fabric, "dor");
  const ChangedEntry first = changed_entries(fabric, before, after, 1).at(0);
  const auto entry = [&](const Tables& tables) {
    return std::get<DestinationTables>(tables.paths)[tables.to_host[first.to]][first.at.index()];
  };
  EXPECT_EQ(first.before.at(0).at(0), entry(before));
  EXPECT_EQ(first.after.at(0).at(0), entry(after));
  EXPECT_NE(first.before, first.after);
}

/// Both tables of a ring are free of deadlock, but each closes the gap that the other leaves.
TEST(Transition, OfTwoGoodTablesThatDoNotMix) {
  const Fabric fabric = ring(6);
  const Tables before = routed(fabric, "updown:root=s0");
  const Tables after = routed(fabric, "updown:root=s3");
  EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, before)));
  EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, after)));
  const UpdateVerdict verdict = update_order(fabric, before, after);
  ASSERT_FALSE(is_free(verdict));
  const MixedCycle& cycle = std::get<UpdateOrder>(verdict).cycle.value();
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const ChannelId next = cycle.waits[(i + 1) % cycle.waits.size()].channel;
    EXPECT_EQ(fabric.to(cycle.waits[i].channel), fabric.from(next)) << "a cycle is a walk";
    EXPECT_TRUE(cycle.waits[i].to.host.valid()) << "every wait has packets";
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
    const bool good = is_free(update_order(fabric, before, after));
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

/// Levels and a map of lanes for all of them, as tables without a map have them.
ServiceLanes with_map(const Fabric& fabric, const Tables& tables, int levels) {
  ServiceLanes out;
  if (const auto* service = std::get_if<ServiceLanes>(&tables.lanes))
    out = *service;
  else
    out.level = Grid<std::uint8_t>(column_count(tables), fabric.switch_count(), 0);
  ServiceLanes::Map map;
  map.levels = levels;
  for (SwitchId s : fabric.switches()) {
    auto& lanes = map.lane.emplace_back();
    for (unsigned in = 0; in <= fabric[s].ports; ++in)
      for (unsigned port = 0; port <= fabric[s].ports; ++port)
        for (unsigned level = 0; level < static_cast<unsigned>(levels); ++level)
          lanes.push_back(out.map && level < static_cast<unsigned>(out.map->levels)
                              ? (*out.map)(s, fabric[s], static_cast<PortNumber>(in),
                                           static_cast<PortNumber>(port), level)
                              : static_cast<Lane>(level));
  }
  out.map = std::move(map);
  return out;
}

int levels_needed(const Tables& tables) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  return service == nullptr ? 1 : service->map ? service->map->levels : tables.lane_count;
}

/// Every switch has entries of either tables, by destination, and the lanes of either; hosts choose
/// the level of either.
Tables mixture(const Fabric& fabric, const Tables& before, const Tables& after, Rng& rng) {
  const int levels = std::max(levels_needed(before), levels_needed(after));
  const std::array<const Tables*, 2> tables{&before, &after};
  const std::array lanes{with_map(fabric, before, levels), with_map(fabric, after, levels)};
  Tables out = before;
  out.lane_count = std::max({before.lane_count, after.lane_count, levels});
  DestinationTables next(fabric.host_count(), fabric.switch_count(), no_port);
  ServiceLanes service;
  service.by_host = true;
  service.level = Grid<std::uint8_t>(fabric.host_count(), fabric.host_count(), 0);
  service.map = lanes[0].map;
  for (SwitchId s : fabric.switches())
    service.map->lane[s.index()] = lanes[rng.below(2)].map->lane[s.index()];
  for (HostId h : fabric.hosts()) {
    const ColumnId column(h.index());
    out.to_host[h] = column;
    for (SwitchId s : fabric.switches()) {
      const Tables& from = *tables[rng.below(2)];
      next[column][s.index()] = std::get<DestinationTables>(from.paths)[from.to_host[h]][s.index()];
    }
    for (HostId from : fabric.hosts()) {
      const std::size_t t = rng.below(2);
      service.level[column][from.index()] = lanes[t].of(fabric, tables[t]->to_host[h], from);
    }
  }
  out.paths = std::move(next);
  out.lanes = std::move(service);
  return out;
}

TEST(Transition, ProvesEveryMixtureOfLevelsAndLanes) {
  int proved = 0, refuted = 0;
  const std::array<std::pair<const char*, const char*>, 6> changes{{{"dfsssp", "dfsssp"},
                                                                    {"lash", "lash"},
                                                                    {"dor", "dor"},
                                                                    {"dfsssp", "lash"},
                                                                    {"dor", "lash"},
                                                                    {"updown", "dfsssp"}}};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Fabric fabric = seed % 2 == 0 ? make_fabric("torus:dims=4x4") : random_fabric(seed, 10);
    const auto [old_engine, new_engine] = changes[seed % changes.size()];
    const Routed old_routes = route(fabric, old_engine), new_routes = route(fabric, new_engine);
    if (std::holds_alternative<Refused>(old_routes) || std::holds_alternative<Refused>(new_routes))
      continue;
    const auto& before = std::get<Tables>(old_routes);
    const auto& after = std::get<Tables>(new_routes);
    const bool good = is_free(update_order(fabric, before, after));
    ++(good ? proved : refuted);
    Rng rng(seed);
    for (int i = 0; i < 6 && good; ++i)
      EXPECT_TRUE(std::holds_alternative<Certificate>(
          deadlock(fabric, mixture(fabric, before, after, rng))))
          << seed;
  }
  EXPECT_GT(proved, 5);
  EXPECT_GT(refuted, 5);
}

/// The routes to further LIDs change, and those of a ring do not mix.
TEST(Transition, OfFurtherLids) {
  const Fabric fabric = ring(6);
  Tables before = routed(fabric, "updown:root=s0");
  Tables after = before;
  const Tables other = routed(fabric, "updown:root=s3");
  const auto add_lids = [&](Tables& tables, const Tables& routes) {
    auto& next = std::get<DestinationTables>(tables.paths);
    const auto& more = std::get<DestinationTables>(routes.paths);
    DestinationTables all(next.size() + more.size(), fabric.switch_count(), no_port);
    for (ColumnId c : next.ids()) std::copy(next[c].begin(), next[c].end(), all[c].begin());
    for (HostId h : fabric.hosts()) {
      const ColumnId from = routes.to_host[h];
      const ColumnId to(next.size() + from.index());
      std::copy(more[from].begin(), more[from].end(), all[to].begin());
      tables.further.push_back({h, 1, to});
    }
    next = std::move(all);
  };
  const Tables whole = before;
  add_lids(before, whole);
  add_lids(after, whole);
  EXPECT_TRUE(is_free(update_order(fabric, before, after)));
  after = whole;
  add_lids(after, other);
  EXPECT_FALSE(is_free(update_order(fabric, before, after)));
}

}  // namespace
}  // namespace weft::test
