// SPDX-License-Identifier: Apache-2.0
// Orders of updates, held against all that packets can meet while entries are set one by one.
#include "plan/difference/update_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fabric/without.hpp"
#include "plan/repair/repair.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "plan/update_histories.hpp"
#include "support/fabrics.hpp"

namespace weft::test::updates {
namespace {

bool has_cycle(const Change& change, const Steps& steps) {
  std::vector<DependencyGraph::Edge> edges;
  for (const auto& [first, second] : steps)
    edges.push_back({LaneChannel(first), LaneChannel(second)});
  return !find_cycle(DependencyGraph(change.fabric.channel_count(),
                                     static_cast<int>(change.lanes()), edges))
              .empty();
}

/// Every step that packets can make leads to a larger number, whatever the order within rounds.
void expect_certified(const Change& change, const UpdateOrder& order, Rng& rng) {
  const bool any_order = order.safe == SafeUpdate::in_any_order;
  for (const HostLid to : change.destinations()) {
    Histories histories(change, to, settings_of(order, to, rng, !any_order));
    const auto& number = order.certificate.number;
    for (const auto& [first, second] : histories.steps(is_drained(order, to))) {
      ASSERT_NE(number[first], Certificate::unused);
      ASSERT_LT(number[first], number[second]);
      ASSERT_NE(number[second], Certificate::unused);
    }
  }
}

/// Rounds change the old entries to the new ones; packets that arrived before arrive all along,
/// unless their entries are cleared.
void expect_arrivals(const Change& change, const UpdateOrder& order, Rng& rng) {
  for (const HostLid to : change.destinations()) {
    const Histories histories(change, to, settings_of(order, to, rng));
    for (SwitchId s : change.fabric.switches())
      ASSERT_EQ(histories.end()[s.index()], change.port(1, to, s));
    const std::size_t last = histories.moments() - 1;
    if (is_drained(order, to) || !histories.all_arrive(0) || !histories.all_arrive(last)) continue;
    for (std::size_t m = 0; m <= last; ++m) ASSERT_TRUE(histories.all_arrive(m)) << m;
  }
}

/// Where lanes are given in other ways, packets to a destination that drains are dropped
/// everywhere: on any part of their routes they may be on the wrong lanes.
void expect_cleared(const Change& change, const UpdateOrder& order) {
  std::set<std::pair<HostLid, SwitchId>> cleared;
  for (const EntryUpdate& update : order.updates)
    if (update.round == 0) cleared.insert({update.to, update.on});
  for (const HostLid to : order.drained)
    for (SwitchId s : change.fabric.switches()) {
      const Neighbour there = change.fabric.at_port(s, change.port(0, to, s));
      const bool leads_somewhere = there.channel.valid() || there.host.valid();
      EXPECT_TRUE(!leads_somewhere || cleared.count({to, s}) == 1 ||
                  (change.before.lanes.index() == change.after.lanes.index() &&
                   change.port(0, to, s) == change.port(1, to, s)));
    }
}

/// On one lane, what is explored from the changed entries alone is all that the new tables alone do
/// not have.
void expect_same_steps(const Change& change, Mixing mixing) {
  MixedTables mixed(change.fabric, change.before, change.after);
  Steps all, changes;
  for (const Tables* tables : {&change.before, &change.after}) {
    const auto graph = std::get<DependencyGraph>(dependencies(change.fabric, *tables));
    for (LaneChannel n : graph.nodes())
      for (LaneChannel m : graph.after(n)) {
        all.insert({n.index(), m.index()});
        if (tables == &change.after) changes.insert({n.index(), m.index()});
      }
  }
  const auto into = [](Steps& steps) {
    return [&steps](const MixedStep& step) {
      steps.insert({step.first.channel.index(), step.second.channel.index()});
    };
  };
  for (const MixedDestination& to : mixed.destinations()) {
    mixed.aim(to);
    mixed.explore(mixing, into(all));
    mixed.explore_changes(mixing, into(changes));
  }
  EXPECT_EQ(changes, all);
}

/// The steps to a destination that come about whatever the order of its updates; all of them if
/// there are too many orders.
Steps steps_of_every_order(const Change& change, HostLid to, std::vector<Setting> settings) {
  if (settings.size() > 5) return {};
  const auto by_switch = [](const Setting& a, const Setting& b) { return a.on < b.on; };
  std::sort(settings.begin(), settings.end(), by_switch);
  Steps common;
  bool first = true;
  do {
    const Steps steps = Histories(change, to, settings).steps(false);
    Steps both;
    std::set_intersection(common.begin(), common.end(), steps.begin(), steps.end(),
                          std::inserter(both, both.end()));
    common = first ? steps : both;
    first = false;
  } while (std::next_permutation(settings.begin(), settings.end(), by_switch));
  return common;
}

/// The updates as the administrator would do them without draining.
std::vector<Setting> plain_settings(const Change& change, HostLid to) {
  std::vector<Setting> out;
  for (SwitchId s : change.fabric.switches())
    if (change.port(0, to, s) != change.port(1, to, s)) out.push_back({s, change.port(1, to, s)});
  return out;
}

/// Nearest first, as if nothing drained.
std::vector<Setting> undrained_settings(const Change& change, const UpdateOrder& order, HostLid to,
                                        Rng& rng) {
  std::vector<Setting> out;
  for (const Setting& setting : settings_of(order, to, rng))
    if (setting.port != no_port || change.port(1, to, setting.on) == no_port)
      out.push_back({setting.on, setting.port, false});
  return out;
}

/// A cycle that is said to arise in every order is made of steps of every order.
bool cycle_is_in_every_order(const Change& change, const MixedCycle& cycle) {
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const MixedWait& wait = cycle.waits[i];
    const MixedWait& next = cycle.waits[(i + 1) % cycle.waits.size()];
    const auto settings = plain_settings(change, wait.to);
    if (settings.size() > 5) continue;
    if (steps_of_every_order(change, wait.to, settings)
            .count({wait.channel.index() * change.lanes() + wait.lane,
                    next.channel.index() * change.lanes() + next.lane}) == 0)
      return false;
  }
  return true;
}

/// None of the destinations that drain can be spared alone.
void expect_needed(const Change& change, const UpdateOrder& order, Rng& rng) {
  for (const HostLid spared : order.drained) {
    Steps all;
    for (const HostLid to : change.destinations()) {
      const bool drains = is_drained(order, to) && to != spared;
      const auto settings =
          to == spared ? undrained_settings(change, order, to, rng) : settings_of(order, to, rng);
      all.merge(Histories(change, to, settings).steps(drains));
    }
    EXPECT_TRUE(has_cycle(change, all)) << change.fabric[spared.host].name;
  }
}

std::optional<Tables> routed(const Fabric& fabric, const std::string& engine) {
  Routed out = route(fabric, engine);
  if (auto* tables = std::get_if<Tables>(&out)) return std::move(*tables);
  return std::nullopt;
}

struct Counts {
  int any_order = 0, rounds = 0, drain = 0, deadlock = 0, waits = 0, unproved = 0;
};

void expect_right(const Change& change, std::uint64_t seed, Counts& counts) {
  Rng rng(seed);
  const UpdateVerdict verdict = update_order(change.fabric, change.before, change.after);
  if (std::holds_alternative<DependencyCycle>(verdict)) {
    ++counts.deadlock;
    EXPECT_FALSE(std::holds_alternative<Certificate>(deadlock(change.fabric, change.after)));
    return;
  }
  ASSERT_TRUE(std::holds_alternative<UpdateOrder>(verdict));
  const auto& order = std::get<UpdateOrder>(verdict);
  expect_arrivals(change, order, rng);
  expect_certified(change, order, rng);
  expect_cleared(change, order);
  if (change.lanes() == 1)
    for (const Mixing mixing : {Mixing::any, Mixing::nearest_first, Mixing::every_order})
      expect_same_steps(change, mixing);
  EXPECT_EQ(order.cycle.has_value(), order.safe != SafeUpdate::in_any_order);
  EXPECT_EQ(order.drained.empty(), order.safe != SafeUpdate::after_drain);
  ++(order.safe == SafeUpdate::in_any_order ? counts.any_order
     : order.safe == SafeUpdate::in_rounds  ? counts.rounds
                                            : counts.drain);
  counts.waits += order.waits ? 1 : 0;
  if (order.safe != SafeUpdate::after_drain) return;
  counts.unproved += order.proved ? 0 : 1;
  expect_needed(change, order, rng);
  EXPECT_TRUE(order.proved || change.lanes() > 1);
  EXPECT_TRUE(!order.proved || cycle_is_in_every_order(change, *order.cycle));
}

void print_campaign(const char* what, int seeds, const Counts& counts) {
  if (seeds < 1000) return;
  fmt::print("campaign: updates {} on {} random fabrics: {} in any order, {} in rounds, {} drain\n",
             what, seeds, counts.any_order, counts.rounds, counts.drain);
}

/// Some fabric with few switches, of all kinds.
Fabric small_fabric(std::uint64_t seed) {
  for (std::uint64_t other = seed;; other += 1000) {
    Fabric fabric = seed % 4 == 0   ? damaged_tree(other)
                    : seed % 4 == 1 ? random_box(other)
                                    : random_fabric(other, 9);
    if (fabric.switch_count() <= 12 && fabric.link_count() > 0) return fabric;
  }
}

TEST(UpdateOrder, OfEnginesOnOneLane) {
  Counts counts;
  const std::array engines{"updown", "updown:root=far", "minhop", "updown:tree=dfs", "dor"};
  const int seeds = tries(300, 20'000);
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    const Fabric fabric = small_fabric(seed);
    Rng rng(seed);
    const auto engine = [&]() -> std::string {
      if (rng.below(2) == 0) return engines[rng.below(engines.size())];
      return fmt::format(
          "updown:root={}",
          fabric[SwitchId(rng.below(static_cast<std::uint32_t>(fabric.switch_count())))].name);
    };
    const auto before = routed(fabric, engine()), after = routed(fabric, engine());
    if (!before || !after) continue;
    SCOPED_TRACE(seed);
    expect_right({fabric, *before, *after}, seed, counts);
    if (HasFatalFailure()) return;
  }
  print_campaign("on one lane", seeds, counts);
  EXPECT_GE(counts.any_order, seeds / 100);
  EXPECT_GE(counts.rounds, seeds / 100);
  EXPECT_GE(counts.drain, seeds / 100);
}

TEST(UpdateOrder, OfLevelsAndLanes) {
  Counts counts;
  const std::array engines{"dfsssp", "lash", "dor", "updown", "dl", "nue:lanes=2", "sbp"};
  const int seeds = tries(100, 5'000);
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    const Fabric fabric = seed % 5 == 0 ? make_fabric("torus:dims=3x3") : small_fabric(seed);
    Rng rng(seed);
    const auto before = routed(fabric, engines[rng.below(engines.size())]);
    const auto after = routed(fabric, engines[rng.below(engines.size())]);
    if (!before || !after) continue;
    SCOPED_TRACE(seed);
    expect_right({fabric, *before, *after}, seed, counts);
    if (HasFatalFailure()) return;
  }
  print_campaign("of levels and lanes", seeds, counts);
  EXPECT_GE(counts.any_order, seeds / 100);
  EXPECT_GE(counts.drain, seeds / 100);
  EXPECT_GE(counts.unproved, seeds / 100);
}

/// Old entries over the dead link lead nowhere; new ones are made anew, or changed as little as
/// can be.
TEST(UpdateOrder, AfterTheLossOfALink) {
  Counts counts;
  const int seeds = tries(300, 20'000);
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    const Fabric whole = small_fabric(seed);
    const auto tables = routed(whole, seed % 3 == 0 ? "updown" : "updown:tree=dfs");
    if (!tables) continue;
    Rng rng(seed);
    const Removal lost{{LinkId(rng.below(static_cast<std::uint32_t>(whole.link_count())))}, {}, {}};
    const Remainder rest = without(whole, lost);
    const Tables before = tables_without(*tables, whole, rest);
    const auto anew = routed(rest.fabric, "updown");
    if (!anew) continue;
    const Tables after =
        seed % 2 == 0 ? *anew : tables_without(repaired(whole, *tables, lost), whole, rest);
    SCOPED_TRACE(seed);
    expect_right({rest.fabric, before, after}, seed, counts);
    if (HasFatalFailure()) return;
  }
  print_campaign("after the loss of a link", seeds, counts);
  EXPECT_GE(counts.rounds, seeds / 100);
  EXPECT_GE(counts.waits, seeds / 100);
  EXPECT_GE(counts.drain, seeds / 100);
}

UpdateOrder order_of(const Change& change) {
  return std::get<UpdateOrder>(update_order(change.fabric, change.before, change.after));
}

/// Round the ring the old routes turn everywhere but at s3, the new ones everywhere but at s0.
TEST(UpdateOrder, NoneIsSafeOnARing) {
  const Fabric fabric = ring(6);
  const Tables before = *routed(fabric, "updown:root=s0"),
               after = *routed(fabric, "updown:root=s3");
  const Change change{fabric, before, after};
  const UpdateOrder order = order_of(change);
  EXPECT_EQ(order.safe, SafeUpdate::after_drain);
  EXPECT_TRUE(order.proved);
  EXPECT_EQ(order.cycle->waits.size(), 6U);
  EXPECT_EQ(order.drained.size(), 4U);
  EXPECT_EQ(order.rounds, 2U);
  // Whatever the order of all entries, the steps of all destinations together have a cycle.
  Steps common;
  for (const HostLid to : change.destinations())
    common.merge(steps_of_every_order(change, to, plain_settings(change, to)));
  EXPECT_TRUE(has_cycle(change, common));
}

/// Two hosts drain because they share a column with one that must.
TEST(UpdateOrder, SharedColumns) {
  const Fabric fabric = ring(6, 2);
  const Tables before = *routed(fabric, "updown:root=s0,columns=switch"),
               after = *routed(fabric, "updown:root=s3,columns=switch");
  const Change change{fabric, before, after};
  const UpdateOrder order = order_of(change);
  EXPECT_EQ(order.drained.size() % 2, 0U);
  Rng rng(1);
  expect_arrivals(change, order, rng);
  expect_certified(change, order, rng);
  expect_needed(change, order, rng);
}

/// The tables with a column to every switch and one to a second LID of every host, as others have
/// them.
Tables with_more(const Fabric& fabric, Tables tables, const Tables& to_switch, const Tables& lids) {
  const auto add = [&](const Tables& others, HostId h) {
    return std::get<DestinationTables>(tables.paths)
        .push_back(std::get<DestinationTables>(others.paths)[others.to_host[h]]);
  };
  tables.to_switch = IdVector<SwitchId, ColumnId>(fabric.switch_count());
  for (SwitchId s : fabric.switches())
    tables.to_switch[s] = add(to_switch, fabric.hosts_on(s).front());
  for (HostId h : fabric.hosts()) tables.further.push_back({h, 1, add(lids, h)});
  return tables;
}

/// Management packets have a lane of their own: their entries have rounds but no dependencies.
TEST(UpdateOrder, OfColumnsToSwitches) {
  const Fabric fabric = ring(6);
  const Tables a = *routed(fabric, "updown:root=s0"), b = *routed(fabric, "updown:root=s3");
  const Tables before = with_more(fabric, a, a, a), after = with_more(fabric, a, b, a);
  Tables without = before;
  without.to_switch = {};
  EXPECT_TRUE(order_of({fabric, before, without}).updates.empty()) << "nobody clears them";
  const UpdateOrder order = order_of({fabric, before, after});
  EXPECT_EQ(order.safe, SafeUpdate::in_any_order);
  EXPECT_EQ(order.updates.size(), 8U);
  EXPECT_EQ(order.rounds, 2U);
  const auto& next = std::get<DestinationTables>(after.paths);
  for (const EntryUpdate& update : order.updates) {
    EXPECT_FALSE(update.to.host.valid());
    const auto column = next[after.to_switch[update.to_switch]];
    EXPECT_EQ(update.after, column[update.on.index()]);
    const SwitchId then = fabric.to(fabric.channel_at(update.on, update.after));
    for (const EntryUpdate& other : order.updates) {
      if (other.to_switch == update.to_switch && other.on == then) {
        EXPECT_LT(other.round, update.round);
      }
    }
  }
}

/// The first LIDs have no routes: they would close the cycle with the others in the new tables.
TEST(UpdateOrder, OfFurtherLids) {
  const Fabric fabric = ring(6);
  const Tables a = *routed(fabric, "updown:root=s0"), b = *routed(fabric, "updown:root=s3");
  Tables before = with_more(fabric, a, a, a), after = with_more(fabric, a, a, b);
  for (Tables* tables : {&before, &after})
    tables->to_host = IdVector<HostId, ColumnId>(fabric.host_count());
  const Change change{fabric, before, after};
  const UpdateOrder order = order_of(change);
  EXPECT_EQ(order.safe, SafeUpdate::after_drain);
  for (const HostLid& lid : order.drained) EXPECT_EQ(lid.lid, 1U);
  const auto lines = order.cycle->describe(fabric);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(" by LID + 1 by ") != std::string::npos;
  }));
  Rng rng(1);
  expect_arrivals(change, order, rng);
  expect_certified(change, order, rng);
  expect_needed(change, order, rng);
}

