// SPDX-License-Identifier: Apache-2.0
// Sticky tables, held against the checks of everything, closed forms, and all tables there are.
#include "plan/repair/sticky.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.hpp"
#include "fabric/without.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

Tables tables_by(const Fabric& fabric, const std::string& engine) {
  return std::get<Tables>(route(fabric, engine));
}

/// Up to three links or switches.
Removal random_losses(const Fabric& fabric, Rng& rng) {
  Removal out;
  for (std::uint64_t i = 0; i <= rng.below(3); ++i)
    if (fabric.link_count() > 0 && rng.below(5) > 0)
      out.links.insert(LinkId(rng.below(fabric.link_count())));
    else
      out.switches.insert(SwitchId(rng.below(fabric.switch_count())));
  return out;
}

/// Whether all routes to the n-th LIDs of hosts arrive.
bool reaches_all(const Fabric& fabric, const Tables& tables) {
  bool complete = survey(fabric, tables).complete();
  for (const FurtherColumn& further : tables.further) {
    Tables by_lid = tables;
    by_lid.to_host[further.host] = further.column;
    complete = complete && survey(fabric, by_lid).complete();
  }
  return complete;
}

bool is_certified(const Fabric& fabric, const Tables& tables) {
  return std::holds_alternative<Certificate>(deadlock(fabric, tables));
}

/// By column: how many LIDs it leads to, those of switches only where there are no others.
std::map<ColumnId, std::uint64_t> lids_by_column(const Tables& tables) {
  std::map<ColumnId, std::uint64_t> out;
  for (ColumnId c : tables.to_host)
    if (c.valid()) ++out[c];
  for (const FurtherColumn& further : tables.further) ++out[further.column];
  for (ColumnId c : tables.to_switch) out.try_emplace(c, 1);
  return out;
}

std::uint64_t changed_entries(const Tables& before, const Tables& after) {
  const auto& was = std::get<DestinationTables>(before.paths);
  const auto& is = std::get<DestinationTables>(after.paths);
  std::uint64_t out = 0;
  for (const auto& [c, lids] : lids_by_column(after))
    for (std::size_t s = 0; s < is.width(); ++s)
      out += is[c][s] != (c.index() < was.size() ? was[c][s] : no_port) ? lids : 0;
  return out;
}

std::uint64_t pairs_with_other_levels(const Fabric& fabric, const Tables& before,
                                      const Tables& after) {
  const auto* was = std::get_if<ServiceLanes>(&before.lanes);
  const auto* is = std::get_if<ServiceLanes>(&after.lanes);
  std::uint64_t out = 0;
  for (HostId to : fabric.hosts())
    for (HostId from : fabric.hosts()) {
      const ColumnId column = before.to_host[to];
      if (was != nullptr && column.valid())
        out += was->of(fabric, column, from) != is->of(fabric, column, from) ? 1 : 0;
    }
  return out;
}

/// What must hold for every result.
void expect_sound(const Fabric& fabric, const Tables& before, const StickyTables& sticky) {
  SCOPED_TRACE(before.engine + " on " + fabric.name());
  require_fit(fabric, sticky.tables);
  EXPECT_TRUE(reaches_all(fabric, sticky.tables));
  EXPECT_TRUE(is_certified(fabric, sticky.tables));
  EXPECT_EQ(sticky.tables.engine, before.engine);
  EXPECT_EQ(sticky.tables.lane_count, before.lane_count);
  EXPECT_EQ(sticky.changed, changed_entries(before, sticky.tables));
  EXPECT_EQ(sticky.changed_levels, pairs_with_other_levels(fabric, before, sticky.tables));
  EXPECT_GE(sticky.changed, sticky.fewest);
  if (is_certified(fabric, before) && reaches_all(fabric, before)) {
    EXPECT_TRUE(sticky.tables == before) << "nothing had to change";
  }
}

struct StickyTally {
  int kept = 0, refused = 0;
  std::uint64_t changed = 0, fewest = 0, levels = 0;

  void add(const std::variant<StickyTables, Refused>& made) {
    const auto* sticky = std::get_if<StickyTables>(&made);
    ++(sticky != nullptr ? kept : refused);
    if (sticky == nullptr) return;
    changed += sticky->changed;
    fewest += sticky->fewest;
    levels += sticky->changed_levels;
  }
};

Fabric any_fabric(std::uint64_t seed) {
  if (seed % 4 == 1) return random_box(seed);
  if (seed % 4 == 2) return damaged_tree(seed);
  return random_fabric(seed, 24);
}

