// SPDX-License-Identifier: Apache-2.0
// Groups with a root: their trees, who gets copies, and what their circuits may wait for.
#include "plan/check/graph/rooted.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "plan/check/check.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test::rooted {
namespace {

Group made(const Fabric& fabric, const Tables& tables, const GroupRequest& request,
           const std::string& spec = "rooted") {
  return std::get<Group>(make_group({fabric, tables, request}, spec));
}

std::vector<HostId> range(std::size_t first, std::size_t last) {
  std::vector<HostId> out;
  for (std::size_t h = first; h <= last; ++h) out.push_back(HostId(h));
  return out;
}

/// A range of the hosts, of two or more.
GroupRequest random_range(const Fabric& fabric, Rng& rng, int number) {
  std::size_t a = rng.below(fabric.host_count()), b = rng.below(fabric.host_count());
  if (a == b) b = a == 0 ? 1 : a - 1;
  GroupRequest out{fmt::format("g{}", number), range(std::min(a, b), std::max(a, b))};
  if (rng.below(3) == 0) out.source = HostId(rng.below(fabric.host_count()));
  return out;
}

Finding finding_of(const Fabric& fabric, const Tables& tables, std::string_view name) {
  for (const Finding& finding : run_checks(fabric, tables).findings)
    if (finding.check == name) return finding;
  throw Error("no check is called {}", name);
}

/// Switches in a random tree, with 0 to 3 hosts each and 2 on the first.
Fabric random_tree(Rng& rng) {
  FabricBuilder builder("random tree");
  const std::size_t switches = 2 + rng.below(14);
  for (std::size_t s = 0; s < switches; ++s) {
    builder.add_switch({fmt::format("s{}", s)});
    for (std::uint64_t h = s == 0 ? 2 : rng.below(4); h > 0; --h)
      builder.add_host({fmt::format("h{}.{}", s, h), SwitchId(s)});
    if (s > 0) builder.add_link({{SwitchId(s), 0}, {SwitchId(rng.below(s)), 0}, {}});
  }
  return std::move(builder).build();
}

TEST(Rooted, TreeOfAFatTree) {
  const Fabric fabric = make_fabric("tree:k=2,n=3");
  const Tables tables = routed(fabric, "nca");
  const Group group = made(fabric, tables, {"all", range(2, 7)});
  // The first of the highest switches; the four leaves and two switches above them lead up to it.
  ASSERT_TRUE(group.root);
  EXPECT_TRUE(fabric.hosts_on(*group.root).empty());
  EXPECT_EQ(group.up.size(), 6U);
  EXPECT_EQ(group.out.size(), 6U);  // not the leaf of hosts 0 and 1
  const Group other = made(fabric, tables, {"few", range(0, 1), HostId(7)});
  EXPECT_EQ(other.root, group.root);
  EXPECT_EQ(other.up.size(), 2U) << "only the source's route";
  EXPECT_EQ(other.out.size(), 3U);
  const SwitchId last(fabric.switch_count() - 1);
  const Group elsewhere =
      made(fabric, tables, {"x", range(0, 7)}, "rooted:root=" + fabric[last].name);
  EXPECT_EQ(elsewhere.root, last);
}

TEST(Rooted, RefusesInWords) {
  const Fabric apart = random_apart(1);
  const Tables tables = routed(apart, "minhop");
  GroupRequest request{"g", {HostId(0), HostId(apart.host_count() - 1)}};
  const Grouped refused = make_group({apart, tables, request}, "rooted");
  ASSERT_TRUE(std::holds_alternative<Refused>(refused));
  EXPECT_EQ(std::get<Refused>(refused).why, "the members lie in different parts of the fabric");
  const Fabric fabric = ring(3);
  request.members = {HostId(0), HostId(1)};
  EXPECT_THROW(make_group({fabric, routed(fabric, "minhop"), request}, "rooted:root=x"), Error);
}

TEST(Rooted, ChecksSeeWhatIsWrongWithAGroup) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = routed(fabric, "nca");
  const Group good = made(fabric, tables, {"all", range(0, 3)});
  const auto finding = [&](const Group& group) {
    tables.groups = {group};
    const Finding found = finding_of(fabric, tables, "multicast");
    return found.details.empty() ? found.summary : found.details.front();
  };
  EXPECT_EQ(finding(good), "all members of 1 group get every packet once");
  Group bad = good;
  bad.members.pop_back();
  EXPECT_EQ(finding(bad), "group all: h3 gets 1 copies instead of 0");
  bad = good;
  bad.out.pop_back();
  EXPECT_NE(finding(bad).find("gets 0 copies instead of 1"), std::string::npos);
  bad = good;
  std::erase_if(bad.up, [&](const UpPort& up) { return up.on == fabric[HostId(0)].on; });
  EXPECT_EQ(finding(bad), fmt::format("group all from h0: the route up to {} ends at {}",
                                      fabric[*good.root].name, fabric[fabric[HostId(0)].on].name));
  // Leaves that copy to the other switch above them, which copies down again: no tree.
  bad = good;
  for (PortSet& set : bad.out)
    if (set.on != *good.root) set.ports = {1, 2, 3, 4};
  for (const SwitchId s : fabric.switches())
    if (fabric.hosts_on(s).empty() && s != *good.root) bad.out.push_back({s, {1, 2}});
  tables.groups = {bad};
  EXPECT_TRUE(std::holds_alternative<Refused>(deadlock(fabric, tables)));
}

