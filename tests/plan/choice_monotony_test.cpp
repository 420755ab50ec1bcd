// SPDX-License-Identifier: Apache-2.0
// What more choices do to verdicts, on the tables of every engine that leaves some and on random
// ones: more candidates and lanes never harm packets that wait for any of them and hold one buffer;
// fewer may.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "plan/check/choice/elimination.hpp"
#include "plan/check/choice/table_states.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/worked_choices.hpp"

namespace weft::choice_monotony {
namespace {

using test::WorkedChoices;

bool is_certified(const Fabric& fabric, const Tables& tables, WaitKind waiting) {
  const DeadlockVerdict found = deadlock(fabric, tables, waiting);
  const auto* certificate = std::get_if<Certificate>(&found);
  if (certificate == nullptr) return false;
  EXPECT_EQ(verify(fabric, tables, *certificate).value_or(""), "");
  return true;
}

/// Every adaptive engine on small topologies of all families.
std::vector<WorkedChoices> tables_of_engines() {
  std::vector<WorkedChoices> out;
  for (const char* topology :
       {"mesh:dims=3x3", "torus:dims=3x3", "torus:dims=4", "hyperx:dims=3x3",
        "dragonfly:a=2,p=1,h=1", "dragonfly_plus:leaves=2,spines=2,hosts=1,groups=2",
        "tree:k=2,n=2", "random_regular:switches=6,degree=3"})
    for (const char* engine : {"min", "valiant", "romm", "xy_yx", "ugal", "ugal_g", "par",
                               "min_adaptive", "min_adaptive:escape=nue", "updown_adaptive"}) {
      const Fabric fabric = make_fabric(topology);
      Routed routed = route(fabric, engine);
      if (auto* tables = std::get_if<Tables>(&routed);
          tables != nullptr && std::holds_alternative<ChoiceTables>(tables->paths))
        out.push_back({fabric, std::move(*tables)});
    }
  return out;
}

std::vector<WorkedChoices> random_tables(int count) {
  Rng rng(17);
  std::vector<WorkedChoices> out;
  for (int i = 0; i < count; ++i) {
    const Fabric fabric = test::ring(3 + static_cast<int>(rng.below(2)));
    out.push_back({fabric, test::random_choices(fabric, rng)});
  }
  return out;
}

/// The tables with every set changed.
template <class Change>
Tables with_sets(const Tables& tables, Change change) {
  Tables out = tables;
  auto& choices = std::get<ChoiceTables>(out.paths);
  const ChoiceTables before = choices;
  for (const ColumnId column : before.ids())
    for (std::size_t s = 0; s < before.width(); ++s) {
      const ChoiceTables::Entry entry = before.next[column][s];
      if (entry >= ChoiceTables::no_route) continue;
      const auto set = before.candidates(entry);
      std::vector<Candidate> all(set.begin(), set.end());
      change(all, SwitchId(s));
      choices.next[column][s] = choices.add(all);
    }
  return out;
}

/// What is certified, from the switches that need most to those that need least.
std::vector<bool> certified_by_kind(const Fabric& fabric, const Tables& tables) {
  std::vector<bool> out;
  for (const WaitKind waiting :
       {WaitKind::commit, WaitKind::wormhole_queues, WaitKind::wormhole, WaitKind::cut_through})
    out.push_back(is_certified(fabric, tables, waiting));
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end())) << tables.engine << " on " << fabric.name();
  EXPECT_EQ(out[0], out[1]) << "both need every choice";
  return out;
}

