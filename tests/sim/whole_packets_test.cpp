// SPDX-License-Identifier: Apache-2.0
// Packets that have links to themselves are handled as a whole: every packet arrives in the same
// cycle as when its flits are moved one by one.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"

namespace weft::sim {
namespace {

using test::Ran;
using test::RandomNetwork;
using test::tries;

TEST(WholePackets, ArriveInTheSameCyclesAsFlitByFlit) {
  for (int i = 0; i < tries(600, 20'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 500'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_whole_packets(seed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    network.options.pace = Pace::events;
    const Ran flits = run_to_end(network, false);
    network.options.pace = Pace::automatic;
    const Ran whole = run_to_end(network, false), steps = run_to_end(network, false, 1 + seed % 50);
    EXPECT_EQ(whole.ended, flits.ended);
    EXPECT_EQ(whole.hash, flits.hash);
    EXPECT_EQ(whole.totals.flit_hops, flits.totals.flit_hops);
    EXPECT_EQ(whole.totals.flits_injected, flits.totals.flits_injected);
    EXPECT_EQ(whole.wrong, "");
    EXPECT_EQ(steps.hash, flits.hash) << "not repeatable";
  }
}

/// Flits of a lost packet leave its last buffer as they come.
TEST(WholePackets, TablesThatLeadNowhereLoseTheSamePackets) {
  for (int i = 0; i < tries(300, 10'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 700'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_whole_packets(seed);
    if (!test::make_holes(network, seed)) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    network.options.pace = Pace::events;
    const Ran flits = run_to_end(network, false);
    network.options.pace = Pace::automatic;
    const Ran whole = run_to_end(network, false);
    EXPECT_EQ(whole.ended, flits.ended);
    EXPECT_EQ(whole.hash, flits.hash);
    EXPECT_EQ(whole.totals.lost, flits.totals.lost);
  }
}

/// What a network says of itself in the midst of a run.
struct Midway {
  std::uint64_t hops = 0, injected = 0;
  std::vector<std::uint64_t> lanes{};
  bool operator==(const Midway&) const = default;
};

std::vector<Midway> midway(const RandomNetwork& random) {
  Network network(random.fabric, random.tables, model_from(random.switches), random.options);
  test::Recorder recorder(network, random.script);
  std::vector<Midway> out;
  for (Cycle until = 7; until < 600; until += 31) {
    network.run(recorder, until);
    Midway& now = out.emplace_back();
    now.hops = network.totals().flit_hops;
    now.injected = network.totals().flits_injected;
    for (const LaneUse& use : network.lane_use()) now.lanes.push_back(use.flits);
  }
  return out;
}

TEST(WholePackets, FlitsAreCountedWhenTheyMove) {
  for (std::uint64_t seed = 600'000; seed < 600'040 && !HasFailure(); ++seed) {
    RandomNetwork network = test::random_whole_packets(seed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    network.options.pace = Pace::events;
    const std::vector<Midway> flits = midway(network);
    network.options.pace = Pace::automatic;
    EXPECT_TRUE(midway(network) == flits);
  }
}

TEST(WholePackets, ADeadlockIsFoundInTheSameCycle) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=4");
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  for (const char* const lanes : {"1", "2"}) {
    test::FoundDeadlock found[2];
    for (const Pace pace : {Pace::events, Pace::automatic}) {
      const std::string model =
          fmt::format("iq:lanes={},buffer=12,switching=cut_through,multiplex=packet", lanes);
      Network network(fabric, tables, model_from(model),
                      {.longest_packet = 8, .pace = pace, .review = 512});
      Rng rng(3);
      test::Script script;
      for (const HostId from : fabric.hosts())
        for (Cycle at = from.index(); at < 4000; at += 8)
          script.push_back({at, {.from = from, .to = HostId(4 * rng.below(16)), .flits = 8}});
      found[pace == Pace::events] = test::run_to_deadlock(network, script);
    }
    EXPECT_EQ(found[0].explanation, found[1].explanation);
    EXPECT_EQ(found[0].at, found[1].at);
  }
}

/// A ring of switches with two links each way, of which packets take any.
TEST(WholePackets, WhoChoosesAmongLinksThatBecomeFreeIsNotDeadlocked) {
  constexpr std::size_t size = 5;
  FabricBuilder builder("ring");
  for (std::size_t i = 0; i < size; ++i) {
    builder.add_switch({fmt::format("s{}", i), 6});
    builder.add_host({fmt::format("h{}", i), SwitchId(i), 5});
  }
  for (std::size_t i = 0; i < size; ++i) {
    const SwitchId at(i), next((i + 1) % size);
    builder.add_link({{at, 1}, {next, 2}, {}});
    builder.add_link({{at, 3}, {next, 4}, {}});
  }
  const Fabric fabric = std::move(builder).build();
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  int deadlocked = 0;
  std::vector<std::uint64_t> seeds{61, 660, 996};  // where it was reported
  for (int i = 0; i < tries(50, 5000); ++i) seeds.push_back(1000 + static_cast<std::uint64_t>(i));
  for (const std::uint64_t seed : seeds) {
    NetworkEnd ends[2];
    for (const Pace pace : {Pace::events, Pace::automatic}) {
      Rng rng(seed);
      const auto link = rng.below(20), buffer = 8 + rng.below(20);
      const std::string model = fmt::format(
          "iq:lanes=1,buffer={},switching=cut_through,multiplex=packet,link={}", buffer, link);
      Network network(fabric, tables, model_from(model),
                      {.longest_packet = 8, .pace = pace, .review = 1});
      const PortNumber onward = network.add_links({1, 3});
      test::Script script;
      const auto count = 60 + rng.below(200);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t from = rng.below(size), far = 1 + rng.below(size - 1);
        const HostId to((from + far) % size);
        Packet packet{.from = HostId(from), .to = to};
        const Cycle at = rng.below(60);
        packet.flits = static_cast<std::uint32_t>(1 + rng.below(8));
        packet.route = network.add_route(packet.from, to, std::vector<PortNumber>(far, onward));
        script.push_back({at, packet});
      }
      test::Recorder recorder(network, script);
      ends[pace == Pace::events] = network.run(recorder, 100'000);
    }
    EXPECT_EQ(ends[0], ends[1]) << "seed " << seed;
    deadlocked += ends[1] == NetworkEnd::deadlocked ? 1 : 0;
  }
  EXPECT_GT(deadlocked, 0);
}

}  // namespace
}  // namespace weft::sim