/// A tree over s0, where the routes do not turn: together they go round the ring.
TEST(UpdateOrder, OldGroupsDrain) {
  const Fabric fabric = ring(6);
  const Tables after = *routed(fabric, "updown:root=s3");
  Tables before = after;
  const auto port = [&](int on, int to) {
    for (ChannelId c : fabric.out(SwitchId(static_cast<std::size_t>(on))))
      if (fabric.to(c).index() == static_cast<std::size_t>(to)) return fabric.out_port(c);
    return no_port;
  };
  before.groups.push_back({"g",
                           {HostId(5), HostId(1)},
                           {},
                           0,
                           {{SwitchId(5), {port(5, 0), fabric[HostId(5)].port}},
                            {SwitchId(0), {port(0, 5), port(0, 1)}},
                            {SwitchId(1), {port(1, 0), fabric[HostId(1)].port}}}});
  const UpdateOrder order = order_of({fabric, before, after});
  EXPECT_EQ(order.safe, SafeUpdate::after_drain);
  EXPECT_TRUE(order.groups_drain);
  EXPECT_TRUE(order.drained.empty());
  EXPECT_TRUE(order.updates.empty());
  EXPECT_TRUE(order.proved);
  EXPECT_TRUE(std::holds_alternative<DependencyCycle>(update_order(fabric, after, before)));
}

