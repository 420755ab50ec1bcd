// SPDX-License-Identifier: Apache-2.0
// Tables: grids, source routes, lanes, and every message of require_fit.
#include "fabric/tables.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "format_support.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

// --- parts

TEST(Grid, HoldsRowsOfOneWidth) {
  Grid<int> grid(2, 3, 7);
  grid[ColumnId(1)][2] = 9;
  EXPECT_EQ(grid.size(), 2U);
  EXPECT_EQ(grid.width(), 3U);
  EXPECT_EQ(grid.ids().size(), 2U);
  EXPECT_EQ(grid[ColumnId(0)][2], 7);
  EXPECT_EQ(std::as_const(grid)[ColumnId(1)][2], 9);
  EXPECT_EQ(grid[ColumnId(1)].size(), 3U);
  const Grid<int> same(2, 3, 7);
  EXPECT_NE(grid, same);
}

TEST(Grid, GrowsByRows) {
  Grid<int> grid;
  EXPECT_EQ(grid.size(), 0U);
  const std::vector<int> first{1, 2}, second{3, 4};
  EXPECT_EQ(grid.push_back(first), ColumnId(0));
  EXPECT_EQ(grid.push_back(second), ColumnId(1));
  EXPECT_EQ(grid.width(), 2U);
  EXPECT_EQ(grid[ColumnId(0)][1], 2);
  EXPECT_EQ(grid[ColumnId(1)][0], 3);
}

TEST(GridDeathTest, RowsOfTwoWidthsAreABug) {
  Grid<int> grid(1, 2, 0);
  EXPECT_DEATH(grid.push_back(std::vector<int>{1, 2, 3}),
               "weft: bug: the rows of a grid differ in width");
}

TEST(SourceRoutes, HoldRoutesByColumnAndSwitch) {
  SourceRoutes routes(2);
  EXPECT_EQ(routes.size(), 0U);
  routes.push_back(std::vector<PortNumber>{});
  routes.push_back(std::vector<PortNumber>{3, 1, 2});
  routes.push_back(std::nullopt);
  EXPECT_EQ(routes.size(), 1U) << "the second column is not whole yet";
  routes.push_back(std::vector<PortNumber>{5});
  EXPECT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes.width(), 2U);
  EXPECT_EQ(routes.ids().size(), 2U);
  const auto route = [&](std::size_t to, std::size_t from) {
    const auto ports = routes.route(ColumnId(to), SwitchId(from));
    return ports ? std::optional(std::vector<PortNumber>(ports->begin(), ports->end()))
                 : std::nullopt;
  };
  EXPECT_EQ(route(0, 0), std::vector<PortNumber>{}) << "already there";
  EXPECT_EQ(route(0, 1), (std::vector<PortNumber>{3, 1, 2}));
  EXPECT_EQ(route(1, 0), std::nullopt) << "no route";
  EXPECT_EQ(route(1, 1), std::vector<PortNumber>{5});
}

TEST(SourceRoutes, OfNoSwitchesAreEmpty) {
  EXPECT_EQ(SourceRoutes().size(), 0U);
  EXPECT_EQ(SourceRoutes(0).size(), 0U);
}

TEST(LaneOp, MovesTheLane) {
  EXPECT_EQ(LaneOp::set(63)(5), 63U);
  EXPECT_EQ(LaneOp::keep()(5), 5U);
  EXPECT_EQ(LaneOp::plus_one()(5), 6U);
  EXPECT_EQ(LaneOp::minus_one()(5), 4U);
  EXPECT_GE(LaneOp::minus_one()(0), static_cast<unsigned>(most_lanes)) << "there is none below 0";
  EXPECT_GE(LaneOp()(0), static_cast<unsigned>(most_lanes)) << "the turn is not allowed";
}

TEST(LaneOp, KnowsItsKind) {
  EXPECT_TRUE(LaneOp::set(0).is_set());
  EXPECT_TRUE(LaneOp::set(63).is_set());
  for (const LaneOp op : {LaneOp::keep(), LaneOp::plus_one(), LaneOp::minus_one(), LaneOp()})
    EXPECT_FALSE(op.is_set());
  for (const LaneOp op : {LaneOp::keep(), LaneOp::plus_one(), LaneOp::minus_one(), LaneOp::set(2)})
    EXPECT_NE(op, LaneOp());
  EXPECT_EQ(LaneOp::set(3), LaneOp::set(3));
  EXPECT_NE(LaneOp::set(3), LaneOp::set(4));
}

