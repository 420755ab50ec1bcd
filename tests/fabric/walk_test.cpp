// SPDX-License-Identifier: Apache-2.0
// Walks: each end they can have, their text, and every form of paths and lanes.
#include "fabric/walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "support/fabrics.hpp"

namespace weft::test::walk {
namespace {

/// s0 - s1 - s2 in a line, a host on each and an open port 4 on s1. Links first: s0:1 - s1:1,
/// s1:2 - s2:1; the hosts are on s0:2, s1:3 and s2:2.
Fabric line() {
  FabricBuilder builder("line");
  const SwitchId a = builder.add_switch({"s0"});
  const SwitchId b = builder.add_switch({"s1", 4});
  const SwitchId c = builder.add_switch({"s2"});
  builder.connect(a, b, {});
  builder.connect(b, c, {});
  builder.add_host({"h0", a});
  builder.add_host({"h1", b});
  builder.add_host({"h2", c});
  return std::move(builder).build();
}

/// One column per host; all routes along the line.
Tables line_tables() {
  Tables tables;
  DestinationTables next(0, 3, no_port);
  for (const auto& row : {std::vector<PortNumber>{here, 1, 1}, std::vector<PortNumber>{1, here, 1},
                          std::vector<PortNumber>{1, 2, here}})
    tables.to_host.push_back(next.push_back(row));
  tables.paths = std::move(next);
  return tables;
}

class Walks : public ::testing::Test {
 protected:
  PortNumber& entry(HostId to, SwitchId at) {
    return std::get<DestinationTables>(tables.paths)[tables.to_host[to]][at.index()];
  }
  Walk walk(HostId from, HostId to) const { return Walker(fabric, tables)(from, to); }
  std::string text(HostId from, HostId to) const {
    return to_text(fabric, from, to, walk(from, to));
  }
  void expect(RouteEnd end, SwitchId at, PortNumber port, std::size_t hops) const {
    const Walk found = walk(h0, h2);
    EXPECT_EQ(found.end, end);
    EXPECT_EQ(found.at, at);
    EXPECT_EQ(found.port, port);
    EXPECT_EQ(found.hops.size(), hops);
  }

