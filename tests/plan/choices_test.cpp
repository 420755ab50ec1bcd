// SPDX-License-Identifier: Apache-2.0
// Routes that leave switches a choice: the checks agree with an enumeration of all choices, on
// trees and on random tables; and what the engine nca makes of whole, thinned and damaged trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/route_set.hpp"
#include "plan/check/check.hpp"
#include "plan/check/load.hpp"
#include "plan/check/matchings.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/blocked_packets.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test::choices {
namespace {

const SourceRoutes& routes_of(const Tables& tables) { return std::get<SourceRoutes>(tables.paths); }

/// What a survey should find, by following every route of every pair.
Survey brute_force_survey(const Fabric& fabric, const Tables& tables) {
  Survey out;
  out.load.assign(fabric.channel_count(), 0);
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts()) {
      const auto routes = all_routes(fabric, tables, from, to);
      ++out.pairs;
      if (!std::all_of(routes.begin(), routes.end(),
                       [](const auto& route) { return route.arrives; }))
        continue;
      ++out.reached;
      const std::size_t hops = routes.front().hops.size() + 1;
      out.hop_sum += hops;
      out.most_hops = std::max<std::uint64_t>(out.most_hops, hops);
      for (const ChosenRoute& route : routes) {
        EXPECT_EQ(route.hops.size() + 1, hops) << "every choice is equally long";
        for (const LaneHop& hop : route.hops) out.load[ChannelId(hop.first)] += route.chance;
      }
    }
  return out;
}

void expect_as_enumerated(const Fabric& fabric, const Tables& tables) {
  SCOPED_TRACE(tables.engine + " on " + fabric.name());
  const Survey seen = survey(fabric, tables);
  const Survey wanted = brute_force_survey(fabric, tables);
  EXPECT_EQ(seen.reached, wanted.reached);
  EXPECT_EQ(seen.hop_sum, wanted.hop_sum);
  EXPECT_EQ(seen.most_hops, wanted.most_hops);
  for (ChannelId c : fabric.channels()) EXPECT_NEAR(seen.load[c], wanted.load[c], 1e-4);
  const auto graph = dependencies(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<DependencyGraph>(graph));
  EXPECT_EQ(as_set(std::get<DependencyGraph>(graph)), brute_force_dependencies(fabric, tables));
  for (const WaitKind waiting : {WaitKind::commit, WaitKind::cut_through, WaitKind::wormhole}) {
    const DeadlockVerdict verdict = deadlock(fabric, tables, waiting);
    if (const auto* certificate = std::get_if<Certificate>(&verdict)) {
      const auto wrong = verify(fabric, tables, *certificate);
      EXPECT_FALSE(wrong) << *wrong;
      continue;
    }
    if (const auto* cycle = std::get_if<DependencyCycle>(&verdict)) {
      const auto wrong = not_a_cycle(fabric, tables, *cycle);
      EXPECT_FALSE(wrong) << *wrong;
    }
    if (waiting == WaitKind::commit) {
      EXPECT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
    } else if (const BlockedPackets blocked = blocked_packets(verdict); !blocked.packets.empty()) {
      const auto wrong = not_blocked(fabric, tables, blocked);
      EXPECT_FALSE(wrong) << *wrong;
    } else {
      EXPECT_EQ(waiting, WaitKind::wormhole);  // the others are always decided
    }
  }
}

TEST(Choices, ChecksOfTreesAreThoseOfAllChoices) {
  for (const char* topology :
       {"tree:k=2,n=3", "tree:k=3,n=2", "tree:k=2,n=4", "clos2:leaves=4,spines=3,links=2",
        "xgft:children=2x2x2,parents=1x2x3", "clos3:radix=4", "fat_tree_241", "crossbar"}) {
    const Fabric fabric = make_fabric(topology);
    expect_as_enumerated(fabric, routed(fabric, "nca"));
  }
  for (int seed = 1; seed <= tries(60); ++seed) {
    const Fabric fabric = damaged_tree(static_cast<std::uint64_t>(seed));
    const Routed made = route(fabric, "nca");
    if (const auto* tables = std::get_if<Tables>(&made)) expect_as_enumerated(fabric, *tables);
  }
}