TEST(TurnLanes, DistinguishHostsFromLinks) {
  const Fabric fabric = ring(3);  // ports 1 and 2 are links, 3 is the host
  TurnLanes turns(fabric, LaneOp::set(1), LaneOp::keep());
  for (SwitchId s : fabric.switches())
    for (PortNumber in = 0; in <= 3; ++in)
      for (PortNumber out = 0; out <= 3; ++out)
        EXPECT_EQ(turns.at(s, in, out), in == 3 ? LaneOp::set(1) : LaneOp::keep());
  const TurnLanes before = turns;
  turns.at(SwitchId(1), 1, 2) = LaneOp::plus_one();
  EXPECT_EQ(std::as_const(turns).at(SwitchId(1), 1, 2), LaneOp::plus_one());
  EXPECT_EQ(turns.at(SwitchId(1), 2, 1), LaneOp::keep());
  EXPECT_NE(turns, before);
}

TEST(TurnLanes, FitFabricsOfTheSameSizes) {
  const TurnLanes turns(ring(4), LaneOp::keep(), LaneOp::keep());
  EXPECT_TRUE(turns.fits(ring(4)));
  EXPECT_FALSE(turns.fits(ring(3)));
  EXPECT_FALSE(turns.fits(ring(5)));
  EXPECT_FALSE(turns.fits(ring(4, 2))) << "more ports";
  EXPECT_FALSE(TurnLanes().fits(ring(4)));
}

// --- require_fit

/// Tables for a ring of three: everything goes to port 1, on one lane.
class Fit : public ::testing::Test {
 protected:
  Fit() {
    tables.to_host = IdVector<HostId, ColumnId>(3, ColumnId(0));
    tables.to_switch = IdVector<SwitchId, ColumnId>(3, ColumnId(1));
    tables.paths = DestinationTables(2, 3, 1);
    tables.lane_count = 2;
    tables.groups.push_back({"all", {HostId(0), HostId(2)}, HostId(1), 1, {{SwitchId(2), {1, 3}}}});
  }
  DestinationTables& next() { return std::get<DestinationTables>(tables.paths); }
  Group& group() { return tables.groups.front(); }
  ServiceLanes& service() {
    if (!std::holds_alternative<ServiceLanes>(tables.lanes))
      tables.lanes = ServiceLanes{Grid<std::uint8_t>(2, 3, 1)};
    return std::get<ServiceLanes>(tables.lanes);
  }
  /// A map of four levels, all to lane 1; four ports with port 0.
  ServiceLanes::Map& map() {
    if (!service().map)
      service().map = ServiceLanes::Map{{3, std::vector<Lane>(std::size_t{4} * 4 * 4, 1)}, 4};
    return *service().map;
  }
  std::string message() const {
    return message_of([&] { require_fit(fabric, tables); });
  }

  const Fabric fabric = ring(3);
  Tables tables{};
};

TEST_F(Fit, WhatFitsIsLeftAlone) {
  EXPECT_EQ(message(), "(no error)");
  next()[ColumnId(0)][1] = no_port;
  next()[ColumnId(0)][2] = here;
  tables.to_host[HostId(1)] = ColumnId::none();
  tables.to_switch[SwitchId(1)] = ColumnId::none();
  EXPECT_EQ(message(), "(no error)");
  tables.to_switch = {};
  EXPECT_EQ(message(), "(no error)");
  tables.lanes = TurnLanes(fabric, LaneOp::set(0), LaneOp::keep());
  EXPECT_EQ(message(), "(no error)");
}

TEST_F(Fit, EmptyTablesFitAnEmptyFabric) {
  const Fabric nothing = FabricBuilder("nothing").build();
  EXPECT_NO_THROW(require_fit(nothing, {}));
}

TEST_F(Fit, LaneCount) {
  tables.groups.clear();
  for (const int count : {1, 64}) {
    tables.lane_count = count;
    EXPECT_EQ(message(), "(no error)");
  }
  for (const int count : {-1, 0, 65}) {
    tables.lane_count = count;
    EXPECT_EQ(message(), std::to_string(count) + " lanes: from 1 to 64 are possible");
  }
}

TEST_F(Fit, Hosts) {
  tables.to_host.push_back(ColumnId(0));
  EXPECT_EQ(message(), "tables for 4 hosts do not fit a fabric with 3");
}

TEST_F(Fit, Columns) {
  tables.to_host[HostId(1)] = ColumnId(2);
  EXPECT_EQ(message(), "host \"h1\" has no column in the tables");
}