/// Says why many groups of a fabric are not fine together, or nothing.
std::string trouble(const Fabric& fabric, const std::string& engine, Rng& rng) {
  Tables tables = routed(fabric, engine);
  for (int i = 0; i < 6; ++i)
    tables.groups.push_back(made(fabric, tables, random_range(fabric, rng, i)));
  const Finding finding = finding_of(fabric, tables, "multicast");
  if (finding.verdict != Verdict::fine) return finding.summary;
  if (auto wrong = not_certified(fabric, tables)) return *wrong;
  return "";
}

TEST(Rooted, GroupsOfOneRootAreCertifiedOnTrees) {
  for (int seed = 1; seed <= tries(60, 3000); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Fabric tree = random_tree(rng);
    for (const char* engine : {"updown", "minhop"})
      ASSERT_EQ(trouble(tree, engine, rng), "") << seed << " " << engine;
    const Fabric fat =
        make_fabric(fmt::format("tree:k={},n={}", 2 + rng.below(3), 1 + rng.below(3)));
    for (const char* engine : {"nca", "updown", "dmodk"})
      ASSERT_EQ(trouble(fat, engine, rng), "") << seed << " " << engine;
  }
}

TEST(Rooted, TwoRootsAreACycle) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = routed(fabric, "nca");
  for (const SwitchId s : fabric.switches())
    if (fabric.hosts_on(s).empty())
      tables.groups.push_back(made(fabric, tables, {fmt::format("g{}", s.index()), range(0, 3)},
                                   "rooted:root=" + fabric[s].name));
  ASSERT_EQ(tables.groups.size(), 2U);
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
  // They meet at the links to hosts only.
  for (const ChannelWait& wait : std::get<DependencyCycle>(verdict).waits)
    EXPECT_NE(wait.group, "");
  tables.groups.pop_back();
  EXPECT_FALSE(not_certified(fabric, tables));
}

TEST(Rooted, TwoTreesOfOneRootAreACycle) {
  // Around a square: both groups begin at s0, and reach s3 by different routes.
  const Fabric fabric = from_links(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 1);
  Tables tables = routed(fabric, "updown");
  const auto port = [&](int from, int to) {
    for (const ChannelId c : fabric.out(SwitchId(static_cast<std::size_t>(from))))
      if (fabric.to(c) == SwitchId(static_cast<std::size_t>(to))) return fabric.out_port(c);
    return PortNumber{0};
  };
  const auto host = [&](std::size_t h) { return fabric[HostId(h)].port; };
  Group left{"left", range(0, 3), HostId(0), 0, {}, SwitchId(0)};
  left.out = {{SwitchId(0), {port(0, 1), port(0, 2)}},
              {SwitchId(1), {host(1), port(1, 3)}},
              {SwitchId(2), {host(2)}},
              {SwitchId(3), {host(3)}}};
  Group right = left;
  right.name = "right";
  right.out[1].ports = {host(1)};
  right.out[2].ports = {host(2), port(2, 3)};
  tables.groups = {left};
  EXPECT_EQ(finding_of(fabric, tables, "multicast").verdict, Verdict::fine);
  EXPECT_FALSE(not_certified(fabric, tables));
  tables.groups = {left, right};
  EXPECT_EQ(finding_of(fabric, tables, "multicast").verdict, Verdict::fine);
  EXPECT_TRUE(std::holds_alternative<DependencyCycle>(deadlock(fabric, tables)));
}