  const HostId h0{0}, h1{1}, h2{2};
  const SwitchId s0{0}, s1{1}, s2{2};
  const Fabric fabric = line();
  Tables tables = line_tables();
};

// --- every end

TEST_F(Walks, Reached) {
  expect(RouteEnd::reached, s2, here, 2);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:2 lane 0 -> s2:2 -> h2");
  EXPECT_EQ(text(h2, h0), "h2 -> s2:1 lane 0 -> s1:1 lane 0 -> s0:2 -> h0");
  const Walk found = walk(h0, h2);
  EXPECT_EQ(fabric.from(found.hops[0].channel), s0);
  EXPECT_EQ(fabric.to(found.hops[1].channel), s2);
}

TEST_F(Walks, ReachedByTheHostsOwnPort) {
  entry(h2, s2) = 2;
  expect(RouteEnd::reached, s2, 2, 2);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:2 lane 0 -> s2:2 -> h2");
}

TEST_F(Walks, ReachedOnTheSameSwitch) {
  EXPECT_EQ(walk(h1, h1).end, RouteEnd::reached);
  EXPECT_EQ(text(h1, h1), "h1 -> s1:3 -> h1");
}

TEST_F(Walks, NoEntryAtASwitch) {
  entry(h2, s1) = no_port;
  expect(RouteEnd::no_entry, s1, no_port, 1);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1: no entry for h2");
}

TEST_F(Walks, NoEntryForAHostWithoutColumn) {
  tables.to_host[h2] = ColumnId::none();
  Walker walker(fabric, tables);
  EXPECT_EQ(walker(h0, h1).port, here);
  const Walk& found = walker(h0, h2);
  EXPECT_EQ(found.end, RouteEnd::no_entry);
  EXPECT_EQ(found.at, s0);
  EXPECT_EQ(found.port, no_port) << "nothing is left of the walk before";
  EXPECT_TRUE(found.hops.empty());
  EXPECT_EQ(text(h0, h2), "h0 -> s0: no entry for h2");
}

TEST_F(Walks, Loop) {
  entry(h2, s1) = 1;
  const Walk found = walk(h0, h2);
  EXPECT_EQ(found.end, RouteEnd::loop);
  EXPECT_GT(found.hops.size(), fabric.switch_count());
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:1 lane 0 -> s0: and round again");
}

TEST_F(Walks, DeadPort) {
  entry(h2, s1) = 4;
  expect(RouteEnd::dead_port, s1, 4, 1);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:4: nothing is connected there");
  entry(h2, s1) = 9;
  expect(RouteEnd::dead_port, s1, 9, 1);
}

TEST_F(Walks, WrongHost) {
  entry(h2, s1) = 3;
  expect(RouteEnd::wrong_host, s1, 3, 1);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:3: delivered to somebody else");
  entry(h2, s1) = here;
  expect(RouteEnd::wrong_host, s1, here, 1);
}

TEST_F(Walks, WrongHostOnTheRightSwitch) {
  tables.to_host[h2] = tables.to_host[h1];
  entry(h1, s1) = 3;
  EXPECT_EQ(walk(h0, h1).end, RouteEnd::reached);
  EXPECT_EQ(walk(h0, h2).end, RouteEnd::wrong_host);
}

TEST_F(Walks, NoLane) {
  tables.lanes = TurnLanes(fabric, LaneOp::set(0), LaneOp::plus_one());
  expect(RouteEnd::no_lane, s1, 2, 1);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:2: the lane does not exist");
}

// --- lanes

TEST_F(Walks, LanesByTurn) {
  tables.lane_count = 4;
  TurnLanes turns(fabric, LaneOp::set(2), LaneOp::plus_one());
  tables.lanes = turns;
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 2 -> s1:2 lane 3 -> s2:2 -> h2");
  turns.at(s1, 1, 2) = LaneOp::minus_one();
  tables.lanes = turns;
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 2 -> s1:2 lane 1 -> s2:2 -> h2");
  EXPECT_EQ(text(h2, h0), "h2 -> s2:1 lane 2 -> s1:1 lane 3 -> s0:2 -> h0");
  turns.at(s1, 1, 2) = {};
  tables.lanes = turns;
  expect(RouteEnd::no_lane, s1, 2, 1);
}

TEST_F(Walks, ServiceLevelsAsLanes) {
  tables.lane_count = 2;
  ServiceLanes service{Grid<std::uint8_t>(3, 3, 0)};
  service.level[tables.to_host[h2]][s0.index()] = 1;
  tables.lanes = service;
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 1 -> s1:2 lane 1 -> s2:2 -> h2") << "kept throughout";
  EXPECT_EQ(text(h1, h2), "h1 -> s1:2 lane 0 -> s2:2 -> h2") << "by source switch";
  EXPECT_EQ(text(h0, h1), "h0 -> s0:1 lane 0 -> s1:3 -> h1") << "and by destination";
}

TEST_F(Walks, ServiceLevelsWithAMap) {
  tables.lane_count = 2;
  ServiceLanes service{Grid<std::uint8_t>(3, 3, 2)};
  ServiceLanes::Map map;
  map.levels = 3;
  for (SwitchId s : fabric.switches()) {
    const std::size_t ports = fabric[s].ports + std::size_t{1};
    map.lane.emplace_back(ports * ports * 3, Lane{0});
  }
  map.lane[s1.index()][(1 * 5 + 2) * 3 + 2] = 1;  // from port 1 to port 2 on level 2
  service.map = map;
  tables.lanes = service;
  require_fit(fabric, tables);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:2 lane 1 -> s2:2 -> h2");
  EXPECT_EQ(text(h1, h2), "h1 -> s1:2 lane 0 -> s2:2 -> h2");
}

// --- source routes

TEST_F(Walks, SourceRoutesEndAlike) {
  entry(h2, s2) = 2;
  const Tables by_port = tables;
  tables = as_source_routes(fabric, tables);
  EXPECT_EQ(text(h0, h2), "h0 -> s0:1 lane 0 -> s1:2 lane 0 -> s2:2 -> h2");
  EXPECT_EQ(text(h1, h1), "h1 -> s1:3 -> h1");
  tables = by_port;
  entry(h2, s1) = 3;
  tables = as_source_routes(fabric, tables);
  expect(RouteEnd::wrong_host, s1, 3, 1);
  tables = by_port;
  entry(h2, s1) = no_port;
  tables = as_source_routes(fabric, tables);
  expect(RouteEnd::no_entry, s0, no_port, 0);
}

TEST_F(Walks, SourceRoutesMayLeadNowhere) {
  const auto route_all = [&](const std::vector<PortNumber>& route) {
    SourceRoutes routes(3);
    for (int i = 0; i < 9; ++i) routes.push_back(route);
    tables.paths = routes;
  };
  route_all({1});
  expect(RouteEnd::wrong_host, s1, here, 1);
  route_all({1, 4, 1});
  expect(RouteEnd::dead_port, s1, 4, 1);
  route_all({1, no_port});
  expect(RouteEnd::no_entry, s1, no_port, 1);
}

TEST_F(Walks, ADetourIsNoLoop) {
  SourceRoutes routes(3);
  for (int i = 0; i < 9; ++i) routes.push_back(std::vector<PortNumber>{1, 1, 1, 1, 1, 1, 1, 2});
  tables.paths = routes;
  expect(RouteEnd::reached, s2, here, 8);
}

std::vector<std::size_t> passed(const Walk& walk) {
  std::vector<std::size_t> out;
  for (const Hop& hop : walk.hops) out.push_back(hop.channel.index());
  return out;
}

// Random ports, so that all ends occur: what arrives takes the same path, the rest has no route.
TEST_F(Walks, SourceRoutesAreTheSamePathsOnRandomTables) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Fabric random = random_fabric(seed, 6);
    Rng rng(seed);
    Tables first;
    DestinationTables next(random.host_count(), random.switch_count(), no_port);
    for (HostId h : random.hosts()) {
      first.to_host.push_back(ColumnId(h.index()));
      for (SwitchId s : random.switches())
        next[ColumnId(h.index())][s.index()] =
            s == random[h].on ? here : static_cast<PortNumber>(1 + rng.below(random[s].ports));
    }
    first.paths = std::move(next);
    const Tables second = as_source_routes(random, first);
    require_fit(random, second);
    Walker by_table(random, first), by_route(random, second);
    for (HostId from : random.hosts())
      for (HostId to : random.hosts()) {
        const Walk& a = by_table(from, to);
        const Walk& b = by_route(from, to);
        const bool ends = a.end == RouteEnd::reached || a.end == RouteEnd::wrong_host;
        RC_ASSERT(b.end == (ends ? a.end : RouteEnd::no_entry));
        if (ends) RC_ASSERT(passed(a) == passed(b));
      }
  }));
}