TEST_F(Fit, RoutesToSwitches) {
  tables.to_switch.push_back(ColumnId(0));
  EXPECT_EQ(message(), "tables with routes to 4 switches do not fit a fabric with 3");
  tables.to_switch.assign(3, ColumnId(0));
  tables.to_switch[SwitchId(2)] = ColumnId(2);
  EXPECT_EQ(message(), "switch \"s2\" has no column in the tables");
}

TEST_F(Fit, WidthOfDestinationTables) {
  tables.paths = DestinationTables(2, 4, 1);
  EXPECT_EQ(message(), "tables for 4 switches do not fit a fabric with 3");
}

TEST_F(Fit, PortsOfDestinationTables) {
  next()[ColumnId(1)][2] = 3;
  EXPECT_EQ(message(), "(no error)");
  next()[ColumnId(1)][2] = 4;
  EXPECT_EQ(message(), "switch \"s2\" has 3 ports; the tables send packets to port 4");
  next()[ColumnId(1)][2] = no_port - 1;
  EXPECT_EQ(message(), "switch \"s2\" has 3 ports; the tables send packets to port 65534");
}

TEST_F(Fit, WidthOfSourceRoutes) {
  SourceRoutes routes(2);
  for (int i = 0; i < 4; ++i) routes.push_back(std::nullopt);
  tables.paths = routes;
  EXPECT_EQ(message(), "tables for 2 switches do not fit a fabric with 3");
}

TEST_F(Fit, LengthOfSourceRoutes) {
  SourceRoutes routes(3);
  for (int i = 0; i < 6; ++i) routes.push_back(std::vector<PortNumber>(12, 1));
  tables.paths = routes;
  EXPECT_EQ(message(), "(no error)");
  for (int i = 0; i < 3; ++i) routes.push_back(std::vector<PortNumber>(i == 1 ? 13 : 0, 1));
  tables.paths = routes;
  EXPECT_EQ(message(), "a source route from switch \"s1\" is 13 ports long");
}

TEST_F(Fit, TurnsOfAnotherFabric) {
  for (const Fabric& other : {ring(4), ring(3, 2)}) {
    tables.lanes = TurnLanes(other, LaneOp::keep(), LaneOp::keep());
    EXPECT_EQ(message(),
              "the lanes by turn are those of another fabric: switches or their ports differ");
  }
}

TEST_F(Fit, SizeOfServiceLevels) {
  service();
  EXPECT_EQ(message(), "(no error)");
  service().level = Grid<std::uint8_t>(3, 3, 0);
  EXPECT_EQ(message(), "service levels for 3 columns do not fit tables with 2");
  service().level = Grid<std::uint8_t>(2, 4, 0);
  EXPECT_EQ(message(), "service levels for 4 switches do not fit a fabric with 3");
}

TEST_F(Fit, ServiceLevelsAreLanes) {
  service().level[ColumnId(1)][2] = 2;
  EXPECT_EQ(message(),
            "a packet has service level 2; the tables have lanes for 2 (counted from 0)");
}

TEST_F(Fit, ServiceLevelsAreOfTheMap) {
  map();
  service().level[ColumnId(1)][2] = 3;
  EXPECT_EQ(message(), "(no error)");
  service().level[ColumnId(1)][2] = 4;
  EXPECT_EQ(message(), "a packet has service level 4; the map has 4 (counted from 0)");
}

TEST_F(Fit, LevelsOfAMap) {
  for (const int levels : {-1, 0, 257}) {
    map().levels = levels;
    EXPECT_EQ(message(),
              "a map of " + std::to_string(levels) + " service levels; from 1 to 256 are possible");
  }
}

TEST_F(Fit, SwitchesOfAMap) {
  map().lane.pop_back();
  EXPECT_EQ(message(), "a map of service levels for 2 switches does not fit a fabric with 3");
}

TEST_F(Fit, EntriesOfAMap) {
  map().lane[1].pop_back();
  EXPECT_EQ(message(), "switch \"s1\" maps 4 service levels with 63 entries; its 3 ports need 64");
}

TEST_F(Fit, LanesOfAMap) {
  map().lane[2].back() = 2;
  EXPECT_EQ(message(), "switch \"s2\" maps a level to lane 2; the tables have 2 (counted from 0)");
}

TEST_F(Fit, LaneOfAGroup) {
  group().lane = 2;
  EXPECT_EQ(message(), "group \"all\" travels on lane 2; the tables have 2 (counted from 0)");
}

TEST_F(Fit, MembersOfAGroup) {
  group().members.push_back(HostId(3));
  EXPECT_EQ(message(), "group \"all\" names host 3; the fabric has 3 (counted from 0)");
}