class StickyAfterLosses : public ::testing::TestWithParam<std::string> {};

TEST_P(StickyAfterLosses, AreSound) {
  const int count = tries(80, 2000);
  StickyTally tally;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    const Fabric fabric = any_fabric(static_cast<std::uint64_t>(seed));
    const Routed made = route(fabric, GetParam());
    const auto* tables = std::get_if<Tables>(&made);
    if (tables == nullptr || !is_certified(fabric, *tables)) continue;
    Rng rng(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 3; ++i) {
      const Remainder rest = without(fabric, random_losses(fabric, rng));
      const Tables before = tables_without(*tables, fabric, rest);
      const auto sticky = sticky_tables(rest.fabric, before);
      tally.add(sticky);
      if (const auto* kept = std::get_if<StickyTables>(&sticky))
        expect_sound(rest.fabric, before, *kept);
    }
  }
  EXPECT_GT(tally.kept, count / 4) << "hardly anything was tried";
  EXPECT_LE(4 * tally.refused, tally.kept) << "often refused";
  EXPECT_LE(static_cast<double>(tally.changed), 1.25 * static_cast<double>(tally.fewest));
}

INSTANTIATE_TEST_SUITE_P(Engines, StickyAfterLosses,
                         ::testing::Values("updown", "dmodk", "nue", "prefix", "updown:lanes=2",
                                           "updown:columns=switch,select=low_port", "dfsssp",
                                           "lash", "nue:lanes=2", "dor", "dor:lanes=service", "dl",
                                           "sbp"),
                         [](const auto& info) { return "engine_" + std::to_string(info.index); });

/// A link that comes back changes nothing: the tables that do without it work.
TEST(Sticky, LinksThatComeBack) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=2");
  const Tables tables = tables_by(fabric, "dfsssp");
  const Remainder rest = without(fabric, "link=s0:1,link=s5:2");
  const auto broken =
      std::get<StickyTables>(sticky_tables(rest.fabric, tables_without(tables, fabric, rest)));
  EXPECT_GT(broken.changed, 0U);
  const auto whole = std::get<StickyTables>(sticky_tables(fabric, broken.tables));
  EXPECT_EQ(whole.changed, 0U);
  EXPECT_TRUE(whole.tables == broken.tables);
}

/// On trees with spare links up, a lost link costs the entries that led over it, and no others.
TEST(Sticky, TreesChangeNoMoreThanTheyMust) {
  for (const char* spec : {"clos3:radix=8", "clos2:leaves=6,spines=4,hosts=4", "tree:k=4,n=2"}) {
    const Fabric fabric = make_fabric(spec);
    const Tables tables = tables_by(fabric, "dmodk");
    for (LinkId l : fabric.links()) {
      const Remainder rest = without(fabric, Removal{.links = {l}});
      const Tables before = tables_without(tables, fabric, rest);
      const auto sticky = std::get<StickyTables>(sticky_tables(rest.fabric, before));
      expect_sound(rest.fabric, before, sticky);
      EXPECT_EQ(sticky.changed, sticky.fewest) << spec;
    }
  }
}

/// A ring without a link is a chain: the switches between the link and the middle turn round.
TEST(Sticky, RingsTurnRound) {
  const Fabric fabric = make_fabric("ring:switches=9");
  const Tables tables = tables_by(fabric, "dfsssp");
  const Remainder rest = without(fabric, Removal{.links = {LinkId(0)}});
  const Tables before = tables_without(tables, fabric, rest);
  const auto sticky = std::get<StickyTables>(sticky_tables(rest.fabric, before));
  expect_sound(rest.fabric, before, sticky);
  EXPECT_EQ(sticky.changed, sticky.fewest);
  EXPECT_EQ(sticky.changed, 2U * (1 + 2 + 3 + 4)) << "a chain has one route for each pair";
}