// --- follow

TEST_F(Walks, Follow) {
  using Route = std::vector<PortNumber>;
  const auto from_s0 = [&](const Route& next) { return follow(fabric, next, s0); };
  EXPECT_EQ(from_s0({1, 2, here}), (Route{1, 2}));
  EXPECT_EQ(from_s0({here, 2, here}), Route{});
  EXPECT_EQ(from_s0({1, 2, 2}), (Route{1, 2, 2})) << "ends at a host";
  EXPECT_EQ(from_s0({1, no_port, here}), std::nullopt);
  EXPECT_EQ(from_s0({1, 4, here}), std::nullopt) << "nothing is connected";
  EXPECT_EQ(from_s0({1, 9, here}), std::nullopt) << "no such port";
  EXPECT_EQ(from_s0({1, 1, here}), std::nullopt) << "round and round";
}

TEST(Follow, PassesEverySwitchOfALongLine) {
  LinkList links;
  for (int i = 0; i + 1 < 50; ++i) links.emplace_back(i, i + 1);
  const Fabric fabric = from_links(50, links);
  std::vector<PortNumber> next(50, 2);
  next.front() = 1;
  next.back() = 2;  // the host
  const auto route = follow(fabric, next, SwitchId(0));
  ASSERT_TRUE(route);
  EXPECT_EQ(route->size(), 50U);
}

}  // namespace
}  // namespace weft::test::walk
