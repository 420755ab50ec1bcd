// SPDX-License-Identifier: Apache-2.0
// Engines against worked examples and published numbers: Tables I and III of the RHiNET-2 paper,
// and the hand-made tables of small fabrics.
#include <gtest/gtest.h>

#include <string>

#include "fabric/walk.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/algorithms/orientation.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

/// Links over all ordered pairs of switches, and switches on the longest route. One host a switch.
struct Totals {
  std::uint64_t links;
  std::uint64_t most;
  friend bool operator==(const Totals&, const Totals&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Totals& t) {
    return out << t.links << "/" << t.most;
  }
};

Totals totals(const Fabric& fabric, const std::string& spec) {
  const Tables tables = routed(fabric, spec);
  const Survey seen = survey(fabric, tables);
  EXPECT_TRUE(seen.complete()) << spec;
  return {seen.hop_sum - seen.reached, seen.most_hops};
}

bool is_free(const Fabric& fabric, const std::string& spec) {
  return !not_certified(fabric, routed(fabric, spec));
}

/// Rows of next switches, "-" at the destination: one row a switch.
std::vector<std::string> next_switches(const Fabric& fabric, const Tables& tables) {
  std::vector<std::string> rows;
  const auto& next = std::get<DestinationTables>(tables.paths);
  for (SwitchId at : fabric.switches()) {
    std::string row;
    for (HostId to : fabric.hosts()) {
      const PortNumber port = next[tables.to_host[to]][at.index()];
      if (!row.empty()) row += ' ';
      row += port == here ? "-" : std::to_string(fabric.to(fabric.channel_at(at, port)).index());
    }
    rows.push_back(row);
  }
  return rows;
}

const std::string low = "select=low_port";

TEST(WorkedExamples, UpDownTables) {
  using Rows = std::vector<std::string>;
  const Fabric ring4 = ring(4);
  EXPECT_EQ(next_switches(ring4, routed(ring4, "updown:" + low)),
            (Rows{"- 1 1 3", "0 - 2 0", "1 1 - 3", "0 0 2 -"}));
  const Fabric trap = trap_graph();
  EXPECT_EQ(next_switches(trap, routed(trap, "updown:" + low)),
            (Rows{"- 1 2 3 3 1", "0 - 0 3 3 5", "0 0 - 3 3 3", "0 1 2 - 4 4", "3 3 3 3 - 5",
                  "1 1 1 1 4 -"}));
  const Fabric mesh = mesh3x3();
  EXPECT_EQ(next_switches(mesh, routed(mesh, "updown:" + low)),
            (Rows{"- 1 1 3 1 1 3 1 1", "0 - 2 0 4 2 0 4 2", "1 1 - 1 1 5 1 1 5",
                  "0 0 0 - 4 4 6 4 4", "1 1 1 3 - 5 3 7 5", "2 2 2 4 4 - 4 4 8",
                  "3 3 3 3 3 3 - 7 7", "4 4 4 4 4 4 6 - 8", "5 5 5 5 5 5 7 7 -"}));
}

TEST(WorkedExamples, DescendingLayersOnARing) {
  const Fabric ring6 = ring(6);
  EXPECT_EQ(next_switches(ring6, routed(ring6, "dl:lanes=2," + low)),
            (std::vector<std::string>{"- 1 1 1 5 5", "0 - 2 2 0 0", "1 1 - 3 3 1", "2 2 2 - 4 4",
                                      "5 5 3 3 - 5", "0 0 0 4 4 -"}));
}

TEST(WorkedExamples, Totals) {
  EXPECT_EQ(totals(ring(4), "updown"), (Totals{16, 3}));
  EXPECT_EQ(totals(trap_graph(), "updown"), (Totals{46, 4}));
  EXPECT_EQ(totals(mesh3x3(), "updown"), (Totals{144, 5}));
  EXPECT_EQ(totals(ring(6), "updown"), (Totals{58, 5}));
  EXPECT_EQ(totals(ring(8), "updown"), (Totals{144, 7}));
  EXPECT_EQ(totals(ring(6), "dl"), (Totals{54, 4}));
  EXPECT_EQ(totals(mesh3x3(), "prefix"), (Totals{164, 7}));
  EXPECT_EQ(totals(ring(8), "prefix"), (Totals{156, 7}));
  EXPECT_EQ(totals(ring(5), "nue"), (Totals{32, 4}));
  EXPECT_EQ(totals(ring(5), "nue:lanes=2"), (Totals{30, 3}));
}