/// Entries that are missing, lead elsewhere or in loops, and hosts without a column.
TEST(Sticky, TablesWithHoles) {
  const int count = tries(100, 3000);
  StickyTally tally;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    const Fabric fabric = any_fabric(static_cast<std::uint64_t>(seed));
    Tables tables = tables_by(fabric, seed % 3 == 0 ? "updown:lanes=2" : "updown");
    auto& next = std::get<DestinationTables>(tables.paths);
    Rng rng(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 5; ++i) {
      const SwitchId s(rng.below(fabric.switch_count()));
      next[ColumnId(rng.below(next.size()))][s.index()] =
          rng.below(2) == 0 ? no_port : static_cast<PortNumber>(1 + rng.below(fabric[s].ports));
    }
    for (int i = 0; i < 2; ++i)
      tables.to_host[HostId(rng.below(fabric.host_count()))] =
          rng.below(2) == 0 ? ColumnId::none() : ColumnId(rng.below(next.size()));
    const auto sticky = sticky_tables(fabric, tables);
    tally.add(sticky);
    if (const auto* kept = std::get_if<StickyTables>(&sticky)) expect_sound(fabric, tables, *kept);
  }
  EXPECT_GE(tally.kept, count * 3 / 4) << "hardly anything was tried";
}

/// Everything is missing: a table for each host is made, without a cycle.
TEST(Sticky, NothingToKeep) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  Tables tables = tables_by(fabric, "updown");
  tables.to_host.assign(fabric.host_count(), ColumnId::none());
  const auto sticky = sticky_tables(fabric, tables);
  if (const auto* made = std::get_if<StickyTables>(&sticky)) {
    EXPECT_TRUE(reaches_all(fabric, made->tables));
    EXPECT_TRUE(is_certified(fabric, made->tables));
    EXPECT_EQ(made->fewest, 16U * 16);
  }
}

/// A new host takes the column of another on its switch.
TEST(Sticky, NewHosts) {
  const Fabric fabric = make_fabric("mesh:dims=3x3,hosts=2");
  Tables tables = tables_by(fabric, "xy");
  tables.to_host[HostId(5)] = ColumnId::none();
  const auto sticky = std::get<StickyTables>(sticky_tables(fabric, tables));
  expect_sound(fabric, tables, sticky);
  EXPECT_EQ(sticky.tables.to_host[HostId(5)], tables.to_host[HostId(4)]);
  EXPECT_EQ(sticky.changed, 0U);
}

/// Columns to further LIDs and to switches are repaired, too.
TEST(Sticky, FurtherLidsAndSwitches) {
  const Fabric fabric = make_fabric("clos2:leaves=4,spines=3,hosts=2");
  Tables tables = tables_by(fabric, "updown");
  auto& next = std::get<DestinationTables>(tables.paths);
  for (HostId h : fabric.hosts()) {
    const auto own = next[tables.to_host[h]];
    const std::vector<PortNumber> column(own.begin(), own.end());
    tables.further.push_back({h, 1, next.push_back(column)});
  }
  tables.to_switch.assign(fabric.switch_count(), {});
  for (SwitchId s : fabric.switches()) {
    std::vector<PortNumber> column(fabric.switch_count(), no_port);
    column[s.index()] = here;
    std::vector<SwitchId> queue{s};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (ChannelId c : fabric.out(queue[i]))
        if (PortNumber& port = column[fabric.to(c).index()]; port == no_port) {
          port = fabric.out_port(reverse(c));
          queue.push_back(fabric.to(c));
        }
    tables.to_switch[s] = next.push_back(column);
  }
  for (LinkId l : fabric.links()) {
    const Remainder rest = without(fabric, Removal{.links = {l}});
    const Tables before = tables_without(tables, fabric, rest);
    const auto sticky = std::get<StickyTables>(sticky_tables(rest.fabric, before));
    expect_sound(rest.fabric, before, sticky);
    const auto& entries = std::get<DestinationTables>(sticky.tables.paths);
    for (ColumnId c : entries.ids())
      for (SwitchId s : rest.fabric.switches()) {
        SwitchId at = s;
        std::size_t hops = 0;
        for (ChannelId by; (by = rest.fabric.channel_at(at, entries[c][at.index()])).valid();)
          if (at = rest.fabric.to(by); ++hops > 10) break;
        EXPECT_LE(hops, 10U) << "a loop";
        const PortNumber end = entries[c][at.index()];
        EXPECT_TRUE(end == here || rest.fabric.at_port(at, end).host.valid());
      }
  }
}

/// All tables that differ in some entries: the fewest with which they work.
class ExhaustiveChanges {
 public:
  ExhaustiveChanges(const Fabric& fabric, Tables tables)
      : fabric_(fabric), tables_(std::move(tables)), lids_(lids_by_column(tables_)) {}