/// Routes of any tags and groups; those that would have tags left at a host are made anew.
SourceRoutes random_routes(const Fabric& fabric, Tables tables, Rng& rng) {
  PortNumber most = 1;
  for (SwitchId s : fabric.switches()) most = std::max(most, fabric[s].ports);
  const auto port = [&] { return static_cast<PortNumber>(1 + rng.below(most)); };
  SourceRoutes out(fabric.switch_count());
  for (std::uint64_t g = 1 + rng.below(4); g > 0; --g) {
    std::vector<PortNumber> ports{port()};
    for (std::uint64_t n = rng.below(3); n > 0; --n)
      if (const PortNumber next = port();
          std::find(ports.begin(), ports.end(), next) == ports.end())
        ports.push_back(next);
    out.add_links(ports);
  }
  const auto any_route = [&] {
    std::vector<PortNumber> tags;
    for (std::uint64_t n = rng.below(5); n > 0; --n)
      tags.push_back(
          rng.below(2) == 0
              ? port()
              : static_cast<PortNumber>(first_link_group + rng.below(out.link_groups().size())));
    return tags;
  };
  SourceRoutes alone = out;
  for (std::size_t i = 0; i < fabric.host_count(); ++i)
    for (SwitchId s : fabric.switches()) {
      std::optional<std::vector<PortNumber>> tags;
      for (int tried = 0; tried < 8 && !tags; ++tried) {
        tags = any_route();
        SourceRoutes one = alone;
        for (SwitchId other : fabric.switches()) one.push_back(other == s ? tags : std::nullopt);
        tables.paths = one;
        tables.to_host.assign(fabric.host_count(), ColumnId::none());
        try {
          require_fit(fabric, tables);
        } catch (const Error&) {
          tags.reset();
        }
      }
      out.push_back(tags);
    }
  return out;
}

Tables random_choices(const Fabric& fabric, std::uint64_t seed) {
  Rng rng(seed);
  Tables tables;
  tables.engine = "random";
  tables.lane_count = 2;
  tables.to_host.assign(fabric.host_count(), ColumnId::none());
  tables.paths = random_routes(fabric, tables, rng);
  for (HostId h : fabric.hosts()) tables.to_host[h] = ColumnId(h.index());
  const auto lane = [&] { return static_cast<Lane>(rng.below(2)); };
  if (seed % 3 == 1) {
    TurnLanes turns(fabric, LaneOp::set(0), LaneOp::keep());
    for (SwitchId s : fabric.switches())
      for (ChannelId a : fabric.out(s))
        for (ChannelId b : fabric.out(s))
          if (rng.below(2) == 0)
            turns.at(s, fabric.out_port(a), fabric.out_port(b)) = LaneOp::set(lane());
    tables.lanes = turns;
  } else if (seed % 3 == 2) {
    ServiceLanes service{{fabric.host_count(), fabric.switch_count(), 0}};
    for (ColumnId c : service.level.ids())
      for (std::uint8_t& level : service.level[c]) level = lane();
    tables.lanes = service;
  }
  require_fit(fabric, tables);
  return tables;
}

TEST(Choices, ChecksOfRandomTablesAreThoseOfAllChoices) {
  std::size_t reached = 0, cycles = 0, certificates = 0;
  const auto count = static_cast<std::uint64_t>(tries(150));
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const Fabric fabric = random_fabric(seed, 5);
    const Tables tables = random_choices(fabric, seed);
    expect_as_enumerated(fabric, tables);
    reached += survey(fabric, tables).reached;
    const DeadlockVerdict verdict = deadlock(fabric, tables, WaitKind::commit);
    ++(std::holds_alternative<DependencyCycle>(verdict) ? cycles : certificates);
  }
  EXPECT_GT(reached, count);
  EXPECT_GT(cycles, count / 25);
  EXPECT_GT(certificates, count / 25);
}