TEST(WorkedExamples, TopologyA) {
  const Fabric a = from_links(16, topology_a_links());
  EXPECT_EQ(totals(a, "updown"), (Totals{912, 11}));
  EXPECT_EQ(totals(a, "updown:form=source"), (Totals{912, 11}));
  EXPECT_EQ(totals(a, "updown:tree=dfs,root=best"), (Totals{916, 11}));
  EXPECT_EQ(totals(a, "updown:tree=dfs,root=far"), (Totals{940, 11}));
  EXPECT_EQ(totals(a, "prefix"), (Totals{996, 11}));
  EXPECT_EQ(totals(a, "prefix:parent=high"), (Totals{996, 11}));
  for (const char* minimal : {"sbp", "dl", "lash", "sssp", "dfsssp", "minhop"})
    EXPECT_EQ(totals(a, minimal), (Totals{792, 7})) << minimal;
  EXPECT_EQ(totals(a, "nue"), (Totals{914, 11}));
  EXPECT_EQ(totals(a, "nue:lanes=8"), (Totals{792, 7}));
  EXPECT_EQ(routed(a, "sbp").lane_count, 6);
  EXPECT_EQ(routed(a, "dl:lanes=minimal").lane_count, 2);
  EXPECT_EQ(routed(a, "lash:" + low).lane_count, 3);
  EXPECT_EQ(routed(a, "dfsssp").lane_count, 3);
  EXPECT_FALSE(is_free(a, "sssp"));
}

/// How many ordered pairs of switches travel on each lane.
std::vector<int> pairs_by_lane(const Fabric& fabric, const Tables& tables) {
  std::vector<int> count(static_cast<std::size_t>(tables.lane_count), 0);
  const auto& lanes = std::get<ServiceLanes>(tables.lanes);
  for (HostId to : fabric.hosts())
    for (SwitchId from : fabric.switches())
      if (fabric[to].on != from) ++count[lanes.level[tables.to_host[to]][from.index()]];
  return count;
}

TEST(WorkedExamples, LayersOfLashAndDfsssp) {
  const Fabric a = from_links(16, topology_a_links());
  const std::string first_fit = "lash:even=no," + low;
  EXPECT_EQ(pairs_by_lane(a, routed(a, first_fit)), (std::vector<int>{198, 40, 2}));
  EXPECT_EQ(pairs_by_lane(ring(5), routed(ring(5), first_fit)), (std::vector<int>{18, 2}));
  EXPECT_EQ(pairs_by_lane(ring(6), routed(ring(6), first_fit)), (std::vector<int>{28, 2}));
  EXPECT_EQ(pairs_by_lane(ring(5), routed(ring(5), "dfsssp")), (std::vector<int>{18, 2}));
  EXPECT_EQ(routed(ring(8), first_fit).lane_count, 2);
  EXPECT_EQ(routed(mesh3x3(), first_fit).lane_count, 1);
}

TEST(WorkedExamples, DescentsOnTopologyA) {
  const Fabric a = from_links(16, topology_a_links());
  const Tables tables = routed(a, "dl:lanes=2," + low);
  Walker walk(a, tables);
  int descending = 0;
  for (HostId from : a.hosts())
    for (HostId to : a.hosts()) {
      const auto& hops = walk(from, to).hops;
      if (!hops.empty() && hops.back().lane == 0) ++descending;
    }
  EXPECT_EQ(descending, 38);
  EXPECT_EQ(to_text(a, HostId(11), HostId(14), walk(HostId(11), HostId(14))),
            "h11 -> s11:2 lane 1 -> s15:2 lane 0 -> s14:3 -> h14");
}

TEST(NegativeControls, OneLaneWithoutCare) {
  for (int k : {5, 6, 8}) EXPECT_FALSE(is_free(ring(k), "minhop:" + low)) << k;
  EXPECT_TRUE(is_free(ring(4), "minhop:" + low));
  EXPECT_TRUE(is_free(make_fabric("torus:dims=3x3"), "dor:lanes=one"));
  for (const char* torus :
       {"torus:dims=4x4", "torus:dims=4x3", "torus:dims=5x5", "torus:dims=8x8"}) {
    EXPECT_FALSE(is_free(make_fabric(torus), "dor:lanes=one,select=low_port")) << torus;
    EXPECT_TRUE(is_free(make_fabric(torus), "dor")) << torus;
    EXPECT_TRUE(is_free(make_fabric(torus), "dor:lanes=service")) << torus;
    EXPECT_TRUE(is_free(make_fabric(torus), "dor:order=last,select=low_port")) << torus;
  }
}