/// Routes are in hosts: those to hosts for which something changes drain.
TEST(UpdateOrder, OfSourceRoutes) {
  const Fabric fabric = ring(6);
  const UpdateOrder order = order_of({fabric, *routed(fabric, "updown:root=s0,form=source"),
                                      *routed(fabric, "updown:root=s3,form=source")});
  EXPECT_EQ(order.safe, SafeUpdate::after_drain);
  EXPECT_EQ(order.drained.size(), 4U);
  EXPECT_TRUE(order.updates.empty());
}

TEST(UpdateOrder, WithoutServiceLevels) {
  const Fabric fabric = ring(6);
  Tables before = *routed(fabric, "updown:root=s0");
  before.lanes = OneLane{true};
  const auto verdict = update_order(fabric, before, *routed(fabric, "updown:root=s3"));
  EXPECT_EQ(std::get<Refused>(verdict).why,
            "the service levels are not known; if all packets travel on one lane, it can deadlock");
  // Rounds that are safe on one lane are safe on many.
  const Fabric whole = make_fabric("ring:switches=5");
  const Remainder rest = without(whole, "link=s2:1");
  Tables old = tables_without(*routed(whole, "updown"), whole, rest);
  old.lanes = OneLane{true};
  const UpdateOrder order = order_of({rest.fabric, old, *routed(rest.fabric, "updown")});
  EXPECT_EQ(order.safe, SafeUpdate::in_rounds);
  EXPECT_FALSE(order.cycle);
}

/// A port to the host and `here` are the same.
TEST(UpdateOrder, OfTheSameRoutes) {
  const Fabric fabric = ring(4, 2);
  const Tables before = *routed(fabric, "updown");
  Tables after = before;
  auto& next = std::get<DestinationTables>(after.paths);
  for (HostId h : fabric.hosts()) next[after.to_host[h]][fabric[h].on.index()] = fabric[h].port;
  const UpdateOrder order = order_of({fabric, before, after});
  EXPECT_EQ(order.safe, SafeUpdate::in_any_order);
  EXPECT_TRUE(order.updates.empty());
}

TEST(UpdateOrder, OfCircuitsIsNotJudged) {
  const Fabric fabric = ring(4);
  Tables before = *routed(fabric, "updown");
  Tables after = before;
  after.groups.push_back({"g", {HostId(0)}, {}, 0, {}, SwitchId(0), {}, {}});
  EXPECT_EQ(std::get<Refused>(update_order(fabric, before, after)).why,
            "groups with a root are circuits, and what these wait for depends on all routes");
}

}  // namespace
}  // namespace weft::test::updates
