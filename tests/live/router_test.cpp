// SPDX-License-Identifier: Apache-2.0
// What weft answers to OpenSM's plugin, as switches would use it: packets go by LID, service level
// and ports alone. All routes and lanes are those of the tables, group trees join their members,
// and no order of channels is needed to see that there is no cycle: a search finds none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <utility>

#include "fabric/builder.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/format.hpp"
#include "fabric/walk.hpp"
#include "fabric/without.hpp"
#include "live/router/group_level.hpp"
#include "live/router/subnet_router.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"

namespace weft::test::live_router {
namespace {

using namespace weft::live;

std::string subnet_of(const Fabric& fabric) {
  std::ostringstream out;
  for (const FabricFormat& format : fabric_formats())
    if (format.name == "ibnetdiscover") format.write(out, fabric);
  return out.str();
}

/// Of the fabric itself, which has coordinates; what is discovered has the same order.
TablesSource engine(const Fabric& fabric, const std::string& spec) {
  return [&fabric, spec](const Fabric&, unsigned lanes) {
    const bool limited = spec == "dfsssp" || spec == "lash";
    return route(fabric, limited ? fmt::format("{}:lanes={}", spec, lanes) : spec);
  };
}

unsigned lane_at(const LaneTable& table, unsigned level) {
  return level % 2 == 0 ? table[level / 2] >> 4U : table[level / 2] & 0xFU;
}

/// Switches that know nothing but the answers.
class EmulatedSubnet {
 public:
  EmulatedSubnet(const Fabric& fabric, SubnetTables tables)
      : fabric_(fabric), tables_(std::move(tables)) {
    for (std::size_t i = 0; i < tables_.switches.size(); ++i) at_[tables_.switches[i].guid] = i;
  }

  unsigned level(HostId from, Lid to) const {
    if (tables_.levels.empty()) return 0;
    return tables_.levels.at(tables_.row.at(to)).at(tables_.source.at(fabric_[from].lid));
  }
  unsigned lane(SwitchId s, PortNumber in, PortNumber out, unsigned level) const {
    const SwitchTables& tables = of(s);
    if (tables.lanes.empty()) return 0;
    return lane_at(tables.lanes.at(in * (tables.ports + std::size_t{1}) + out), level);
  }
  /// The hops of a packet; nullopt when it does not arrive.
  std::optional<std::vector<Hop>> send(HostId from, HostId to, unsigned further = 0) {
    const auto lid = static_cast<Lid>(fabric_[to].lid + further);
    const unsigned level_of_packet = level(from, lid);
    std::vector<Hop> out;
    SwitchId at = fabric_[from].on;
    PortNumber in = fabric_[from].port;
    while (out.size() <= fabric_.switch_count()) {
      const PortNumber port = of(at).port_by_lid.at(lid);
      const Neighbour next = fabric_.at_port(at, port);
      if (next.host.valid()) return next.host == to ? std::optional(out) : std::nullopt;
      if (!next.channel.valid()) return std::nullopt;
      out.push_back({next.channel, static_cast<Lane>(lane(at, in, port, level_of_packet))});
      if (out.size() > 1) depend(out[out.size() - 2], out.back());
      at = fabric_.to(next.channel);
      in = fabric_.in_port(next.channel);
    }
    return std::nullopt;
  }
  /// Floods a group from a member; the members that get a copy, each once.
  std::optional<std::set<HostId>> flood(const TreeTables& tree, HostId from, unsigned level) {
    std::map<std::uint64_t, std::bitset<256>> ports;
    for (const GroupPorts& each : tree) ports[each.guid] = each.ports;
    std::set<HostId> out;
    struct Copy {
      SwitchId at;
      PortNumber in;
      std::optional<Hop> by;
    };
    std::vector<Copy> copies{{fabric_[from].on, fabric_[from].port, {}}};
    while (!copies.empty()) {
      const Copy copy = copies.back();
      copies.pop_back();
      if (++steps_ > 1'000'000) return std::nullopt;
      for (std::size_t p = 1; p < 256; ++p) {
        const auto port = static_cast<PortNumber>(p);
        if (!ports[fabric_[copy.at].guid][p] || port == copy.in) continue;
        const Neighbour next = fabric_.at_port(copy.at, port);
        if (next.host.valid() && !out.insert(next.host).second) return std::nullopt;
        if (!next.channel.valid()) continue;
        const Hop hop{next.channel, static_cast<Lane>(lane(copy.at, copy.in, port, level))};
        if (copy.by) depend(*copy.by, hop);
        copies.push_back({fabric_.to(next.channel), fabric_.in_port(next.channel), hop});
      }
    }
    return out;
  }
  /// Switches from which packets to hosts do not arrive, hosts counted.
  std::size_t silent_switches() const {
    std::size_t out = 0;
    for (HostId h : fabric_.hosts())
      for (SwitchId s : fabric_.switches()) {
        SwitchId at = s;
        Neighbour next;
        for (std::size_t i = 0; i <= fabric_.switch_count(); ++i) {
          next = fabric_.at_port(at, of(at).port_by_lid.at(fabric_[h].lid));
          if (!next.channel.valid()) break;
          at = fabric_.to(next.channel);
        }
        out += next.host == h ? 0 : 1;
      }
    return out;
  }
  bool has_cycle() const {
    std::map<Node, int> state;
    for (const auto& [node, next] : waits_)
      if (state[node] == 0 && closes_cycle(node, state)) return true;
    return false;
  }