TEST(ChoiceMonotony, KindsOfSwitchesAreOrdered) {
  std::set<std::vector<bool>> kinds;
  for (const WorkedChoices& each : tables_of_engines()) {
    const std::vector<bool> certified = certified_by_kind(each.fabric, each.tables);
    EXPECT_TRUE(certified[2] && certified[3]) << each.tables.engine << " on " << each.fabric.name();
    kinds.insert(certified);
  }
  EXPECT_EQ(kinds.size(), 2U);
  for (const WorkedChoices& each : random_tables(test::tries(200, 20'000)))
    kinds.insert(certified_by_kind(each.fabric, each.tables));
  EXPECT_GE(kinds.size(), 3U) << "some are refuted";
}

TEST(ChoiceMonotony, KindsOfSwitchesAreAlikeWhereNothingIsChosen) {
  int tables_seen = 0;
  for (const char* topology :
       {"torus:dims=3x3", "tree:k=2,n=2", "random_regular:switches=6,degree=3"})
    for (const RoutingEngineRow& engine : engines()) {
      const Fabric fabric = make_fabric(topology);
      const Routed routed = [&] {
        try {
          return route(fabric, std::string(engine.name));
        } catch (const Error& error) {
          return Routed(Refused{error.what()});
        }
      }();
      const auto* tables = std::get_if<Tables>(&routed);
      if (tables == nullptr) continue;
      const std::vector<bool> certified = certified_by_kind(fabric, *tables);
      ++tables_seen;
      if (!leave_choices(*tables)) {
        EXPECT_EQ(certified, std::vector<bool>(4, certified[0])) << engine.name;
      }
    }
  EXPECT_GT(tables_seen, 20);
}

TEST(ChoiceMonotony, AFreeLaneKeepsTheCertificate) {
  auto all = tables_of_engines();
  for (auto& each : random_tables(test::tries(100, 2'000))) all.push_back(std::move(each));
  int kept = 0;
  for (const WorkedChoices& each : all) {
    const Fabric& fabric = each.fabric;
    const Tables& tables = each.tables;
    if (!is_certified(fabric, tables, WaitKind::cut_through)) continue;
    const auto lane = static_cast<Lane>(tables.lane_count);
    Tables more = with_sets(tables, [&](std::vector<Candidate>& set, SwitchId) {
      for (std::size_t i = set.size(); i-- > 0;)
        set.push_back({set[i].port, lane, set[i].phase, set[i].preference});
    });
    ++more.lane_count;
    EXPECT_TRUE(is_certified(fabric, more, WaitKind::cut_through))
        << tables.engine << " on " << fabric.name();
    ++kept;
  }
  EXPECT_GT(kept, 60);
}

TEST(ChoiceMonotony, ACandidateMoreNeverHarmsUnlessItLeadsToNewPositions) {
  auto all = tables_of_engines();
  for (auto& each : random_tables(test::tries(300, 20'000))) all.push_back(std::move(each));
  Rng rng(5);
  int kept = 0, harmed = 0;
  for (const WorkedChoices& each : all) {
    const Fabric& fabric = each.fabric;
    const Tables& tables = each.tables;
    if (!is_certified(fabric, tables, WaitKind::cut_through)) continue;
    const std::size_t positions = TableStates(fabric, tables).states().size();
    const auto phases = std::get<ChoiceTables>(tables.paths).phases.size();
    const Tables more = with_sets(tables, [&](std::vector<Candidate>& set, SwitchId at) {
      if (rng.below(4) != 0) return;
      const auto links = fabric.out(at);
      const auto lanes = static_cast<std::uint64_t>(tables.lane_count);
      const PhaseId phase =
          rng.below(2) == 0 ? set[0].phase : static_cast<PhaseId>(rng.below(phases));
      set.push_back({fabric.out_port(links[rng.below(links.size())]),
                     static_cast<Lane>(rng.below(lanes)), phase, 0});
    });
    try {
      require_fit(fabric, more);
    } catch (const Error&) {  // a second detour
      continue;
    }
    const bool still = is_certified(fabric, more, WaitKind::cut_through);
    if (TableStates(fabric, more).states().size() == positions) {
      EXPECT_TRUE(still) << tables.engine << " on " << fabric.name();
      ++kept;
    } else {
      harmed += still ? 0 : 1;
    }
  }
  EXPECT_GT(kept, test::tries(20));
  EXPECT_GT(harmed, 0) << "new positions may";
}

/// The same on states, where no position is new.
TEST(ChoiceMonotony, AnotherCandidateOfAStateNeverHarms) {
  Rng rng(6);
  for (const WorkedChoices& each : tables_of_engines()) {
    const Fabric& fabric = each.fabric;
    const Tables& tables = each.tables;
    const TableStates all(fabric, tables);
    const WaitingStates& states = all.states();
    WaitingStates more(states.lane_count());
    for (WaitingStates::StateId s = 0; s < states.size(); ++s) more.add(states.lane(s));
    for (WaitingStates::StateId s = 0; s < states.size(); ++s) {
      const auto next = states.candidates(s);
      std::vector<WaitingStates::StateId> list(next.begin(), next.end());
      const auto other = static_cast<WaitingStates::StateId>(rng.below(states.size()));
      if (!list.empty() && states.lane(other).valid()) list.push_back(other);
      more.set_candidates(s, list);
    }
    EXPECT_TRUE(eliminate(more).is_free()) << tables.engine << " on " << fabric.name();
  }
}

TEST(ChoiceMonotony, WithoutTheLanesToEscapeToVerdictsTurn) {
  int turned = 0;
  for (const WorkedChoices& each : tables_of_engines()) {
    const Fabric& fabric = each.fabric;
    const Tables& tables = each.tables;
    if (tables.engine.find("min_adaptive") != 0 || is_certified(fabric, tables, WaitKind::commit))
      continue;  // nobody needs to escape
    // The last lane is the adaptive one.
    const auto adaptive = static_cast<Lane>(tables.lane_count - 1);
    const Tables fewer = with_sets(tables, [&](std::vector<Candidate>& set, SwitchId) {
      if (std::any_of(set.begin(), set.end(),
                      [&](const Candidate& c) { return c.lane == adaptive; }))
        std::erase_if(set, [&](const Candidate& c) { return c.lane != adaptive; });
    });
    EXPECT_FALSE(is_certified(fabric, fewer, WaitKind::cut_through))
        << tables.engine << " on " << fabric.name();
    ++turned;
  }
  EXPECT_GE(turned, 5);
}

}  // namespace
}  // namespace weft::choice_monotony
