// SPDX-License-Identifier: Apache-2.0
// Levels, pods and rails are found from the graph alone, in whatever order the switches come and
// whatever is missing; trees are routed as well as if they had been generated, and updown starts at
// all tops.
#include "fabric/fat_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/walk.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/shifts.hpp"
#include "plan/check/survey.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/route/algorithms/orientation.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

FatTree tree_of(const Fabric& fabric) { return std::get<FatTree>(FatTree::find(fabric)); }

struct Missing {
  std::set<std::size_t> switches{}, links{}, hosts{};
};

/// A fabric without some switches (their links and hosts go as well), links and hosts.
Fabric left_of(const Fabric& whole, const Missing& missing) {
  FabricBuilder builder("what is left of " + whole.name());
  IdVector<SwitchId, SwitchId> now(whole.switch_count());
  for (SwitchId s : whole.switches())
    if (missing.switches.count(s.index()) == 0) now[s] = builder.add_switch(whole[s]);
  for (HostId h : whole.hosts()) {
    Host host = whole[h];
    host.on = now[host.on];
    if (host.on.valid() && missing.hosts.count(h.index()) == 0) builder.add_host(host);
  }
  for (LinkId l : whole.links()) {
    Link link = whole[l];
    link.a.on = now[link.a.on];
    link.b.on = now[link.b.on];
    if (link.a.on.valid() && link.b.on.valid() && missing.links.count(l.index()) == 0)
      builder.add_link(link);
  }
  return std::move(builder).build();
}

Missing random_links(const Fabric& fabric, std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Missing missing;
  while (missing.links.size() < count) missing.links.insert(rng.below(fabric.link_count()));
  return missing;
}

/// Hosts 4s to 4s+3 are those of leaf s of a 4-ary tree.
Missing hosts_of(std::set<std::size_t> leaves) {
  Missing missing;
  for (const std::size_t leaf : leaves)
    for (std::size_t i = 0; i < 4; ++i) missing.hosts.insert(4 * leaf + i);
  return missing;
}

/// With one more host on each of these switches.
Fabric with_service_nodes(const Fabric& whole, std::vector<std::size_t> on) {
  FabricBuilder builder("served");
  for (SwitchId s : whole.switches()) {
    Switch copy = whole[s];
    copy.ports = static_cast<PortNumber>(copy.ports + 2);
    builder.add_switch(copy);
  }
  for (HostId h : whole.hosts()) builder.add_host(whole[h]);
  for (LinkId l : whole.links()) builder.add_link(whole[l]);
  for (const std::size_t s : on)
    builder.add_host({"service" + std::to_string(builder.host_count()), SwitchId(s)});
  return std::move(builder).build();
}

// --- recognition

TEST(FatTree, DescribesItselfInWords) {
  const auto words = [](const std::string& spec) {
    return tree_of(shuffled(make_fabric(spec), 1)).describe();
  };
  EXPECT_EQ(words("crossbar:hosts=3"), "1 level: 1 leaf");
  EXPECT_EQ(words("clos2:leaves=8,spines=4"), "2 levels: 8 leaves, 4 tops");
  EXPECT_EQ(words("tree:k=4,n=3"), "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops");
  EXPECT_EQ(words("clos3:radix=8"), "3 levels: 32 leaves, 32 middle switches in 8 pods, 16 tops");
  EXPECT_EQ(words("tree:k=2,n=4"),
            "4 levels: 8 leaves, 8 switches of level 1 in 4 pods, 8 switches of level 2 in 2 pods, "
            "8 tops");
}

/// The coordinates of an XGFT are its level, then the digits of the pod, then those of the rail.
void expect_digits(const Fabric& fabric, const FatTree& tree) {
  std::map<std::vector<int>, std::set<std::uint32_t>> pods, rails;
  std::set<std::vector<std::uint32_t>> places;
  for (SwitchId s : fabric.switches()) {
    const std::vector<int>& at = fabric[s].at;
    const std::uint32_t level = tree.level(s);
    ASSERT_EQ(static_cast<int>(level) + 1, at[0]) << fabric[s].name;
    const auto digits = static_cast<std::ptrdiff_t>(at.size());
    std::vector<int> pod(at.begin(), at.begin() + digits - at[0]);
    std::vector<int> rail(at.begin() + digits - at[0], at.end());
    rail.push_back(at[0]);
    pods[pod].insert(tree.pod(s, level));
    rails[rail].insert(tree.rail(s));
    places.insert({level, tree.pod(s, level), tree.rail(s)});
  }
  for (const auto& [digits, numbers] : pods) EXPECT_EQ(numbers.size(), 1U);
  for (const auto& [digits, numbers] : rails) EXPECT_EQ(numbers.size(), 1U);
  EXPECT_EQ(places.size(), fabric.switch_count()) << "a level, a pod and a rail name one switch";
}

