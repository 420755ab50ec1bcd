// SPDX-License-Identifier: Apache-2.0
// Shifts, matchings and their busiest links, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "plan/check/check.hpp"
#include "plan/check/load.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/shifts.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test::patterns {
namespace {

constexpr std::size_t all_shifts = ~std::size_t{0};

Finding finding_of(const char* check, const Fabric& fabric, const Tables& tables,
                   std::size_t top = 0) {
  for (Finding& finding : run_checks(fabric, tables, top).findings)
    if (finding.check == check) return finding;
  throw Error("no check is called {}", check);
}

/// Every pair of hosts is in one shift: all shifts together are all-to-all.
TEST(Shifts, TogetherAreAllToAll) {
  for (int seed = 1; seed <= tries(30); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 10);
    if (fabric.host_count() < 2) continue;
    const Tables tables = routed(fabric, "updown");
    const Survey seen = survey(fabric, tables);
    const ShiftLoads shifts = shift_loads(fabric, tables, all_shifts);
    EXPECT_EQ(shifts.routes.patterns, fabric.host_count() - 1);
    double all = 0;
    for (double load : seen.load) all += load;
    EXPECT_DOUBLE_EQ(shifts.routes.sum, all) << seed;
    for (ChannelId c : fabric.channels()) {
      EXPECT_LE(shifts.routes.most[c], seen.load[c]);
      EXPECT_GE(shifts.routes.most[c] * static_cast<double>(shifts.all), seen.load[c]);
    }
  }
}

/// What destination-mod-k is for (Zahavi 2012): shifts on a whole tree have no contention at all.
TEST(Shifts, DestinationModKKeepsThemApart) {
  for (const char* tree : {"tree:k=4,n=2", "tree:k=2,n=4", "xgft:children=4x4x8,parents=1x4x4"}) {
    const Fabric fabric = make_fabric(tree);
    const ShiftLoads apart = shift_loads(fabric, routed(fabric, "dmodk"), all_shifts);
    for (double routes : apart.routes.most) EXPECT_EQ(routes, 1) << tree;
    const ShiftLoads mixed =
        shift_loads(fabric, routed(fabric, "minhop:select=low_port"), all_shifts);
    EXPECT_GT(*std::max_element(mixed.routes.most.begin(), mixed.routes.most.end()), 1) << tree;
  }
}

TEST(Shifts, TheWorstOfARing) {
  const Fabric fabric = make_fabric("ring:switches=9");
  // Packets of the shift by 4 pass four links clockwise, those of the shift by 5 the other way.
  EXPECT_EQ(
      finding_of("shifts", fabric, routed(fabric, "dor")).summary,
      "busiest link s0 port 1 (to s1) carries 4 routes in the shift by 4; 1.2 on average over "
      "8 shifts");
}

TEST(Shifts, OfManyHostsAreASample) {
  const Fabric fabric = make_fabric("crossbar:hosts=50");
  EXPECT_EQ(shift_loads(fabric, routed(fabric, "minhop"), 7).routes.patterns, 7U);
  EXPECT_EQ(shift_loads(fabric, routed(fabric, "minhop"), 7).all, 49U);
  const Fabric one = make_fabric("crossbar:hosts=1");
  EXPECT_EQ(shift_loads(one, routed(one, "minhop"), 7).routes.patterns, 0U);
}

TEST(HotLinks, AreNamedWithBothEnds) {
  const Fabric fabric = from_links(4, {{0, 1}, {1, 2}, {2, 3}});
  const Tables tables = routed(fabric, "minhop");
  const Finding load = finding_of("load", fabric, tables, 1);
  EXPECT_EQ(load.hot_links, (std::vector<std::string>{"s1:2 > s2:1  4 routes, 1.2 times the mean",
                                                      "and 1 more with as many"}));
  ASSERT_EQ(load.items.size(), 1U);
  EXPECT_EQ(load.items[0], (FindingItem{{"from", "s1"},
                                        {"port", 2.0},
                                        {"to", "s2"},
                                        {"to_port", 1.0},
                                        {"routes", 4.0},
                                        {"times_mean", 1.2}}));
  const Finding shifts = finding_of("shifts", fabric, tables, 3);
  EXPECT_EQ(shifts.hot_links[0], "s1:2 > s2:1  2 routes, 1.8 times the mean, in the shift by 2");
  EXPECT_EQ(shifts.items.size(), 3U);
  const Finding none = finding_of("shifts", fabric, tables);
  EXPECT_TRUE(none.hot_links.empty() && none.items.empty());
}

