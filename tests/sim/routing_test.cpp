// SPDX-License-Identifier: Apache-2.0
// The flit simulator's own tables say the same as those they are made of.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "plan/topo/topology.hpp"
#include "sim/flit/lane_table.hpp"
#include "sim/flit/port_table.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim::routing {
namespace {

/// Entries of the table that do not lead where the columns do.
std::size_t wrong_entries(const Fabric& fabric, const Tables& tables) {
  const auto& next = std::get<DestinationTables>(tables.paths);
  const PortTable table(fabric, tables, PortEnds(fabric));
  std::size_t wrong = 0;
  for (SwitchId s : fabric.switches())
    for (HostId to : fabric.hosts()) {
      PortNumber port = next[tables.to_host[to]][s.index()];
      if (port == here) port = fabric[to].on == s ? fabric[to].port : no_port;
      const Neighbour end = port == no_port ? Neighbour{} : fabric.at_port(s, port);
      const bool leads_on = end.channel.valid() || end.host == to;
      const int expected = leads_on ? port - 1 : PortTable::nowhere;
      if (table(static_cast<Index>(s.index()), static_cast<Index>(to.index())) != expected) ++wrong;
    }
  return wrong;
}

TEST(PortTable, LeadsWhereColumnsDo) {
  for (int seed = 0; seed < test::tries(40); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Fabric fabric = test::random_fabric(rng.next());
    Tables tables = test::routed(fabric, "minhop");
    auto& next = std::get<DestinationTables>(tables.paths);
    for (int i = 0; i < 20; ++i) {  // wrong ones, too
      const SwitchId at(rng.below(fabric.switch_count()));
      next[ColumnId(rng.below(next.size()))][at.index()] =
          rng.below(4) == 0 ? no_port : static_cast<PortNumber>(rng.below(fabric[at].ports + 1U));
    }
    EXPECT_EQ(wrong_entries(fabric, tables), 0U) << seed;
  }
}

TEST(PortTable, HasPagesForManyHosts) {
  const Fabric fabric = make_fabric("clos3:radix=18");
  EXPECT_EQ(wrong_entries(fabric, test::routed(fabric, "dmodk")), 0U);
}

/// Follows the tags of all routes, by every port that they name: entries of the table that differ.
std::size_t wrong_tags(const Fabric& fabric, const Tables& tables) {
  const auto& routes = std::get<SourceRoutes>(tables.paths);
  const PortTable table(fabric, tables, PortEnds(fabric));
  EXPECT_FALSE(table.empty());
  std::size_t wrong = 0;
  const auto follow = [&](const auto& again, SwitchId at, HostId to,
                          std::span<const PortNumber> tags) -> void {
    const PortNumber tag = tags.empty() ? fabric[to].port : tags.front();
    wrong +=
        table(static_cast<Index>(at.index()), static_cast<Index>(to.index())) != tag - 1 ? 1 : 0;
    if (tags.empty()) return;
    for (const PortNumber port : routes.ports(tags.front()))
      if (const ChannelId next = fabric.channel_at(at, port); next.valid())
        again(again, fabric.to(next), to, tags.subspan(1));
  };
  for (HostId to : fabric.hosts())
    for (SwitchId from : fabric.switches())
      if (const auto tags = routes.route(tables.to_host[to], from)) follow(follow, from, to, *tags);
  return wrong;
}

TEST(PortTable, HasTheTagsThatAllPacketsToAHostShare) {
  for (const char* spec : {"tree:k=4,n=3", "tree:k=3,n=2", "clos3:radix=6"}) {
    const Fabric fabric = make_fabric(spec);
    EXPECT_EQ(wrong_tags(fabric, test::routed(fabric, "nca")), 0U) << spec;
  }
}

TEST(PortTable, IsEmptyWhereTagsDependOnTheWay) {
  const Fabric fabric =
      test::ring(3);  // port 1 of s1 and s2 leads to s0, port 2 from one to the other
  const auto is_empty = [&](const std::vector<PortNumber>& from_s1) {
    SourceRoutes routes(3);
    routes.push_back(std::vector<PortNumber>{});
    routes.push_back(from_s1);
    routes.push_back(std::vector<PortNumber>{2, 1});  // by way of s1
    Tables tables;
    tables.paths = routes;
    tables.to_host.assign(fabric.host_count(), ColumnId(0));
    return PortTable(fabric, tables, PortEnds(fabric)).empty();
  };
  EXPECT_FALSE(is_empty({1}));
  EXPECT_TRUE(is_empty({2, 1}));  // by way of s2, from which others go on to s1
}

/// Compares all turns. `lane` says what the tables say, of switch, in-port, out-port, class before.
template <class LaneOf>
void expect_lanes(const Fabric& fabric, const Tables& tables, unsigned count, LaneOf lane) {
  const LaneTable table(fabric, tables);
  Index first = 0;
  for (SwitchId s : fabric.switches()) {
    for (Index in = 0; in < fabric[s].ports; ++in)
      for (Index out = 0; out < fabric[s].ports; ++out)
        for (unsigned before = 0; before < count; ++before) {
          const auto in_port = static_cast<PortNumber>(in + 1);
          const auto out_port = static_cast<PortNumber>(out + 1);
          const bool on = fabric.channel_at(s, out_port).valid();
          EXPECT_EQ(table(first + in, out, before), on ? lane(s, in_port, out_port, before) : 0);
        }
    first += fabric[s].ports;
  }
}

TEST(LaneTable, FollowsTurns) {
  for (int seed = 0; seed < test::tries(20); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Fabric fabric = test::random_fabric(rng.next(), 12);
    Tables tables;
    tables.lane_count = 1 + static_cast<int>(rng.below(64));
    const auto count = static_cast<unsigned>(tables.lane_count);
    TurnLanes turns(fabric, LaneOp::set(0), LaneOp());
    for (SwitchId s : fabric.switches())
      for (int i = 0; i < 50; ++i) {
        const auto port = [&] { return static_cast<PortNumber>(1 + rng.below(fabric[s].ports)); };
        const LaneOp ops[] = {LaneOp::set(static_cast<Lane>(rng.below(count))), LaneOp::keep(),
                              LaneOp::plus_one(), LaneOp::minus_one()};
        const PortNumber in = port(), out = port();
        turns.at(s, in, out) = ops[rng.below(4)];
      }
    tables.lanes = turns;
    expect_lanes(fabric, tables, count,
                 [&](SwitchId s, PortNumber in, PortNumber out, unsigned before) {
                   return static_cast<Lane>(turns.at(s, in, out)(before));
                 });
  }
}

TEST(LaneTable, FollowsServiceLevels) {
  for (int seed = 0; seed < test::tries(20); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Fabric fabric = test::random_fabric(rng.next(), 12);
    Tables tables;
    tables.lane_count = 1 + static_cast<int>(rng.below(64));
    tables.lanes = ServiceLanes{};
    expect_lanes(
        fabric, tables, static_cast<unsigned>(tables.lane_count),
        [](SwitchId, PortNumber, PortNumber, unsigned level) { return static_cast<Lane>(level); });

    ServiceLanes::Map map;
    map.levels = 1 + static_cast<int>(rng.below(256));
    for (SwitchId s : fabric.switches()) {
      const std::size_t width = fabric[s].ports + std::size_t{1};
      auto& lanes = map.lane.emplace_back(width * width * static_cast<std::size_t>(map.levels));
      for (Lane& lane : lanes)
        lane = static_cast<Lane>(rng.below(static_cast<std::uint64_t>(tables.lane_count)));
    }
    tables.lanes = ServiceLanes{{}, map};
    expect_lanes(fabric, tables, static_cast<unsigned>(map.levels),
                 [&](SwitchId s, PortNumber in, PortNumber out, unsigned level) {
                   return map(s, fabric[s], in, out, level);
                 });
  }
}

}  // namespace
}  // namespace weft::sim::routing