 private:
  using Node = std::pair<ChannelId, Lane>;
  const SwitchTables& of(SwitchId s) const { return tables_.switches.at(at_.at(fabric_[s].guid)); }
  void depend(Hop first, Hop second) {
    waits_[{first.channel, first.lane}].insert({second.channel, second.lane});
  }
  bool closes_cycle(const Node& node, std::map<Node, int>& state) const {
    state[node] = 1;
    if (const auto found = waits_.find(node); found != waits_.end())
      for (const Node& next : found->second)
        if (state[next] == 1 || (state[next] == 0 && closes_cycle(next, state))) return true;
    state[node] = 2;
    return false;
  }

  const Fabric& fabric_;
  SubnetTables tables_;
  std::map<std::uint64_t, std::size_t> at_;
  std::map<Node, std::set<Node>> waits_;
  std::size_t steps_ = 0;
};

/// Routes of the emulated switches are those of the tables, on the same lanes.
void expect_routes(EmulatedSubnet& subnet, const RoutedSubnet& routed) {
  Walker walk(routed.fabric, routed.tables);
  std::size_t differ = 0;
  for (HostId from : routed.fabric.hosts())
    for (HostId to : routed.fabric.hosts())
      if (from != to) differ += subnet.send(from, to) != walk(from, to).hops ? 1 : 0;
  EXPECT_EQ(differ, 0U);
}

/// Random groups on service level 0, all at once, each along a tree that joins its members.
void expect_groups(EmulatedSubnet& subnet, SubnetRouter& router, std::mt19937& random) {
  const Fabric& fabric = router.last()->fabric;
  for (unsigned number = 1; number <= 4; ++number) {
    TreeRequest request{static_cast<std::uint16_t>(0xC000 + number), {0}, {}};
    std::set<HostId> members;
    for (HostId h : fabric.hosts())
      if (number == 1 || random() % 3 == 0) members.insert(h);
    for (HostId h : members) request.members.push_back(fabric[h].port_guid);
    LogLines log;
    const TreeTables tree = router.tree(request, log);
    for (HostId from : members) {
      std::set<HostId> others = members;
      others.erase(from);
      EXPECT_EQ(subnet.flood(tree, from, 0), others);
    }
  }
}

class LiveRouter : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(LiveRouter, AnswersWhatSwitchesCanUse) {
  const auto& [spec, name] = GetParam();
  const Fabric fabric = with_addresses(make_fabric(spec));
  SubnetRouter router(engine(fabric, name), false);
  LogLines log;
  const auto answer = router.route({8, {}, subnet_of(fabric)}, log);
  if (std::holds_alternative<Refused>(answer)) {
    EXPECT_FALSE(router.last());
    return;
  }
  const RoutedSubnet& routed = *router.last();
  EXPECT_NO_THROW(require_fit(routed.fabric, routed.tables));
  EmulatedSubnet subnet(routed.fabric, std::get<SubnetTables>(answer));
  expect_routes(subnet, routed);
  std::mt19937 random(7);
  expect_groups(subnet, router, random);
  EXPECT_EQ(subnet.has_cycle(), !routed.certified || routed.levels.empty());
  EXPECT_EQ(log.warnings.empty(), !subnet.has_cycle());
  EXPECT_EQ(routed.tables.groups.size(), 4U);
  EXPECT_EQ(std::holds_alternative<Certificate>(deadlock(routed.fabric, routed.tables)),
            !subnet.has_cycle());
}

INSTANTIATE_TEST_SUITE_P(
    All, LiveRouter,
    ::testing::Combine(
        ::testing::Values("mesh:dims=4x3,hosts=2", "torus:dims=5x4", "tree:k=3,n=2",
                          "dragonfly:a=3,p=2,h=1",
                          "random_irregular:switches=9,links=16,hosts=2,parallel=2,bare=2,seed=5",
                          "random_irregular:switches=12,links=24,hosts=3,parallel=2,bare=2,seed=7"),
        ::testing::Values("minhop", "updown", "dor:lanes=service", "dmodk", "lash", "dfsssp",
                          "nue:lanes=3", "sbp", "nca")));

TEST(LiveRouter, RefusalsSayWhy) {
  const Fabric fabric = with_addresses(make_fabric("torus:dims=5x5"));
  const auto why = [&](const char* name, unsigned lanes) {
    SubnetRouter router(engine(fabric, name), false);
    LogLines log;
    const auto answer = router.route({lanes, {}, subnet_of(fabric)}, log);
    return std::holds_alternative<Refused>(answer) ? std::get<Refused>(answer).why : "none";
  };
  EXPECT_EQ(why("nue:lanes=4", 1),
            "nue:lanes=4: it uses 4 lanes (VLs), and there is one, as OpenSM runs without QoS "
            "(-Q)");
  EXPECT_EQ(why("nue:lanes=4", 2), "nue:lanes=4: it uses 4 lanes (VLs), and the links have 2");
  EXPECT_EQ(why("nue:lanes=4", 4), "none");
}

TEST(LiveRouter, ReadsOnlySubnetsWithLids) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  SubnetRouter router(engine(fabric, "updown"), false);
  LogLines log;
  TreeRequest group{0xC001, {0}, {1, 2}};
  EXPECT_THROW(router.tree(group, log), Error);
  EXPECT_THROW(router.route({8, {}, "switchguid=0x1\nSwitch 2 \"S-1\" # \"a\" lid 0\n"}, log),
               Error);
}

TEST(LiveRouter, SaysWhoIsNotThere) {
  const Fabric fabric = with_addresses(make_fabric("mesh:dims=2x2"));
  SubnetRouter router(engine(fabric, "updown"), false);
  LogLines log;
  router.route({8, {}, subnet_of(fabric)}, log);
  // A switch takes part by its port 0.
  const TreeTables tree = router.tree(
      {0xC001, {0}, {fabric[HostId(0)].port_guid, fabric[SwitchId(3)].guid, 0xABCDEF}}, log);
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_EQ(log.warnings[0], "group 0xc001: 1 of 3 members are not in the subnet");
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.back().guid, fabric[SwitchId(3)].guid);
  EXPECT_TRUE(tree.back().ports[0]);
}