TEST(NegativeControls, TheTrapIsIllegalThoughNotCyclic) {
  const Fabric fabric = trap_graph();
  Tables tables = routed(fabric, "updown:" + low);
  auto& next = std::get<DestinationTables>(tables.paths);
  ASSERT_EQ(fabric.to(fabric.channel_at(SwitchId(3), 2)), SwitchId(1));
  next[tables.to_host[HostId(5)]][3] = 2;
  EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, tables)));
  const Orientation orientation = bfs_orientation(fabric, SwitchId(0));
  Walker walk(fabric, tables);
  const auto& hops = walk(HostId(2), HostId(5)).hops;  // 2 3 1 5: down, up, down
  ASSERT_EQ(hops.size(), 3U);
  EXPECT_FALSE(orientation.up(fabric, hops[0].channel));
  EXPECT_TRUE(orientation.up(fabric, hops[1].channel));
  EXPECT_FALSE(orientation.up(fabric, hops[2].channel));
}

struct PublishedHops {
  const char* topology;
  const char* engine;
  double average;
  std::uint64_t most;
};

class Table1 : public ::testing::TestWithParam<PublishedHops> {};

TEST_P(Table1, AsPrinted) {
  const auto& row = GetParam();
  const Fabric fabric = make_fabric(row.topology);
  const Survey seen = survey(fabric, routed(fabric, row.engine));
  EXPECT_TRUE(seen.complete());
  // The paper rounds half up to two digits.
  EXPECT_NEAR(seen.mean_hops(), row.average, 0.00501);
  EXPECT_EQ(seen.most_hops, row.most);
  EXPECT_TRUE(is_free(fabric, row.engine) || std::string(row.engine) == "minhop");
}

constexpr const char* best_dfs = "updown:tree=dfs,root=best";
constexpr const char* mesh = "mesh:dims=4x4,hosts=4";
constexpr const char* torus = "torus:dims=4x4,hosts=4";
INSTANTIATE_TEST_SUITE_P(
    Rhinet2, Table1,
    ::testing::Values(
        PublishedHops{"rhinet2_a", "minhop", 4.09, 7},
        PublishedHops{"rhinet2_a", "prefix", 4.89, 11},
        PublishedHops{"rhinet2_a", "updown", 4.56, 11},
        PublishedHops{"rhinet2_a", best_dfs, 4.58, 11}, PublishedHops{"rhinet2_a", "sbp", 4.09, 7},
        PublishedHops{"rhinet2_a", "dl", 4.09, 7},
        PublishedHops{"rhinet2_b_surrogate", "minhop", 3.63, 7},
        PublishedHops{"rhinet2_b_surrogate", "prefix:parent=high", 3.95, 8},
        PublishedHops{"rhinet2_b_surrogate", "updown", 3.83, 8},
        PublishedHops{"rhinet2_b_surrogate", best_dfs, 3.75, 7},
        PublishedHops{"rhinet2_b_surrogate", "sbp", 3.63, 7},
        PublishedHops{"rhinet2_b_surrogate", "dl:root=best", 3.63, 7},
        PublishedHops{mesh, "minhop", 3.50, 7}, PublishedHops{mesh, "updown", 3.50, 7},
        PublishedHops{mesh, best_dfs, 3.50, 7}, PublishedHops{mesh, "sbp", 3.50, 7},
        PublishedHops{mesh, "dl", 3.50, 7}, PublishedHops{mesh, "dor", 3.50, 7},
        PublishedHops{torus, "minhop", 3.00, 5}, PublishedHops{torus, "updown", 3.00, 5},
        PublishedHops{torus, best_dfs, 3.00, 5}, PublishedHops{torus, "sbp", 3.00, 5},
        PublishedHops{torus, "dl", 3.00, 5}, PublishedHops{torus, "dor", 3.00, 5}));

}  // namespace
}  // namespace weft::test
