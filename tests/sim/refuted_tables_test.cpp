// SPDX-License-Identifier: Apache-2.0
// Verdicts on choice tables against the flit simulator: what the checks refute is driven into a
// deadlock, of lanes that they name; what they certify never deadlocks, however full it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/choices.hpp"
#include "support/directed_schedules.hpp"
#include "support/worked_choices.hpp"

namespace weft::sim::refuted_tables {
namespace {

using test::DirectedWorld;
using test::Recorder;
using test::Script;
using test::WorkedChoices;

/// The explanation of the deadlock in which a run ends; "" if it does not.
std::string deadlock_of(const Fabric& fabric, const Tables& tables, const std::string& switches,
                        const Script& script, std::uint64_t seed = 1) {
  std::uint32_t longest = 1;
  for (const test::Sending& sending : script) longest = std::max(longest, sending.packet.flits);
  Network network(fabric, tables, model_from(switches), {.seed = seed, .longest_packet = longest});
  Recorder recorder(network, script);
  const NetworkEnd end = network.run(recorder, 1'000'000);
  EXPECT_NE(end, NetworkEnd::in_time) << fabric.name();
  return end == NetworkEnd::deadlocked ? network.explanation() : "";
}

/// Lanes that can be full for good are known to be all those that an elimination leaves.
void expect_known_lanes(const DirectedWorld& world, WaitKind waiting, const std::string& found) {
  if (waiting != WaitKind::cut_through) return;
  for (const auto& lane : test::lanes_of(world.fabric, found))
    EXPECT_TRUE(world.lanes.contains(lane)) << found;
}

bool ends_in_deadlock(const DirectedWorld& world, WaitKind waiting) {
  const std::string found = deadlock_of(world.fabric, world.tables, world.switches, world.script);
  expect_known_lanes(world, waiting, found);
  return !found.empty();
}

constexpr WaitKind all_kinds[] = {WaitKind::commit, WaitKind::cut_through, WaitKind::wormhole};

/// Escape lanes are of no use to packets that are given lanes behind others.
TEST(RefutedTables, LanesThatAreNotEmptyKeepPacketsFromTheirEscape) {
  const Fabric fabric = make_fabric("torus:dims=8x8");
  const Tables tables = std::get<Tables>(route(fabric, "min_adaptive"));
  const auto is_certified = [&](WaitKind waiting) {
    return std::holds_alternative<Certificate>(deadlock(fabric, tables, waiting));
  };
  EXPECT_FALSE(is_certified(WaitKind::wormhole_queues));
  EXPECT_TRUE(is_certified(WaitKind::wormhole));
  Rng rng(1);
  Script script;
  for (const HostId from : fabric.hosts())
    for (Cycle at = 0; at < 4000; ++at)
      script.push_back({at, {.from = from, .to = HostId(rng.below(64)), .flits = 1}});
  EXPECT_NE(deadlock_of(fabric, tables, "iq:reuse=sent", script), "");
  EXPECT_EQ(deadlock_of(fabric, tables, "iq:reuse=empty", script), "");
}

TEST(RefutedTables, WorkedExamplesAreDrivenIntoTheirDeadlocks) {
  // By kind of switch, as above: whether it deadlocks.
  const std::vector<std::pair<WorkedChoices, std::string>> examples{
      {test::one_way_ring(), "yyy"},           {test::minimal_mesh(2), "yyy"},
      {test::mesh_with_escape(2), "ynn"},      {test::mesh_with_escape(3), "ynn"},
      {test::ring_with_escape_port(4), "yyy"}, {test::ring_with_escape_port(5), "yyy"},
      {test::ring_with_escape_port(6), "yyy"}, {test::minimal_torus(3), "yyy"},
      {test::minimal_torus(4), "yyy"},         {test::minimal_torus(5), "yyy"},
      {test::ring_with_any_neighbour(), "yny"}};
  for (const auto& [example, expected] : examples) {
    std::string seen;
    for (const WaitKind waiting : all_kinds) {
      const auto world = test::directed_deadlock(example.fabric, example.tables, waiting);
      seen += world && ends_in_deadlock(*world, waiting) ? 'y' : 'n';
    }
    EXPECT_EQ(seen, expected) << example.fabric.name();
  }
}

/// All hosts send to any others, and as much as their links take.
std::string deadlock_of_a_crowd(const Fabric& fabric, const Tables& tables, WaitKind waiting,
                                std::uint64_t seed) {
  const bool worms = waiting == WaitKind::wormhole;
  Rng rng(seed);
  Script script;
  for (int i = 0; i < 60; ++i)
    for (const HostId from : fabric.hosts())
      script.push_back({rng.below(40),
                        {.from = from,
                         .to = HostId(rng.below(fabric.host_count())),
                         .flits = worms ? 12U : 4U}});
  const std::string switches =
      fmt::format("iq:lanes={},policy=random,choice={},{}", tables.lane_count,
                  waiting == WaitKind::commit ? "commit" : "any",
                  worms ? "buffer=1,reuse=empty" : "buffer=4,switching=cut_through");
  return deadlock_of(fabric, tables, switches, script, seed);
}

/// W10. (Queues decide on detours: packets cannot be directed.)
TEST(RefutedTables, UgalOnThreeLanesDeadlocks) {
  WorkedChoices example = test::three_lane_ugal();
  std::get<ChoiceTables>(example.tables.paths).decision.threshold = -1000;  // detours only
  for (const WaitKind waiting : all_kinds)
    EXPECT_NE(deadlock_of_a_crowd(example.fabric, example.tables, waiting, 1), "");
}

/// A packet is never handed to another's host: it waits for what is left of its choices.
TEST(RefutedTables, PortsOfOtherHostsAreNoEscape) {
  auto [ring, tables] = test::one_way_ring();
  auto& choices = std::get<ChoiceTables>(tables.paths);
  for (const HostId host : ring.hosts()) {
    const ChoiceTables::Entry end = choices.next[tables.to_host[host]][ring[host].on.index()];
    EXPECT_EQ(end, ChoiceTables::at_end);
    for (const SwitchId s : ring.switches())
      if (ChoiceTables::Entry& entry = choices.next[tables.to_host[host]][s.index()]; entry != end)
        entry = choices.add({choices.candidates(entry)[0], {ring[ring.hosts_on(s)[0]].port, 0}});
  }
  for (const WaitKind waiting : all_kinds) {
    EXPECT_FALSE(std::holds_alternative<Certificate>(deadlock(ring, tables, waiting)));
    EXPECT_NE(deadlock_of_a_crowd(ring, tables, waiting, 1), "");
  }
}

/// Valiant on a ring in one direction: by switch 0 it is acyclic. Packets that have no intermediate
/// destination to draw go to their hosts at once, and all the way round.
TEST(RefutedTables, PacketsMayHaveNoIntermediateDestination) {
  const Fabric ring = test::ring(4);
  Tables tables = test::choice_tables(
      ring, 2, {test::detour_phase(1), Phase{"home"}},
      [](int phase, int at, int) {
        return std::vector<test::WantedHop>{{(at + 1) % 4, 1 - phase, phase}};
      },
      1, [](int, int at) { return at == 0; });
  auto& intermediates = std::get<ChoiceTables>(tables.paths).intermediates;
  intermediates.rule = IntermediateRule::elsewhere;
  intermediates.region = IdVector<SwitchId, std::uint32_t>(std::vector<std::uint32_t>(4, 0));
  for (const WaitKind waiting : all_kinds) {
    EXPECT_TRUE(std::holds_alternative<DependencyCycle>(deadlock(ring, tables, waiting)));
    EXPECT_NE(deadlock_of_a_crowd(ring, tables, waiting, 1), "");
  }
}

struct DrivenCounts {
  int refuted = 0, directed = 0, crowded = 0, certified = 0;
};

/// Returns false where a deadlock that the checks found does not come.
bool try_verdict(const Fabric& fabric, const Tables& tables, WaitKind waiting,
                 DrivenCounts& counts) {
  if (std::holds_alternative<Certificate>(deadlock(fabric, tables, waiting))) {
    ++counts.certified;
    for (const std::uint64_t seed : {1U, 2U})
      EXPECT_EQ(deadlock_of_a_crowd(fabric, tables, waiting, seed), "");
    return true;
  }
  const auto world = test::directed_deadlock(fabric, tables, waiting);
  if (!world) return true;  // it is unknown whether worms deadlock
  ++counts.refuted;
  if (ends_in_deadlock(*world, waiting)) {
    ++counts.directed;
    return true;
  }
  std::string found;
  for (std::uint64_t seed = 1; seed <= 100 && found.empty(); ++seed)
    found = deadlock_of_a_crowd(fabric, tables, waiting, seed);
  expect_known_lanes(*world, waiting, found);
  counts.crowded += found.empty() ? 0 : 1;
  return !found.empty();
}

TEST(RefutedTables, RandomOnesDeadlockAndCertifiedOnesDoNot) {
  const int networks = test::tries(150, 20'000);
  Rng rng(3);
  DrivenCounts counts;
  for (int i = 0; i < networks && !HasFailure(); ++i) {
    const Fabric fabric = rng.below(3) == 0 ? test::from_links(4, {{0, 1}, {1, 2}, {2, 3}})
                                            : test::ring(rng.below(4) == 0 ? 4 : 3);
    const Tables tables = test::random_choices(fabric, rng);
    const bool one_phase = std::get<ChoiceTables>(tables.paths).phases.size() == 1;
    for (const WaitKind waiting : all_kinds)
      if (!try_verdict(fabric, tables, waiting, counts)) {
        // Packets in later phases have come from somewhere, and need not fit in together.
        EXPECT_FALSE(one_phase) << i << ", " << static_cast<int>(waiting);
      }
  }
  fmt::print(
      "campaign: {} random choice tables, of 3 kinds of switch: {} refuted, {} driven into the "
      "deadlock by a schedule, {} by random traffic; {} certified, without any\n",
      networks, counts.refuted, counts.directed, counts.crowded, counts.certified);
  EXPECT_GT(counts.directed, counts.refuted * 9 / 10);
  EXPECT_GE(counts.directed + counts.crowded, counts.refuted * 49 / 50);
  EXPECT_GT(counts.certified, networks / 4);
}

}  // namespace
}  // namespace weft::sim::refuted_tables