TEST(Rooted, LaneOfTheirOwnMakesThemSafeAnywhere) {
  int mixed_cycles = 0;
  for (int seed = 1; seed <= tries(60, 1000); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 16);
    if (fabric.host_count() < 2) continue;
    Rng rng(static_cast<std::uint64_t>(seed));
    Tables tables = routed(fabric, "updown");
    Tables apart = tables;
    apart.lane_count = 2;
    for (int i = 0; i < 4; ++i) {
      GroupRequest request = random_range(fabric, rng, i);
      tables.groups.push_back(made(fabric, tables, request));
      request.lane = 1;
      apart.groups.push_back(made(fabric, apart, request));
    }
    ASSERT_FALSE(not_certified(fabric, apart)) << seed;
    const DeadlockVerdict verdict = deadlock(fabric, tables);
    if (const auto* cycle = std::get_if<DependencyCycle>(&verdict)) {
      ++mixed_cycles;
      for (const ChannelWait& wait : cycle->waits)
        ASSERT_TRUE(wait.from.valid() || !wait.group.empty()) << seed;
    } else {
      ASSERT_FALSE(not_certified(fabric, tables)) << seed;
    }
  }
  if (tries(60) >= 60) {
    EXPECT_GT(mixed_cycles, 0) << "on one lane up*/down* routes leave the tree";
  }
}

TEST(Rooted, CertificatesNumberTheLinksToHosts) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = routed(fabric, "nca");
  tables.groups.push_back(made(fabric, tables, {"all", range(0, 3)}));
  const auto good = std::get<Certificate>(deadlock(fabric, tables));
  EXPECT_EQ(good.number.size(), fabric.channel_count() + fabric.host_count());
  EXPECT_FALSE(verify(fabric, tables, good));
  for (std::size_t i = 0; i < good.number.size(); ++i) {
    if (good.number[i] == Certificate::unused) continue;
    Certificate bad = good;
    bad.number[i] = Certificate::unused;
    EXPECT_TRUE(verify(fabric, tables, bad)) << i;
  }
  // From behind one port of the root to the next.
  const HostId first(0), third(2);
  EXPECT_LT(good.at(link_to(fabric, first).channel, 0),
            good.at(fabric.channel_at(*tables.groups[0].root, 2), 0));
  EXPECT_LT(good.at(link_to(fabric, first).channel, 0), good.at(link_to(fabric, third).channel, 0));
}

TEST(Rooted, PortsOfASwitchAreASet) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = routed(fabric, "nca");
  tables.groups.push_back(made(fabric, tables, {"all", range(0, 3)}));
  const DeadlockVerdict good = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<Certificate>(good));
  for (PortSet& set : tables.groups[0].out) {
    std::reverse(set.ports.begin(), set.ports.end());
    set.ports.push_back(set.ports.front());
  }
  const DeadlockVerdict same = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<Certificate>(same));
  EXPECT_EQ(std::get<Certificate>(same), std::get<Certificate>(good));
}