  bool possible_with(std::size_t changes, std::size_t first = 0) {
    if (changes == 0) return reaches_all(fabric_, tables_) && is_certified(fabric_, tables_);
    auto& next = std::get<DestinationTables>(tables_.paths);
    for (std::size_t i = first; i < next.size() * next.width(); ++i) {
      const SwitchId s(i % next.width());
      const ColumnId column(i / next.width());
      PortNumber& port = next[column][s.index()];
      const PortNumber was = port;
      if (was == here || lids_[column] > changes) continue;
      for (ChannelId c : fabric_.out(s)) {
        if (fabric_.out_port(c) == was) continue;
        port = fabric_.out_port(c);
        if (possible_with(changes - lids_[column], i + 1)) return true;
      }
      port = was;
    }
    return false;
  }

 private:
  const Fabric& fabric_;
  Tables tables_;
  std::map<ColumnId, std::uint64_t> lids_;
};

/// The bound is true, and the changes are nearly as few as any tables can do with.
TEST(Sticky, NearTheFewestOfAllTables) {
  const int count = tries(40, 400);
  std::uint64_t changed = 0, fewest = 0;
  int proven = 0;
  for (int seed = 1; proven < count && seed < 20 * count && !HasFailure(); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 5);
    if (fabric.switch_count() < 4 || fabric.link_count() < 4) continue;
    const Tables tables = tables_by(fabric, "updown:columns=switch");
    const Remainder rest =
        without(fabric, Removal{.links = {LinkId(rng.below(fabric.link_count()))}});
    const Tables before = tables_without(tables, fabric, rest);
    const auto made = sticky_tables(rest.fabric, before);
    const auto* sticky = std::get_if<StickyTables>(&made);
    if (sticky == nullptr || sticky->changed > 3 || sticky->changed == 0) continue;
    expect_sound(rest.fabric, before, *sticky);
    std::uint64_t least = 0;
    while (least < sticky->changed && !ExhaustiveChanges(rest.fabric, before).possible_with(least))
      ++least;
    EXPECT_GE(least, sticky->fewest) << fabric.name() << ": the bound is too high";
    changed += sticky->changed;
    fewest += least;
    ++proven;
  }
  EXPECT_EQ(proven, count) << "hardly anything was tried";
  EXPECT_LE(static_cast<double>(changed), 1.05 * static_cast<double>(fewest) + 2);
}

/// Packets of multicast groups block, too: their dependencies are among those that no repaired
/// route may close a cycle with.
TEST(Sticky, KeepsGroups) {
  const int count = tries(40, 1000);
  StickyTally tally;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 16);
    if (fabric.host_count() < 3 || fabric.link_count() < 4) continue;
    Tables tables = tables_by(fabric, "updown");
    Rng rng(static_cast<std::uint64_t>(seed));
    // A tree of a column, in both directions.
    const HostId last(rng.below(fabric.host_count()));
    const auto next = std::get<DestinationTables>(tables.paths)[tables.to_host[last]];
    std::map<SwitchId, std::set<PortNumber>> ports;
    for (SwitchId s : fabric.switches())
      if (const ChannelId c = fabric.channel_at(s, next[s.index()]); c.valid()) {
        ports[s].insert(fabric.out_port(c));
        ports[fabric.to(c)].insert(fabric.in_port(c));
      }
    Group group{"all", {}};
    for (HostId h : fabric.hosts()) {
      group.members.push_back(h);
      ports[fabric[h].on].insert(fabric[h].port);
    }
    for (const auto& [s, list] : ports)
      group.out.push_back({s, std::vector<PortNumber>(list.begin(), list.end())});
    tables.groups.push_back(group);
    const Remainder rest = without(fabric, random_losses(fabric, rng));
    const Tables before = tables_without(tables, fabric, rest);
    const auto sticky = sticky_tables(rest.fabric, before);
    tally.add(sticky);
    if (const auto* kept = std::get_if<StickyTables>(&sticky)) {
      expect_sound(rest.fabric, before, *kept);
      EXPECT_EQ(kept->tables.groups, before.groups);
    }
  }
  EXPECT_GE(tally.kept, count / 4) << "hardly anything was tried";
}

TEST(Sticky, Refusals) {
  const Fabric ring = make_fabric("ring:switches=6");
  const auto why = [&](const Tables& tables) {
    const auto made = sticky_tables(ring, tables);
    return std::holds_alternative<Refused>(made) ? std::get<Refused>(made).why : "";
  };
  EXPECT_EQ(why(tables_by(ring, "minhop")), "what is left of the old tables can deadlock");
  EXPECT_EQ(why(tables_by(ring, "updown:form=source")),
            "source routes have no entries that could be kept");
}

}  // namespace
}  // namespace weft::test