TEST(LiveRouter, GroupsOfAnotherLevelAreProvenWhenTheyCome) {
  const Fabric fabric = with_addresses(make_fabric("torus:dims=4x4"));
  SubnetRouter router(engine(fabric, "updown"), false);
  LogLines log;
  router.route({8, {0}, subnet_of(fabric)}, log);
  EXPECT_EQ(router.last()->levels, (std::set<std::uint8_t>{0}));
  router.tree({0xC001, {5}, {fabric[HostId(0)].port_guid, fabric[HostId(9)].port_guid}}, log);
  EXPECT_EQ(router.last()->levels, (std::set<std::uint8_t>{0, 5}));
  EXPECT_TRUE(log.warnings.empty());
}

TEST(LiveRouter, AFreeLevelLeavesRoutesAndLanes) {
  for (const char* name : {"updown", "dfsssp:lanes=4", "dor:lanes=service"}) {
    SCOPED_TRACE(name);
    const Fabric fabric = make_fabric("torus:dims=5x5");
    const Tables tables = std::get<Tables>(route(fabric, name));
    const Tables moved = with_free_level(fabric, tables).value();
    EXPECT_NO_THROW(require_fit(fabric, moved));
    EXPECT_EQ(moved.lane_count, tables.lane_count + 1);
    Walker before(fabric, tables), after(fabric, moved);
    const auto& levels = std::get<ServiceLanes>(moved.lanes);
    for (HostId from : fabric.hosts())
      for (HostId to : fabric.hosts()) {
        if (from == to) continue;
        EXPECT_EQ(before(from, to).hops, after(from, to).hops);
        EXPECT_GT(levels.of(fabric, moved.to_host[to], from), 0);
      }
  }
  const Fabric tree = make_fabric("mesh:dims=3x3");
  EXPECT_FALSE(with_free_level(tree, std::get<Tables>(route(tree, "dl"))));
}