/// Two switches, two hosts each, one link: whoever crosses it shares it, lost or not.
TEST(Matchings, LostPairsMakeNoRoomForOthers) {
  const Fabric fabric = from_links(2, {{0, 1}}, 2);
  Tables tables = routed(fabric, "updown");
  const MatchingBandwidth whole = effective_bisection(fabric, tables, 100, 1);
  EXPECT_EQ(whole.lost, 0U);
  EXPECT_EQ(whole.pairs, 400U);
  // Packets for h3 cross the link, and s1 loses them.
  std::get<DestinationTables>(tables.paths)[tables.to_host[HostId(3)]][1] = no_port;
  const MatchingBandwidth less = effective_bisection(fabric, tables, 100, 1);
  EXPECT_EQ(less.lost, 100U);
  EXPECT_EQ(less.routes.sum, whole.routes.sum);
  // h3's partner had all of its link on the same switch and half of it across (4 routes a
  // matching).
  EXPECT_NEAR((whole.mean - less.mean) * 400, 100 - 0.5 * whole.routes.sum / 4, 1e-9);
}

TEST(Matchings, SayHowManyPairsAreLost) {
  const Fabric fabric = ring(4);
  Tables tables = routed(fabric, "updown");
  tables.to_host[HostId(0)] = ColumnId::none();
  const Finding finding = finding_of("matchings", fabric, tables);
  EXPECT_NE(finding.summary.find("; 1000 of 4000 pairs are not reached and count 0"),
            std::string::npos)
      << finding.summary;
  EXPECT_EQ(finding.numbers.at("lost"), 1000);
}

/// Packets that go round a loop load each of its links once.
TEST(Matchings, LoopsLoadTheirLinksOnce) {
  const Fabric fabric = ring(4);
  Tables tables = routed(fabric, "updown");
  const auto column = std::get<DestinationTables>(tables.paths)[tables.to_host[HostId(3)]];
  column[0] = fabric.out_port(fabric.out(SwitchId(0))[0]);
  column[1] = fabric.out_port(fabric.out(SwitchId(1))[0]);
  PatternFlows flows(fabric, tables, 1);
  const HostPair pair{HostId(0), HostId(3)};
  flows.send({&pair, 1});
  EXPECT_EQ(flows.lost(), 1U);
  EXPECT_EQ(flows.mean_share(), 0);
  EXPECT_EQ(std::count(flows.routes().begin(), flows.routes().end(), 1), 2);
}

/// Any port at every switch: packets walk at random, and arrive in the end.
Tables random_walk(const Fabric& fabric) {
  Tables out = routed(fabric, "minhop");
  ChoiceTables choices(fabric.host_count(), fabric.switch_count());
  for (const HostId to : fabric.hosts()) {
    out.to_host[to] = ColumnId(to.index());
    for (const SwitchId s : fabric.switches()) {
      std::vector<weft::Candidate> any;
      for (const ChannelId c : fabric.out(s))
        any.push_back({.port = fabric.out_port(c), .lane = 0});
      choices.next[out.to_host[to]][s.index()] =
          s == fabric[to].on ? ChoiceTables::at_end : choices.add(std::move(any));
    }
  }
  out.paths = std::move(choices);
  return out;
}

/// On a ring of n switches a walk takes k * (n - k) hops to the k-th one.
TEST(Patterns, PacketsThatGoRoundAreFollowedToTheirEnd) {
  const Fabric fabric = ring(12);
  const Tables tables = random_walk(fabric);
  PatternFlows flows(fabric, tables, 1);
  const HostPair pair{HostId(0), HostId(5)};
  flows.send({&pair, 1});
  EXPECT_NEAR(std::accumulate(flows.routes().begin(), flows.routes().end(), 0.0), 5 * 7, 1e-6);
  EXPECT_EQ(flows.lost(), 0U);
  EXPECT_FALSE(flows.cuts_loops());
  EXPECT_EQ(finding_of("matchings", fabric, tables).numbers.count("cuts_loops"), 0U);
}

/// On long rings, or for very many pairs, only for some rounds; findings say so.
TEST(Patterns, PacketsThatGoRoundForLongAreCutShort) {
  const Fabric fabric = ring(40);
  const Tables tables = random_walk(fabric);
  std::map<std::string_view, Finding> found;
  for (Finding& each : run_checks(fabric, tables, 0).findings) found[each.check] = std::move(each);
  for (const char* name : {"hops", "load", "shifts", "matchings"}) {
    const Finding& finding = found.at(name);
    EXPECT_EQ(finding.numbers.count("cuts_loops"), 1U) << name;
    EXPECT_NE(finding.summary.find("; part of the load of packets that go round is left out"),
              std::string::npos)
        << finding.summary;
  }
  EXPECT_EQ(found.at("matchings").numbers.at("matchings"), 10);
  // Exactly, it is (40 * 40 - 1) / 6 and the last switch.
  EXPECT_NEAR(found.at("hops").numbers.at("average"), 267.5, 1);
}

}  // namespace
}  // namespace weft::test::patterns