TEST_F(Fit, SourceOfAGroup) {
  group().source = HostId(7);
  EXPECT_EQ(message(), "group \"all\" names host 7; the fabric has 3 (counted from 0)");
  group().source = std::nullopt;
  EXPECT_EQ(message(), "(no error)");
}

TEST_F(Fit, SwitchesOfAGroup) {
  group().out.front().on = SwitchId(3);
  EXPECT_EQ(message(), "group \"all\" names switch 3; the fabric has 3 (counted from 0)");
}

TEST_F(Fit, RootOfAGroup) {
  group().up = {{SwitchId(0), 1}};
  EXPECT_EQ(message(), "group \"all\" has ports up, but no root that they could lead to");
  group().root = SwitchId(3);
  EXPECT_EQ(message(), "group \"all\" names switch 3; the fabric has 3 (counted from 0)");
  group().root = SwitchId(1);
  EXPECT_EQ(message(), "(no error)");
  group().up = {{SwitchId(2), 1}, {SwitchId(5), 1}};
  EXPECT_EQ(message(), "group \"all\" names switch 5; the fabric has 3 (counted from 0)");
  group().up = {{SwitchId(2), 4}};
  EXPECT_EQ(message(), "group \"all\": switch \"s2\" has 3 ports, there is no port 4");
  group().up = {{SwitchId(2), 1}, {SwitchId(2), 2}};
  EXPECT_EQ(message(), "group \"all\": switch \"s2\" has two ports up; one is possible");
}

TEST_F(Fit, PortsOfAGroupAreListedOnce) {
  group().out = {{SwitchId(2), {1}}, {SwitchId(2), {2}}};
  EXPECT_EQ(message(), "group \"all\": switch \"s2\" has two lists of ports; one is possible");
  group().out = {{SwitchId(2), {1, 2, 1}}};
  EXPECT_EQ(message(), "group \"all\": switch \"s2\" lists a port twice");
}

TEST_F(Fit, PortsOfAGroup) {
  group().out.front().ports = {1, 4};
  EXPECT_EQ(message(), "group \"all\": switch \"s2\" has 3 ports, there is no port 4");
  group().out.front().ports = {0};
  EXPECT_EQ(message(), "group \"all\": switch \"s2\" has 3 ports, there is no port 0");
}

TEST_F(Fit, MillionsOfEntriesAreQuick) {
  const Fabric large = ring(2'000);
  Tables many;
  many.to_host = IdVector<HostId, ColumnId>(2'000, ColumnId(0));
  many.paths = DestinationTables(2'000, 2'000, 1);
  many.lane_count = 2;
  many.lanes = ServiceLanes{Grid<std::uint8_t>(2'000, 2'000, 1)};
  const auto start = std::chrono::steady_clock::now();
  require_fit(large, many);
  const auto time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time, std::chrono::seconds(1)) << "some milliseconds with optimization";
  RecordProperty(
      "microseconds",
      std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count()));
}

// --- as_source_routes

TEST(AsSourceRoutes, WritesTheSamePaths) {
  const Fabric fabric = from_links(3, {{0, 1}, {1, 2}});  // a line; hosts on ports 2, 3, 2
  Tables tables;
  tables.engine = "by hand";
  tables.to_host = IdVector<HostId, ColumnId>(std::vector<ColumnId>{{}, {}, ColumnId(0)});
  DestinationTables next(0, 3, no_port);
  next.push_back(std::vector<PortNumber>{1, 2, here});
  next.push_back(std::vector<PortNumber>{1, no_port, here});
  next.push_back(std::vector<PortNumber>{1, 2, 2});  // ends at the port of h2
  tables.paths = next;
  const Tables out = as_source_routes(fabric, tables);
  const auto& routes = std::get<SourceRoutes>(out.paths);
  SourceRoutes expected(3);
  using Route = std::vector<PortNumber>;
  for (const auto& route :
       {std::optional(Route{1, 2}), std::optional(Route{2}), std::optional(Route{}),
        std::optional<Route>(), std::optional<Route>(), std::optional(Route{}),
        std::optional(Route{1, 2, 2}), std::optional(Route{2, 2}), std::optional(Route{2})})
    expected.push_back(route);
  EXPECT_EQ(routes, expected);
  EXPECT_EQ(out.engine, "by hand");
  EXPECT_EQ(out.to_host, tables.to_host);
  EXPECT_EQ(column_count(out), column_count(tables));
  EXPECT_EQ(as_source_routes(fabric, out), out) << "they are source routes already";
}

}  // namespace
}  // namespace weft::test