TEST(Rooted, ARouteUpThatGoesRoundIsACycleOfItsGroup) {
  // s1, s2 and s3 in a ring lead up to each other, not to the root s0.
  const Fabric fabric = from_links(4, {{0, 1}, {1, 2}, {2, 3}, {3, 1}});
  Tables tables = routed(fabric, "updown");
  Group group{"round", range(0, 3), std::nullopt, 0, {}, SwitchId(0)};
  for (const auto& [from, to] : {std::pair{1U, 2U}, {2U, 3U}, {3U, 1U}})
    for (const ChannelId c : fabric.out(SwitchId(from)))
      if (fabric.to(c) == SwitchId(to)) group.up.push_back({SwitchId(from), fabric.out_port(c)});
  tables.groups = {group};
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
  ASSERT_EQ(std::get<DependencyCycle>(verdict).waits.size(), 3U);
  for (const ChannelWait& wait : std::get<DependencyCycle>(verdict).waits)
    EXPECT_TRUE(wait.from.valid() || wait.group == "round");
  EXPECT_EQ(std::get<DependencyCycle>(verdict).waits[0].group, "round");
}

/// Packets that may choose wait for the links to hosts as others do, where circuits hold those.
TEST(Rooted, PacketsThatChooseWaitForLinksToHosts) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = routed(fabric, "nca");
  tables.groups.push_back(made(fabric, tables, {"all", range(0, 3)}));
  const Dependencies all = as_set(std::get<DependencyGraph>(dependencies(fabric, tables)));
  for (const HostId host : fabric.hosts())
    for (const ChannelId c : fabric.channels())
      if (fabric.to(c) == fabric[host].on) {
        EXPECT_EQ(all.count({{c.index(), 0}, {link_to(fabric, host).channel.index(), 0}}), 1U)
            << fabric[host].name;
      }
}

/// Copies of groups without a root wait for them, too, on whichever lane they come.
TEST(Rooted, CopiesOfOtherGroupsWaitForLinksToHosts) {
  const Fabric fabric = from_links(2, {{0, 1}});
  Tables tables = routed(fabric, "updown");
  tables.lane_count = 2;
  tables.groups.push_back(made(fabric, tables, {"circuits", range(0, 1)}));
  const GroupRequest request{"copies", range(0, 1), HostId(0), 1};
  tables.groups.push_back(made(fabric, tables, request, "union"));
  const Dependencies all = as_set(std::get<DependencyGraph>(dependencies(fabric, tables)));
  const ChannelId channel = fabric.out(SwitchId(0))[0];
  const HostId there(1);
  EXPECT_EQ(all.count({{channel.index(), 1}, {link_to(fabric, there).channel.index(), 0}}), 1U);
}

/// At c, packets of lane 1 may change to lane 0, where the circuits of g come to c's port 2 by the
/// same link, on other buffers. Then circuits of h may wait long for a's port 2, and hold b's.
TEST(Rooted, OnlyPacketsOfTheSameLaneAreGuarded) {
  const Fabric fabric = find_row(fabric_formats(), "format", "weft").read({"memory", R"(
weft = "fabric 1"
switches = [["r", 2], ["a", 3], ["b", 2], ["c", 3], ["d", 3]]
hosts = [["hr", "r", 2], ["hb", "b", 2], ["hc", "c", 3], ["hd", "d", 2], ["id", "d", 3]]
links = [["r", 1, "a", 3], ["a", 1, "b", 1], ["a", 2, "c", 1], ["c", 2, "d", 1]]
)"});
  for (const char* change : {"", "map c 1 2: 0 0\n"}) {
    const std::string text = fmt::format(R"(weft tables 1
lanes 2
columns hosts
paths destination
switches r a b c d
levels 2: 0 1
{}to id: 1 2 - 2 .
level 1
group g lane 0 root r: hd
out r: 1
out a: 2
out c: 2
out d: 2
group h lane 1 root r: hb hc
out r: 1
out a: 1 2
out b: 2
out c: 3
)",
                                         change);
    const Tables tables =
        find_row(tables_formats(), "format", "weft").read({"memory", text}, fabric).tables;
    const Dependencies all = as_set(std::get<DependencyGraph>(dependencies(fabric, tables)));
    const Hop held = link_to(fabric, *fabric.find_host("hb"));
    const ChannelId awaited = fabric.channel_at(*fabric.find_switch("a"), 2);
    EXPECT_EQ(all.count({{held.channel.index(), 0}, {awaited.index(), 1}}) > 0, *change != 0);
  }
}

}  // namespace
}  // namespace weft::test::rooted