/// Entries towards hosts that differ between two answers.
std::size_t changed_entries(const Fabric& fabric, const SubnetTables& before,
                            const SubnetTables& after) {
  std::map<std::uint64_t, std::vector<std::uint8_t>> was;
  for (const SwitchTables& at : before.switches) was[at.guid] = at.port_by_lid;
  std::size_t out = 0;
  for (const SwitchTables& at : after.switches)
    for (HostId h : fabric.hosts())
      out += was[at.guid].at(fabric[h].lid) != at.port_by_lid.at(fabric[h].lid) ? 1 : 0;
  return out;
}

bool has_note(const LogLines& log, std::string_view begin) {
  return std::any_of(log.notes.begin(), log.notes.end(),
                     [&](const std::string& note) { return note.starts_with(begin); });
}

class StickyRouter : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(StickyRouter, MovesOnlyWhatIsBroken) {
  const auto& [spec, name] = GetParam();
  const Fabric whole = with_addresses(make_fabric(spec));
  const auto source = [name = name](const Fabric& fabric, unsigned lanes) {
    return engine(fabric, name)(fabric, lanes);
  };
  SubnetRouter router(source, true);
  LogLines log;
  const auto first = std::get<SubnetTables>(router.route({8, {}, subnet_of(whole)}, log));
  std::mt19937 random(11);
  for (int i = 0; i < 6; ++i) {
    // Up to two links, not necessarily others than before: some come back, some die.
    Removal lost;
    for (int k = 0; k <= i % 2; ++k) lost.links.insert(LinkId(random() % whole.link_count()));
    const Fabric fabric = without(whole, lost).fabric;
    SCOPED_TRACE(to_text(whole, lost));
    LogLines sweep;
    const auto answer = std::get<SubnetTables>(router.route({8, {}, subnet_of(fabric)}, sweep));
    const RoutedSubnet& routed = *router.last();
    EXPECT_TRUE(routed.certified);
    EmulatedSubnet subnet(routed.fabric, answer);
    expect_routes(subnet, routed);
    EXPECT_EQ(subnet.silent_switches(), 0U);
    expect_groups(subnet, router, random);
    EXPECT_FALSE(subnet.has_cycle() && !routed.levels.empty());
  }
  LogLines back;
  const auto again = std::get<SubnetTables>(router.route({8, {}, subnet_of(whole)}, back));
  EXPECT_EQ(changed_entries(whole, first, again), 0U);
  EXPECT_TRUE(has_note(back, "new: "));
}

