// SPDX-License-Identifier: Apache-2.0
// Choice tables in the flit simulator: entries of one candidate are destination tables; whatever
// the switches and the policy, every packet ends once, every credit comes home, and all ways to
// move flits agree; certified tables never deadlock, others do, and say so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "plan/topo/topology.hpp"
#include "support/choice_worlds.hpp"
#include "support/choices.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim::choice_tables {
namespace {

using test::RandomNetwork;
using test::Recorder;
using test::Script;

TEST(ChoiceTables, OfOneCandidateEachAreDestinationTables) {
  for (int seed = 0; seed < test::tries(120); ++seed) {
    const bool whole = seed % 4 == 0, faults = seed % 3 == 0;
    RandomNetwork network =
        whole ? test::random_whole_packets(static_cast<std::uint64_t>(seed))
              : test::random_network(
                    static_cast<std::uint64_t>(seed),
                    {.speeds = true, .groups = !faults, .faults = faults, .special = true});
    if (!std::holds_alternative<DestinationTables>(network.tables.paths)) continue;
    if (network.switches.find("host_lanes=tables") != std::string::npos) continue;
    RandomNetwork same = network;
    same.tables = test::as_choice_tables(network.tables);
    for (const bool check : {false, true}) {
      const test::Ran a = test::run_to_end(network, check), b = test::run_to_end(same, check);
      EXPECT_EQ(a.hash, b.hash) << seed << ": " << network.describe();
      EXPECT_EQ(b.wrong, a.wrong) << seed;
    }
  }
}

/// Tables without deadlock, if switches look at all candidates (`any`) or whatever they do.
Tables safe_tables(const Fabric& fabric, Rng& rng, bool any) {
  using Queue = DetourDecision::Queue;
  switch (rng.below(any ? 3 : 2)) {
    case 0: {
      Tables out = test::valiant_tables(fabric);
      auto& choices = std::get<ChoiceTables>(out.paths);
      const IntermediateRule rules[] = {IntermediateRule::any, IntermediateRule::elsewhere,
                                        IntermediateRule::between, IntermediateRule::up_to_last};
      choices.intermediates.rule = rules[rng.below(4)];
      return out;
    }
    case 1: {
      DetourDecision decision;
      decision.queue = static_cast<Queue>(rng.below(3));
      decision.weight = static_cast<std::uint32_t>(rng.below(3));
      decision.detour_weight = static_cast<std::uint32_t>(rng.below(3));
      decision.threshold = static_cast<std::int32_t>(rng.below(20)) - 10;
      decision.draws = 1 + static_cast<std::uint32_t>(rng.below(3));
      return test::ugal_tables(fabric, decision);
    }
    default:
      return test::with_escape(fabric);
  }
}

RandomNetwork adaptive_network(std::uint64_t seed, bool whole) {
  Rng rng(seed);
  const Fabric fabric = test::random_fabric(seed, 10);
  const bool any = rng.below(2) == 0;
  const auto packet = static_cast<std::uint32_t>(1 + rng.below(2) * rng.below(12));
  RandomNetwork out{fabric, safe_tables(fabric, rng, any), ""};
  const char* policies[] = {"round_robin",   "random", "credits",       "queue",
                            "queue:draws=2", "static", "sticky:idle=20"};
  const char* switching[] = {"wormhole", "cut_through", "store_and_forward"};
  const std::uint64_t kind = rng.below(3);
  out.switches = fmt::format(
      "iq:lanes={},switching={},choice={},policy={},buffer={},route={},allocate_lane={},credit={},"
      "reuse={}",
      2 + rng.below(4), whole ? "cut_through,multiplex=packet" : switching[kind],
      any ? "any" : "commit", policies[rng.below(7)],
      (kind > 0 || whole ? packet : 1) + rng.below(8), rng.below(3), 1 + rng.below(2), rng.below(3),
      !whole && (any || rng.below(3) == 0) ? "empty" : "sent");
  Rng traffic(seed);
  out.script = test::random_script(fabric, traffic, {500, 1 + rng.below(600), packet});
  out.options.seed = seed;
  out.options.longest_packet = packet;
  return out;
}

TEST(ChoiceTables, EveryPolicyAndPhaseDeliversEverythingAlikeOnAllPaths) {
  for (int seed = 0; seed < test::tries(150); ++seed) {
    const RandomNetwork network = adaptive_network(static_cast<std::uint64_t>(seed), false);
    const test::Ran plain = test::run_to_end(network, false),
                    checked = test::run_to_end(network, true);
    EXPECT_EQ(plain.wrong, "") << seed << ": " << network.describe();
    EXPECT_EQ(checked.wrong, "") << seed << ": " << network.describe();
    EXPECT_EQ(plain.hash, checked.hash) << seed << ": " << network.describe();
    EXPECT_EQ(plain.totals.lost, 0U);
  }
}

/// Heads that come to a switch in one cycle may be looked at in another order.
TEST(ChoiceTables, SwitchesThatCommitTakeTurnsAlikeOnAllPaths) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  const Tables tables = test::routed(fabric, "updown_adaptive");
  for (const char* policy : {"round_robin", "queue", "credits", "static", "sticky:idle=20"})
    for (const char* stages : {"route=1", "route=0"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        RandomNetwork network{fabric, tables, ""};
        network.switches = fmt::format("iq:choice=commit,lanes=3,policy={},{}", policy, stages);
        Rng traffic(seed);
        network.script = test::random_script(fabric, traffic, {3000, 900, 2});
        network.options.longest_packet = 2;
        const test::Ran plain = test::run_to_end(network, false),
                        checked = test::run_to_end(network, true);
        EXPECT_EQ(plain.hash, checked.hash) << seed << ": " << network.describe();
        EXPECT_EQ(checked.wrong, "");
      }
}

TEST(ChoiceTables, PacketsAsAWholeChooseAsFlitsDo) {
  for (int seed = 1000; seed < 1000 + test::tries(150); ++seed) {
    RandomNetwork network = adaptive_network(static_cast<std::uint64_t>(seed), true);
    const test::Ran checked = test::run_to_end(network, true);
    EXPECT_EQ(checked.wrong, "") << seed << ": " << network.describe();
    for (const Cycle turn : {never, Cycle{37}}) {
      network.options.turn = turn;
      const test::Ran whole = test::run_to_end(network, false);
      EXPECT_EQ(whole.wrong, "") << seed;
      EXPECT_EQ(whole.hash, checked.hash) << seed << ": " << network.describe();
    }
  }
}

TEST(ChoiceTables, FailedLinksAreNotChosen) {
  for (int seed = 0; seed < test::tries(40); ++seed) {
    RandomNetwork network = adaptive_network(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const std::size_t links = network.fabric.link_count();
    if (links == 0) continue;
    for (std::size_t i = 0; i < 2; ++i)
      network.options.faults.links.push_back(
          {LinkId((static_cast<std::size_t>(seed) + 7 * i) % links), HostId::none(), 100 * i,
           seed % 3 == 0 ? never : 100 * i + 60});
    const test::Ran plain = test::run_to_end(network, false),
                    checked = test::run_to_end(network, true);
    EXPECT_EQ(plain.wrong, "") << seed << ": " << network.describe();
    EXPECT_EQ(plain.hash, checked.hash) << seed << ": " << network.describe();
  }
}

/// A driver that need not be asked: switches then run cycles ahead of hosts, block by block.
class SilentRecorder : public Recorder {
 public:
  using Recorder::Recorder;
  AnswerScope answers() const override { return AnswerScope::never; }
};

TEST(ChoiceTables, TheOrderOfBlocksDoesNotMatter) {
  const Fabric fabric = make_fabric("mesh:dims=16x12");
  for (const auto queue : {DetourDecision::Queue::port, DetourDecision::Queue::path}) {
    const Tables tables =
        test::ugal_tables(fabric, {.queue = queue, .weight = 2, .detour_weight = 1});
    for (const char* switches : {"iq:lanes=4,policy=queue", "iq:lanes=4,policy=random"}) {
      Rng rng(5);
      const Script script = test::random_script(fabric, rng, {4000, 300, 4});
      std::uint64_t hashes[2];
      for (const bool check : {false, true}) {
        Network network(fabric, tables, model_from(switches),
                        {.check = check, .longest_packet = 4});
        SilentRecorder recorder(network, script);
        EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << network.explanation();
        EXPECT_FALSE(recorder.miscounted(network));
        hashes[check ? 1 : 0] = recorder.hash();
      }
      EXPECT_EQ(hashes[0], hashes[1]) << switches;
    }
  }
}

/// It is undecided up to its last switch, which has an entry for its port: there it is delivered.
TEST(ChoiceTables, NobodyTakesADetourAtItsHost) {
  const Fabric fabric = test::from_links(2, {{0, 1}});
  Phase undecided{.name = "undecided"}, away{.name = "away", .to_intermediate = true, .next = 2};
  undecided.detour = PhaseId{1};
  Tables tables = test::choice_tables(
      fabric, 3, {undecided, away, Phase{.name = "home"}},
      [](int phase, int at, int) {
        return std::vector<test::WantedHop>{{1 - at, phase, phase}};
      },
      1, [](int, int at) { return at == 0; });
  auto& choices = std::get<ChoiceTables>(tables.paths);
  choices.decision.threshold = -1000;
  const HostId to(1);
  choices.next[tables.to_host[to]][1] = choices.add({{.port = fabric[to].port, .lane = 0}});
  Network network(fabric, tables, model_from("iq:lanes=3"));
  Recorder recorder(network, {{0, {.from = HostId(0), .to = to}}});
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  ASSERT_EQ(recorder.ends().size(), 1U);
  EXPECT_EQ(recorder.ends()[0].hops, 2U);
}

/// Every host sends many packets half-way round.
Script half_way_round(const Fabric& fabric, int packets) {
  Script out;
  const std::size_t hosts = fabric.host_count();
  for (const HostId from : fabric.hosts())
    for (int i = 0; i < packets; ++i)
      out.push_back(
          {0, {.from = from, .to = HostId((from.index() + hosts / 2) % hosts), .flits = 8}});
  return out;
}

/// W6 and W7 of the theory: groups of minimal ports, one lane, on a ring and a torus.
TEST(ChoiceTables, GroupsOfMinimalPortsDeadlockOnRingsAndTori) {
  for (const Fabric& fabric :
       {test::ring(4, 3), test::ring(6, 3), make_fabric("torus:dims=4x4,hosts=3")})
    for (const char* switches : {"iq:lanes=1,buffer=2", "iq:lanes=1,buffer=8,switching=cut_through",
                                 "iq:lanes=1,buffer=8,switching=cut_through,multiplex=packet",
                                 "iq:lanes=1,buffer=8,switching=cut_through,choice=commit"})
      for (const bool check : {false, true}) {
        const Tables tables = test::shortest_groups(fabric);
        Network network(fabric, tables, model_from(switches),
                        {.check = check, .longest_packet = 8});
        Recorder recorder(network, half_way_round(fabric, 60));
        EXPECT_EQ(network.run(recorder, 1'000'000), NetworkEnd::deadlocked)
            << fabric.name() << " " << switches;
        EXPECT_NE(network.explanation().find("wait for each other in a circle"), std::string::npos);
      }
}

TEST(ChoiceTables, AnEscapeLaneMendsThat) {
  for (const Fabric& fabric :
       {test::ring(4, 3), test::ring(6, 3), make_fabric("torus:dims=4x4,hosts=3")})
    for (const char* switches :
         {"iq:lanes=2,buffer=2", "iq:lanes=2,buffer=8,switching=cut_through",
          "iq:lanes=2,buffer=8,switching=cut_through,multiplex=packet,policy=queue",
          "iq:lanes=3,buffer=2,policy=random", "iq:lanes=2,buffer=2,policy=sticky"}) {
      const Tables tables = test::with_escape(fabric);
      Network network(fabric, tables, model_from(switches), {.longest_packet = 8});
      Recorder recorder(network, half_way_round(fabric, 60));
      EXPECT_EQ(network.run(recorder, 1'000'000), NetworkEnd::quiet)
          << fabric.name() << " " << switches << network.explanation();
    }
}

/// W5c: who commits to a free port when it is routed may wait in a circle for others who did.
TEST(ChoiceTables, AnEscapeIsNoneForThoseWhoAreCommitted) {
  const Fabric fabric = test::ring(6, 3);
  const Tables tables = test::with_escape(fabric);
  std::size_t deadlocks = 0;
  for (const char* choice : {"any", "commit"}) {
    const std::string spec = fmt::format("iq:lanes=2,buffer=2,policy=random,choice={}", choice);
    Network network(fabric, tables, model_from(spec), {.longest_packet = 8});
    Recorder recorder(network, half_way_round(fabric, 200));
    const bool stuck = network.run(recorder, 1'000'000) == NetworkEnd::deadlocked;
    EXPECT_EQ(stuck, choice == std::string("commit")) << spec;
    deadlocks += stuck ? 1 : 0;
  }
  EXPECT_EQ(deadlocks, 1U);
}

}  // namespace
}  // namespace weft::sim::choice_tables