TEST(Choices, TheVerifierLooksAtEveryChoice) {
  const Fabric fabric = make_fabric("tree:k=2,n=3");
  const Tables tables = routed(fabric, "nca");
  const auto sound = std::get<Certificate>(deadlock(fabric, tables));
  ASSERT_FALSE(verify(fabric, tables, sound));
  // Whichever number in use is changed, some choice leads over its channel.
  for (std::size_t i = 0; i < sound.number.size(); ++i) {
    if (sound.number[i] == Certificate::unused) continue;
    for (const std::uint32_t number : {Certificate::unused, std::uint32_t{1'000}}) {
      Certificate spoilt = sound;
      spoilt.number[i] = number;
      const bool last = number == 1'000 && sound.number[i] == 3;  // nothing comes after
      EXPECT_EQ(verify(fabric, tables, spoilt).has_value(), !last) << i;
    }
  }
}

TEST(Choices, FindingsDescribeThem) {
  const Fabric fabric = make_fabric("tree:k=3,n=2");
  Tables tables = routed(fabric, "nca");
  const auto summary = [&](std::string_view check) {
    for (const Finding& finding : run_checks(fabric, tables).findings)
      if (finding.check == check) return finding.summary;
    return std::string();
  };
  EXPECT_EQ(summary("reach"), "all 81 pairs of hosts are reached, whatever the switches choose");
  EXPECT_EQ(summary("hops"), "2.33 on average, 3 at most");
  EXPECT_EQ(summary("load"),
            "busiest link s0 port 4 (to s3) carries 6 routes; 6.0 on average, deviation 0.0");
  EXPECT_EQ(summary("matchings"),
            "100.0 % of a host's link on average over 1000 random matchings, 100.0 % in the worst");
}

TEST(Choices, AChoiceThatDoesNotArriveIsReported) {
  // Without the link from the second spine to the last leaf, "any up-link" is too much.
  const Fabric whole = make_fabric("clos2:leaves=2,spines=2,hosts=1");
  FabricBuilder builder("damaged");
  for (SwitchId s : whole.switches()) builder.add_switch(whole[s]);
  for (LinkId l : whole.links())
    if (l.index() != 3) builder.add_link(whole[l]);
  for (HostId h : whole.hosts()) builder.add_host(whole[h]);
  const Fabric fabric = std::move(builder).build();
  const Tables tables = routed(whole, "nca");
  const Checked checked = run_checks(fabric, tables);
  EXPECT_TRUE(checked.bad());
  EXPECT_EQ(checked.findings[0].summary, "2 of 4 pairs of hosts are not reached");
  EXPECT_EQ(checked.findings[0].details,
            (std::vector<std::string>{
                "1 pair: switch \"s1\" port 3, the next hop to h0, is connected to nothing",
                "1 pair: switch \"s3\" port 2, the next hop to h1, is connected to nothing",
                "one of them: h1 -> s1:3: nothing is connected there"}));
  EXPECT_EQ(survey(fabric, routed(fabric, "nca")).reached, 4U) << "routed anew";
}

TEST(Choices, CyclesNeedOneChoiceOnly) {
  // Round a ring of three, or straight on: the second choice closes the cycle.
  const Fabric fabric = ring(3);
  SourceRoutes routes(3);
  const PortNumber either = routes.add_links({1, 2});
  for (HostId to : fabric.hosts())
    for (SwitchId from : fabric.switches())
      routes.push_back(from == fabric[to].on ? std::vector<PortNumber>{either, either, either}
                                             : std::vector<PortNumber>{});
  Tables tables;
  tables.paths = routes;
  for (HostId h : fabric.hosts()) tables.to_host.push_back(ColumnId(h.index()));
  const DeadlockVerdict verdict = deadlock(fabric, tables, WaitKind::commit);
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
  EXPECT_FALSE(not_a_cycle(fabric, tables, std::get<DependencyCycle>(verdict)));
  // Packets that wait for either need more of them to be blocked.
  const DeadlockVerdict by_any = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<BlockedPackets>(by_any));
  EXPECT_EQ(not_blocked(fabric, tables, std::get<BlockedPackets>(by_any)).value_or(""), "");
  EXPECT_GT(std::get<BlockedPackets>(by_any).packets.size(), 3U);
}

// --- the engine

TEST(NearestCommonAncestor, TakesEveryUpLinkOfAWholeTree) {
  const Fabric fabric = make_fabric("tree:k=4,n=3");
  const Tables tables = routed(fabric, "nca");
  const SourceRoutes& routes = routes_of(tables);
  ASSERT_EQ(routes.link_groups().size(), 1U);
  EXPECT_EQ(routes.link_groups().front(), (std::vector<PortNumber>{5, 6, 7, 8}));
  EXPECT_EQ(column_count(tables), 16U) << "the hosts of a leaf share their routes";
  const auto tags = [&](std::size_t from, std::size_t to) {
    const auto route = routes.route(tables.to_host[HostId(to)], fabric[HostId(from)].on);
    return std::vector<PortNumber>(route->begin(), route->end());
  };
  EXPECT_EQ(tags(0, 3), (std::vector<PortNumber>{}));
  EXPECT_EQ(tags(0, 7), (std::vector<PortNumber>{first_link_group, 2}));
  EXPECT_EQ(tags(0, 63), (std::vector<PortNumber>{first_link_group, first_link_group, 4, 4}));
  const Survey seen = survey(fabric, tables);
  EXPECT_EQ(seen.hop_sum, shortest_hop_sum(fabric));
  EXPECT_EQ(seen.load, survey(fabric, routed(fabric, "dmodk")).load) << "as even as can be";
  EXPECT_EQ(all_routes(fabric, tables, HostId(0), HostId(63)).size(), 16U);
  EXPECT_EQ(route_text(fabric, tables, HostId(0), HostId(63)),
            "h0 -> s0:5|6|7|8 lane 0 -> s16, s17, s18, s19:5|6|7|8 lane 0 -> 16 switches:4 lane 0 "
            "-> s28, s29, s30, s31:4 lane 0 -> s15:4 -> h63");
}

TEST(NearestCommonAncestor, HostsOfALeafTakeDifferentParallelLinksDown) {
  const Fabric fabric = make_fabric("clos2:leaves=3,spines=2,links=2,hosts=4");
  const Survey seen = survey(fabric, routed(fabric, "nca"));
  EXPECT_TRUE(seen.complete());
  EXPECT_EQ(link_load(fabric, seen).deviation, 0);
}

TEST(NearestCommonAncestor, GivesUpChoicesThatADamagedTreeDoesNotHave) {
  int served = 0, chosen = 0;
  for (int seed = 1; seed <= tries(200); ++seed) {
    const Fabric fabric = damaged_tree(static_cast<std::uint64_t>(seed));
    const Routed made = route(fabric, "nca");
    const Routed fixed = route(fabric, "dmodk");
    ASSERT_TRUE(std::holds_alternative<Tables>(fixed));
    if (std::holds_alternative<Refused>(made)) continue;
    const Tables& tables = std::get<Tables>(made);
    const Survey seen = survey(fabric, tables);
    EXPECT_TRUE(seen.complete()) << fabric.name();
    EXPECT_EQ(seen.hop_sum, survey(fabric, std::get<Tables>(fixed)).hop_sum) << fabric.name();
    ++served;
    chosen += leave_choices(tables) ? 1 : 0;
  }
  EXPECT_GT(served, tries(200) / 2);
  EXPECT_GT(chosen, served * 3 / 4);
}

/// A leaf with two spines whose ports to the other leaf differ: a tag cannot suit both.
TEST(NearestCommonAncestor, OneRouteIsLeftWhereSwitchesShareNoPort) {
  FabricBuilder builder("crossed");
  for (const char* name : {"a", "b", "x", "y"}) builder.add_switch({name, 4});
  builder.add_host({"h0", SwitchId(0), 4});
  builder.add_host({"h1", SwitchId(1), 4});
  builder.add_link({{SwitchId(0), 1}, {SwitchId(2), 1}, {}});
  builder.add_link({{SwitchId(0), 2}, {SwitchId(3), 2}, {}});
  builder.add_link({{SwitchId(1), 1}, {SwitchId(2), 2}, {}});
  builder.add_link({{SwitchId(1), 2}, {SwitchId(3), 3}, {}});
  const Fabric fabric = std::move(builder).build();
  const Tables tables = routed(fabric, "nca");
  EXPECT_TRUE(survey(fabric, tables).complete());
  EXPECT_FALSE(leave_choices(tables));
  EXPECT_EQ(route_text(fabric, tables, HostId(0), HostId(1)),
            "h0 -> a:1 lane 0 -> x:2 lane 0 -> b:4 -> h1");
}

TEST(NearestCommonAncestor, RefusesWhatIsNoTree) {
  const auto why = [](const char* topology) {
    const Routed made = route(make_fabric(topology), "nca");
    return std::holds_alternative<Refused>(made) ? std::get<Refused>(made).why : "";
  };
  EXPECT_EQ(why("mesh:dims=3x3"),
            "needs a tree with its hosts on the leaves; \"s0\" and \"s1\" are linked and both have "
            "hosts");
  EXPECT_EQ(why("clos3:radix=4"), "");
}

TEST(NearestCommonAncestor, GroupsNeedOneRoutePerMember) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  const Tables tables = routed(fabric, "nca");
  const Grouped made =
      make_group({fabric, tables, {"g", {HostId(1), HostId(3)}, HostId(0)}}, "union");
  ASSERT_TRUE(std::holds_alternative<Refused>(made));
  EXPECT_EQ(std::get<Refused>(made).why,
            "needs one route to every member; these tables leave switches a choice");
}

}  // namespace
}  // namespace weft::test::choices