INSTANTIATE_TEST_SUITE_P(
    All, StickyRouter,
    ::testing::Combine(
        ::testing::Values("mesh:dims=4x4,hosts=2", "torus:dims=5x4", "tree:k=4,n=2",
                          "random_irregular:switches=12,links=26,hosts=2,parallel=2,bare=2,seed=5",
                          "random_regular:switches=14,degree=4,hosts=1,seed=3"),
        ::testing::Values("updown", "lash", "dfsssp", "nue:lanes=3")));

TEST(StickyRouter, ChangesFewerEntriesThanTheEngine) {
  const Fabric whole = with_addresses(make_fabric("torus:dims=6x6"));
  const Fabric broken = without(whole, "link=s7:1").fabric;
  const auto source = [](const Fabric& fabric, unsigned) { return route(fabric, "updown"); };
  std::size_t changed[2];
  for (const bool sticky : {false, true}) {
    SubnetRouter router(source, sticky);
    LogLines log;
    const auto before = std::get<SubnetTables>(router.route({1, {}, subnet_of(whole)}, log));
    const auto after = std::get<SubnetTables>(router.route({1, {}, subnet_of(broken)}, log));
    changed[sticky ? 1 : 0] = changed_entries(whole, before, after);
    EXPECT_EQ(has_note(log, fmt::format("{} of 1296 entries are changed", changed[1])), sticky);
    ASSERT_TRUE(router.last()->update);
    EXPECT_GE(router.last()->update->updates.size(), changed[sticky ? 1 : 0]);
  }
  EXPECT_LT(changed[1], changed[0] / 2);
}

TEST(StickyRouter, BeginsAnewWithSwitchesThatItDoesNotKnow) {
  const auto source = [](const Fabric& fabric, unsigned) { return route(fabric, "updown"); };
  SubnetRouter router(source, true);
  LogLines log;
  const Fabric whole = with_addresses(make_fabric("mesh:dims=3x3"));
  router.route({1, {}, subnet_of(without(whole, "switch=s8").fabric)}, log);
  EXPECT_FALSE(has_note(log, "all is routed anew"));
  router.route({1, {}, subnet_of(whole)}, log);
  EXPECT_TRUE(has_note(log, "all is routed anew: they are for another fabric: 1 of 9 switches"));
  EXPECT_TRUE(has_note(log, "new: switch s8"));
  EXPECT_TRUE(log.warnings.empty());
}

SubnetTables routed_by(SubnetRouter& router, const Fabric& fabric, LogLines& log) {
  log = {};
  return std::get<SubnetTables>(router.route({1, {}, subnet_of(fabric)}, log));
}

/// The fabric with one host elsewhere, or with other LIDs.
Fabric changed_fabric(const Fabric& fabric, HostId host, const std::function<void(Host&)>& change) {
  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) builder.add_switch(fabric[s]);
  for (LinkId l : fabric.links()) builder.add_link(fabric[l]);
  for (HostId h : fabric.hosts()) {
    Host data = fabric[h];
    if (h == host) change(data);
    builder.add_host(std::move(data));
  }
  return std::move(builder).build();
}

TEST(StickyRouter, GoesOnFromKeptTables) {
  const Fabric whole = with_addresses(make_fabric("torus:dims=5x5"));
  const Fabric broken = without(whole, "link=s7:1").fabric;
  const Fabric worse = without(whole, "link=s7:1,link=s3:3").fabric;
  const auto source = [](const Fabric& fabric, unsigned) { return route(fabric, "updown"); };
  SubnetRouter first(source, true);
  LogLines log;
  routed_by(first, whole, log);
  const SubnetTables before = routed_by(first, broken, log);
  SubnetRouter second(source, true);
  second.resume(first.last()->fabric, first.last()->tables);
  EXPECT_EQ(changed_entries(whole, before, routed_by(second, broken, log)), 0U);
  EXPECT_FALSE(has_note(log, "gone: "));
  const SubnetTables ours = routed_by(second, worse, log);
  EXPECT_TRUE(has_note(log, "gone: s3:3"));
  EXPECT_EQ(changed_entries(whole, routed_by(first, worse, log), ours), 0U);
}