TEST(FatTree, FindsTheDigitsOfTheGenerator) {
  for (const char* spec : {"tree:k=4,n=3", "tree:k=3,n=4", "xgft:children=4x3x5,parents=1x3x2",
                           "xgft:children=3x3x3,parents=1x2x2,links=1x2x2", "tree:k=2,n=2"}) {
    SCOPED_TRACE(spec);
    const Fabric fabric = make_fabric(spec);
    expect_digits(fabric, tree_of(fabric));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Fabric damaged = left_of(fabric, random_links(fabric, 1, seed));
      expect_digits(damaged, tree_of(damaged));
    }
  }
}

TEST(FatTree, LeavesOfAPodLieSideBySide) {
  const Fabric fabric = shuffled(make_fabric("tree:k=4,n=3"), 3);
  const FatTree tree = tree_of(fabric);
  ASSERT_EQ(tree.leaves().size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(tree.pod(tree.leaves()[i], 1), i / 4);
}

TEST(FatTree, WhatIsMissingChangesNoLevel) {
  const Fabric whole = make_fabric("tree:k=4,n=3");
  const auto words = [&](const Missing& missing) {
    return tree_of(shuffled(left_of(whole, missing), 7)).describe();
  };
  EXPECT_EQ(words(hosts_of({5})),
            "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops; 1 leaf without hosts");
  EXPECT_EQ(words(hosts_of({4, 5, 6, 7})),
            "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops; 4 leaves without hosts");
  EXPECT_EQ(words({{47}, {}, {}}), "3 levels: 16 leaves, 16 middle switches in 4 pods, 15 tops");
  EXPECT_EQ(words({{17, 18}, {}, {}}),
            "3 levels: 16 leaves, 14 middle switches in 4 pods, 16 tops");
  EXPECT_EQ(words({{0}, {}, {}}), "3 levels: 15 leaves, 16 middle switches in 4 pods, 16 tops");
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(words(random_links(whole, 5, seed)),
              "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops")
        << seed;
  // One host is left on every leaf of a pod.
  Missing most = hosts_of({0, 1, 2, 3});
  for (const std::size_t kept : {0U, 5U, 10U, 15U}) most.hosts.erase(kept);
  EXPECT_EQ(words(most), "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops");
}

TEST(FatTree, ServiceNodesMakeNoLeaves) {
  const Fabric whole = make_fabric("tree:k=4,n=3");
  const std::string words = "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops; ";
  EXPECT_EQ(tree_of(with_service_nodes(whole, {47})).describe(), words + "1 host above the leaves");
  EXPECT_EQ(tree_of(with_service_nodes(whole, {16, 32, 47, 47})).describe(),
            words + "4 hosts above the leaves");
  EXPECT_EQ(
      tree_of(with_service_nodes(make_fabric("clos2:leaves=8,spines=4"), {8, 9})).describe(),
      tree_of(make_fabric("clos2:leaves=8,spines=4")).describe() + "; 2 hosts above the leaves");
}

TEST(FatTree, SeveralTrees) {
  // Without the tops every pod is a tree of its own.
  Missing tops;
  for (std::size_t s = 32; s < 48; ++s) tops.switches.insert(s);
  const Fabric fabric = left_of(make_fabric("tree:k=4,n=3"), tops);
  EXPECT_EQ(tree_of(fabric).describe(), "2 levels: 16 leaves, 16 tops; 4 separate trees");
  EXPECT_TRUE(survey(fabric, routed(fabric, "dmodk")).complete());
}

TEST(FatTree, RefusesWhatIsNone) {
  for (const char* spec : {"torus:dims=4x4", "mesh:dims=3x3", "ring:switches=6", "dragonfly",
                           "hypercube:dims=3", "complete:switches=4", "hyperx:dims=3x3"})
    EXPECT_TRUE(std::holds_alternative<Refused>(FatTree::find(make_fabric(spec)))) << spec;
  // Two leaves are cabled to each other.
  FabricBuilder crossed("crossed");
  for (const char* name : {"s0", "s1", "s2", "x", "y"}) crossed.add_switch({name});
  for (std::size_t leaf = 0; leaf < 3; ++leaf)
    crossed.add_host({"h" + std::to_string(leaf), SwitchId(leaf)});
  for (std::size_t leaf = 0; leaf < 3; ++leaf)
    for (std::size_t spine = 3; spine < 5; ++spine)
      crossed.connect(SwitchId(leaf), SwitchId(spine), {});
  crossed.connect(SwitchId(0), SwitchId(1), {});
  EXPECT_EQ(std::get<Refused>(FatTree::find(std::move(crossed).build())).why,
            "needs a tree; \"s0\" and \"s1\" are linked at the same height");
}

// --- routing

double bisection(const Fabric& fabric, const std::string& engine) {
  const Tables tables = routed(fabric, engine);
  EXPECT_TRUE(survey(fabric, tables).complete()) << engine << " on " << fabric.name();
  EXPECT_FALSE(not_certified(fabric, tables)) << engine << " on " << fabric.name();
  return 100 * effective_bisection(fabric, tables, 100, 1).mean;
}

TEST(TreeRouting, OrderAndNamesDoNotMatter) {
  for (const char* spec : {"tree:k=4,n=3", "clos2:leaves=8,spines=4,links=2,hosts=8",
                           "xgft:children=4x4x4,parents=1x2x2,links=1x2x2"}) {
    const Fabric whole = make_fabric(spec);
    const double expected = bisection(whole, "dmodk");
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_GT(bisection(shuffled(whole, seed), "dmodk"), expected - 1.5) << spec;
  }
}

/// Every link down carries equally many destinations.
TEST(TreeRouting, BundledLinksAreUsedEvenly) {
  const Fabric fabric = shuffled(make_fabric("xgft:children=4x4x4,parents=1x2x2,links=1x2x2"), 2);
  const Tables tables = routed(fabric, "dmodk");
  EXPECT_EQ(survey(fabric, tables).hop_sum, shortest_hop_sum(fabric));
  Walker walk(fabric, tables);
  const FatTree tree = tree_of(fabric);
  IdVector<ChannelId, std::set<HostId>> down(fabric.channel_count());
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts())
      for (const Hop& hop : walk(from, to).hops)
        if (tree.level(fabric.to(hop.channel)) < tree.level(fabric.from(hop.channel)))
          down[hop.channel].insert(to);
  for (ChannelId c : fabric.channels())
    if (tree.level(fabric.to(c)) < tree.level(fabric.from(c))) {
      EXPECT_EQ(down[c].size(), tree.level(fabric.to(c)) == 0 ? 1U : 2U) << c.index();
    }
}

TEST(TreeRouting, DamageCostsNoMoreThanItMust) {
  const Fabric whole = make_fabric("tree:k=4,n=3");
  // OpenSM's ftree, told the roots, on such trees: 63, 59.7 and 47.7 on average.
  const std::map<std::size_t, double> least{{1, 61.5}, {5, 58}, {20, 45}};
  for (const auto& [links, share] : least)
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_GT(
          bisection(shuffled(left_of(whole, random_links(whole, links, seed)), seed), "dmodk"),
          share)
          << links;
  EXPECT_GT(bisection(left_of(whole, {{47}, {}, {}}), "dmodk"), 61.5);
  EXPECT_GT(bisection(left_of(whole, {{17}, {}, {}}), "dmodk"), 58);
  EXPECT_GT(bisection(with_service_nodes(whole, {47}), "dmodk"), 62.5);
  EXPECT_GT(bisection(with_service_nodes(whole, {16, 32, 47}), "dmodk"), 62);
}

/// Recorded from OpenSM 3.3.23: the effective bisection of its ftree, told the roots where it does
/// not find them, over many matchings, for with a hundred the smallest trees differ by chance.
struct FtreeRecord {
  const char* spec;
  Missing missing;
  double share;
};

/// Hosts from `first` to before `last`.
Missing host_range(std::size_t first, std::size_t last, Missing missing = {}) {
  for (std::size_t h = first; h < last; ++h) missing.hosts.insert(h);
  return missing;
}