TEST(StickyRouter, JudgesNoOrderWhereHostsHaveMoved) {
  const Fabric fabric = with_addresses(make_fabric("mesh:dims=3x3,hosts=2"));
  const auto source = [](const Fabric& found, unsigned) { return route(found, "updown"); };
  const Fabric moved = changed_fabric(fabric, HostId(0), [&](Host& host) {
    host.on = SwitchId(8);
    host.port = 0;
  });
  const Fabric other_lid = changed_fabric(fabric, HostId(0), [](Host& host) { host.lid = 99; });
  for (const Fabric* now : {&moved, &other_lid}) {
    SubnetRouter router(source, true);
    LogLines log;
    const SubnetTables before = routed_by(router, fabric, log);
    const SubnetTables after = routed_by(router, *now, log);
    const RoutedSubnet& routed = *router.last();
    EmulatedSubnet subnet(routed.fabric, after);
    expect_routes(subnet, routed);
    EXPECT_EQ(subnet.silent_switches(), 0U);
    EXPECT_TRUE(has_note(log, "the order of these updates is not judged: hosts have moved"));
    EXPECT_FALSE(routed.update);
  }
}

TEST(StickyRouter, CountsEveryLidOfAnLmc) {
  Fabric fabric = make_fabric("ring:switches=5");
  FabricBuilder builder(fabric.name());
  Lid lid = 2;
  Guid guid = 0x100;
  for (SwitchId s : fabric.switches()) {
    Switch data = fabric[s];
    data.guid = guid++;
    data.lid = static_cast<Lid>(100 + s.index());
    builder.add_switch(std::move(data));
  }
  for (LinkId l : fabric.links()) builder.add_link(fabric[l]);
  for (HostId h : fabric.hosts()) {
    Host data = fabric[h];
    data.guid = guid++;
    data.port_guid = guid++;
    data.lid = std::exchange(lid, static_cast<Lid>(lid + 2));
    data.lmc = 1;
    builder.add_host(std::move(data));
  }
  fabric = std::move(builder).build();
  const auto source = [](const Fabric& found, unsigned) { return route(found, "updown"); };
  SubnetRouter router(source, true);
  LogLines log;
  const SubnetTables before = routed_by(router, fabric, log);
  const SubnetTables after = routed_by(router, without(fabric, "link=s2:1").fabric, log);
  const std::size_t first = changed_entries(fabric, before, after);
  EXPECT_GT(first, 0U);
  EXPECT_TRUE(has_note(log, fmt::format("{} of 50 entries are changed, ", 2 * first)));
  ASSERT_TRUE(router.last()->update);
  EXPECT_EQ(router.last()->update->updates.size(), 2 * first);
}

TEST(LiveRouter, TreesJoinHostsThatCome) {
  // The tree of before may leave a switch out that had no hosts.
  const char* spec = "random_irregular:switches=14,links=24,hosts=1,parallel=2,bare=1,seed=95";
  const Fabric bare = with_addresses(make_fabric(spec));
  SwitchId empty;
  for (SwitchId s : bare.switches())
    if (bare.hosts_on(s).empty()) empty = s;
  FabricBuilder builder(bare.name());
  for (SwitchId s : bare.switches()) {
    Switch data = bare[s];
    if (s == empty) ++data.ports;
    builder.add_switch(std::move(data));
  }
  for (LinkId l : bare.links()) builder.add_link(bare[l]);
  for (HostId h : bare.hosts()) builder.add_host(bare[h]);
  const auto source = [](const Fabric& found, unsigned) { return route(found, "nue"); };
  FabricBuilder more = builder;
  const Fabric before = std::move(builder).build();
  Host guest{"guest", empty};
  guest.guid = 0x9000;
  guest.port_guid = 0x9001;
  guest.lid = 900;
  more.add_host(std::move(guest));
  SubnetRouter router(source, false);
  LogLines log;
  routed_by(router, before, log);
  const auto answer = routed_by(router, std::move(more).build(), log);
  EmulatedSubnet subnet(router.last()->fabric, answer);
  std::mt19937 random(1);
  expect_groups(subnet, router, random);
  EXPECT_TRUE(log.warnings.empty());
}

}  // namespace
}  // namespace weft::test::live_router