TEST(TreeRouting, OpenSmRoutesNoTreeBetter) {
  const char* doubled = "xgft:children=6x2x3,parents=1x2x2,links=1x2x1";
  const std::vector<FtreeRecord> records{
      // Hosts that share a link of their leaf share one of the pod.
      {doubled, host_range(0, 18), 72.6},
      {doubled, host_range(0, 6, host_range(12, 18, host_range(24, 30))), 70.5},
      // Hosts that come down one of two parallel links go up by one.
      {"xgft:children=3x3x3,parents=1x2x2,links=1x2x2", {{3, 4, 5, 16, 17}}, 72.2},
      // One host more than links: the same top has two of every leaf.
      {"tree:k=4,n=2", {{5}}, 69.8},
      {"tree:k=8,n=2", {{15}}, 67.9},
      {"tree:k=3,n=3", {{14, 23}}, 62.3},
      {"xgft:children=5x4x3,parents=1x2x4", {}, 37.6},
      {"tree:k=4,n=3", {{47}}, 63.1},
      {"clos3:radix=4", {}, 70.9},
      {"tree:k=8,n=3", {{191}}, 55.4},
      {"tree:k=8,n=3", {{100}}, 54.8},
      {"tree:k=10,n=3", {{299}}, 53.8},
      {"tree:k=10,n=3", {{150}}, 53.4},
      {"clos3:radix=16", {{200}}, 52.6},
  };
  for (const FtreeRecord& record : records) {
    const Fabric fabric = left_of(make_fabric(record.spec), record.missing);
    const int matchings = static_cast<int>(100'000 / fabric.host_count());
    const double share = effective_bisection(fabric, routed(fabric, "dmodk"), matchings, 1).mean;
    EXPECT_GT(100 * share, record.share - 0.8) << fabric.name();
  }
}

/// A link carries no more routes of a shift than a leaf has hosts for each of its links.
TEST(TreeRouting, HostsLeftOverDisturbNoShift) {
  const std::map<std::string, double> most{{"clos2:leaves=8,spines=3,hosts=4", 2},
                                           {"clos2:leaves=8,spines=5,hosts=12", 3},
                                           {"xgft:children=5x4x3,parents=1x2x4", 3}};
  for (const auto& [spec, routes] : most) {
    const Fabric fabric = make_fabric(spec);
    const auto peaks =
        shift_loads(fabric, routed(fabric, "dmodk"), fabric.host_count()).routes.most;
    EXPECT_EQ(*std::max_element(peaks.begin(), peaks.end()), routes) << spec;
  }
}

TEST(TreeRouting, RandomDamageIsServed) {
  for (int seed = 1; seed <= tries(150); ++seed) {
    const Fabric fabric = shuffled(damaged_tree(static_cast<std::uint64_t>(seed)), 1);
    const Tables tables = routed(fabric, "dmodk");
    EXPECT_TRUE(survey(fabric, tables).complete()) << seed;
    EXPECT_FALSE(not_certified(fabric, tables)) << seed;
  }
}

// --- up*/down*

TEST(TreeOrientation, TopsAreRoots) {
  const Fabric fabric = shuffled(make_fabric("tree:k=4,n=3"), 5);
  const FatTree tree = tree_of(fabric);
  const Orientation orientation = tree_orientation(fabric, tree);
  for (ChannelId c : fabric.channels())
    EXPECT_EQ(orientation.up(fabric, c), tree.level(fabric.to(c)) > tree.level(fabric.from(c)));
  EXPECT_EQ(survey(fabric, routed(fabric, "updown")).hop_sum, shortest_hop_sum(fabric));
  EXPECT_TRUE(routed(fabric, "updown").paths == routed(fabric, "updown:root=tops").paths);
  EXPECT_GT(bisection(fabric, "updown"), 48);
}

TEST(TreeOrientation, OneLeafIsTheRootWhereNoTopReachesAll) {
  const Fabric fabric = with_service_nodes(make_fabric("clos2:leaves=4,spines=3"), {4, 5});
  const FatTree tree = tree_of(fabric);
  EXPECT_FALSE(tree.complete(SwitchId(0)));
  const Orientation orientation = tree_orientation(fabric, tree);
  EXPECT_EQ(orientation.rank[SwitchId(0)], 0U);
  EXPECT_TRUE(survey(fabric, routed(fabric, "updown")).complete());
}

TEST(TreeOrientation, GroupsNeedOneSwitchAboveAllMembers) {
  // Every two of three leaves have a top of their own.
  FabricBuilder builder("three tops");
  for (const char* name : {"a", "b", "c", "x", "y", "z"}) builder.add_switch({name});
  for (std::size_t leaf = 0; leaf < 3; ++leaf) {
    builder.add_host({"h" + std::to_string(leaf), SwitchId(leaf)});
    builder.connect(SwitchId(leaf), SwitchId(3 + leaf), {});
    builder.connect(SwitchId((leaf + 1) % 3), SwitchId(3 + leaf), {});
  }
  const Fabric fabric = std::move(builder).build();
  EXPECT_TRUE(tree_of(fabric).complete(SwitchId(0)));
  const Tables tables = routed(fabric, "updown");
  EXPECT_EQ(survey(fabric, tables).hop_sum, shortest_hop_sum(fabric));
  const std::vector<HostId> members{HostId(0), HostId(1), HostId(2)};
  const auto group = [&](const char* scheme) {
    return make_group({fabric, tables, {"g", members, std::nullopt}}, scheme);
  };
  EXPECT_EQ(std::get<Refused>(group("oriented")).why,
            "no switch has all members below it; root=first, here and for the routing engine, "
            "gives one");
  EXPECT_TRUE(std::holds_alternative<Group>(group("oriented:root=first")));
}

}  // namespace
}  // namespace weft::test
