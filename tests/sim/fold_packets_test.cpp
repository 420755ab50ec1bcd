// SPDX-License-Identifier: Apache-2.0
// A network that handles packets as a whole may go on flit by flit at any cycle, and back:
// everything is as if every flit had been moved from the start.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"

namespace weft::sim {
namespace {

using test::RandomNetwork;
using test::tries;

/// How a network is run: the options of its choice of a path, and when it is looked at.
struct RunPlan {
  Pace pace = Pace::automatic;
  Cycle turn = never;
  Cycle look = 0;
  std::uint32_t answers = 0;  ///< that a packet has, one to the other
  bool ahead = false;         ///< hosts may be some cycles ahead of switches
};

/// A driver whose hosts answer packets, and answers.
class Answering final : public test::Recorder {
 public:
  Answering(Network& network, const test::Script& script, const RunPlan& plan)
      : Recorder(network, script), plan_(plan) {}
  AnswerScope answers() const override {
    return plan_.ahead ? AnswerScope::never : AnswerScope::anywhere;
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    Recorder::delivered(network, packet, at, hops);
    if (packet.kind >= plan_.answers) return;
    network.send({.from = at,
                  .to = packet.from,
                  .flits = packet.flits,
                  .kind = packet.kind + 1,
                  .tag = packet.tag + 1'000'000});
  }

 private:
  RunPlan plan_;
};

/// Everything that a run says, in its midst and at its end.
struct Outcome {
  NetworkEnd ended{};
  std::uint64_t hash = 0;
  std::vector<std::uint64_t> counts{};  ///< flits and packets in all, and flits of every lane
  std::string explanation{};
  Cycle last = 0, end = 0;  ///< when the last packet came to its end, and the run to its own
  Cycle turn = never;       ///< of the plan
  std::size_t paths = 0;    ///< that have moved flits
  Cycle as_a_whole = 0;     ///< cycles in which packets were handled as a whole
};

Outcome run(const RandomNetwork& random, const RunPlan& plan) {
  NetworkOptions options = random.options;
  options.pace = plan.pace;
  options.turn = plan.turn;
  Network network(random.fabric, random.tables, model_from(random.switches), options);
  Answering driver(network, random.script, plan);
  Outcome out;
  for (const Cycle until : {plan.look, Cycle{3'000'000}}) {
    out.ended = network.run(driver, until);
    const Totals& totals = network.totals();
    for (const std::uint64_t count : {totals.sent, totals.delivered, totals.lost, totals.waiting,
                                      totals.flits_injected, totals.flit_hops})
      out.counts.push_back(count);
    for (const LaneUse& use : network.lane_use()) out.counts.push_back(use.flits);
  }
  out.hash = driver.hash();
  out.explanation = network.explanation();
  if (!driver.ends().empty()) out.last = driver.ends().back().when;
  out.end = network.now();
  out.turn = plan.turn;
  out.paths = network.paths_used().size();
  for (const PathUse& use : network.paths_used())
    if (use.name == "whole packets") out.as_a_whole = use.cycles;
  return out;
}

void expect_same(const Outcome& changed, const Outcome& flits) {
  EXPECT_EQ(changed.ended, flits.ended);
  EXPECT_EQ(changed.hash, flits.hash);
  // As a whole, a deadlock may be found some cycles earlier or later than flit by flit.
  const bool by_flits_at_the_end = changed.turn < flits.end && 2 * changed.turn > flits.end;
  if (flits.ended == NetworkEnd::deadlocked && !by_flits_at_the_end) return;
  EXPECT_EQ(changed.explanation, flits.explanation);
  EXPECT_TRUE(changed.counts == flits.counts);
}

/// Switches whose packets hold their links, with every delay, and with shallow and deep buffers.
std::string any_whole_switches(const RandomNetwork& network, Rng& rng) {
  const std::uint32_t longest = network.options.longest_packet;
  const auto lanes = static_cast<std::uint64_t>(network.tables.lane_count) + rng.below(4);
  const std::uint64_t deeper = rng.below(2) * rng.below(80);
  return fmt::format(
      "iq:lanes={},switching=cut_through,multiplex=packet,buffer={},route={},allocate_lane={},"
      "allocate={},"
      "cross={},link={},credit={},host_lanes={},control={}",
      lanes, std::max<std::uint64_t>(longest + rng.below(2 * longest), 16) + deeper, rng.below(3),
      1 + rng.below(2), 1 + rng.below(2), rng.below(3), rng.below(3), rng.below(4),
      rng.below(2) == 0 ? "any" : "tables", rng.below(4) == 0 && lanes <= 32 ? "yes" : "no");
}

/// Runs it flit by flit, as a whole, and changing over; returns whether it did.
bool compare(const RandomNetwork& network, Rng& rng, bool ahead = false) {
  RunPlan plan{.pace = Pace::events, .ahead = ahead};
  if (!ahead) plan.answers = static_cast<std::uint32_t>(rng.below(2) * rng.below(3));
  plan.look = rng.below(1 + rng.below(800));
  const Outcome flits = run(network, plan);
  plan.pace = Pace::automatic;
  expect_same(run(network, plan), flits);
  // From any cycle on flit by flit, to the end or not much longer; then turn by turn.
  bool changed = false;
  for (const Cycle most : {flits.end, Cycle{30}}) {
    plan.turn = 1 + rng.below(most);
    SCOPED_TRACE(fmt::format("in turns of {} cycles, looked at in {}, {} answers", plan.turn,
                             plan.look, plan.answers));
    const Outcome turns = run(network, plan);
    expect_same(turns, flits);
    changed = changed || turns.paths == 2;
  }
  return changed;
}

TEST(FoldPackets, EverythingIsAsFlitByFlitFromTheStart) {
  int changed = 0;
  const int count = tries(500, 20'000);
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const std::uint64_t seed = 800'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_network(seed, {});
    Rng rng(seed);
    network.switches = any_whole_switches(network, rng);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    changed += compare(network, rng) ? 1 : 0;
  }
  EXPECT_GT(2 * changed, count);
}

/// Several blocks of switches, of which each is some cycles ahead of the others.
TEST(FoldPackets, NetworksOfSeveralBlocks) {
  for (const char* const engine : {"dmodk", "nca"}) {
    const Fabric fabric = make_fabric("clos3:radix=16");
    RandomNetwork network{fabric, std::get<Tables>(route(fabric, engine)),
                          "iq:lanes=4,switching=cut_through,multiplex=packet,buffer=24,link=4"};
    network.options.longest_packet = 4;
    Rng rng(7);
    network.script =
        test::random_script(fabric, rng, {.packets = 20'000, .cycles = 100, .longest = 4});
    int changed = 0;
    for (int i = 0; i < tries(3, 50); ++i) changed += compare(network, rng, true) ? 1 : 0;
    EXPECT_GT(changed, 0);
  }
}

/// Flits of a lost packet leave its last buffer as they come.
TEST(FoldPackets, TablesThatLeadNowhereLoseTheSamePackets) {
  int changed = 0;
  for (int i = 0; i < tries(300, 10'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 900'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_network(seed, {});
    Rng rng(seed);
    network.switches = any_whole_switches(network, rng);
    if (!test::make_holes(network, seed)) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    changed += compare(network, rng) ? 1 : 0;
  }
  EXPECT_GT(changed, 0);
}

/// Packets are handled as a whole until a link or a switch fails, or a link damages a packet.
TEST(FoldPackets, FailuresLoseTheSamePackets) {
  int changed = 0;
  for (int i = 0; i < tries(300, 10'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 1'000'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_network(seed, {.faults = true});
    Rng rng(seed);
    network.switches = any_whole_switches(network, rng);
    network.options.faults.bit_error_rate = 0;
    for (LinkFault& fault : network.options.faults.links)
      if (rng.below(3) == 0) fault.until = fault.at + rng.below(200);
    for (std::uint64_t n = rng.below(3); n > 0; --n)
      network.options.faults.glitches.push_back(
          {LinkId::none(), HostId(rng.below(network.fabric.host_count())), rng.below(400)});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    RunPlan plan{.pace = Pace::events, .look = rng.below(500)};
    const Outcome flits = run(network, plan);
    plan.pace = Pace::automatic;
    const Outcome failed = run(network, plan);
    expect_same(failed, flits);
    changed += failed.paths == 2 ? 1 : 0;
  }
  EXPECT_GT(changed, 0);
}

/// When all links work again, and what they have cut is gone, packets are handled as a whole again.
TEST(FoldPackets, LinksComeBack) {
  int folded = 0;
  for (int i = 0; i < tries(200, 10'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 1'200'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_network(seed, {});
    Rng rng(seed);
    network.switches = any_whole_switches(network, rng);
    network.options.review = 1 + rng.below(60);
    Cycle first = never;
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
      const Cycle at = rng.below(400);
      const bool of_host = rng.below(2) == 0 || network.fabric.link_count() == 0;
      LinkFault fault{.at = at, .until = at + rng.below(60)};
      if (of_host)
        fault.host = HostId(rng.below(network.fabric.host_count()));
      else
        fault.link = LinkId(rng.below(network.fabric.link_count()));
      network.options.faults.links.push_back(fault);
      first = std::min(first, at);
    }
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    RunPlan plan{.pace = Pace::events, .look = rng.below(500)};
    const Outcome flits = run(network, plan);
    plan.pace = Pace::automatic;
    const Outcome mended = run(network, plan);
    expect_same(mended, flits);
    folded += mended.as_a_whole > first ? 1 : 0;
  }
  EXPECT_GT(folded, 0);
}

TEST(FoldPackets, ADeadlockIsFoundInTheSameCycle) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=4");
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  int deadlocked = 0;
  for (int i = 0; i < tries(40, 2'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 1'100'000 + static_cast<std::uint64_t>(i);
    Rng rng(seed);
    RandomNetwork network{fabric, tables, ""};
    // (Flit by flit, packets of one flit are received when they have been routed: a deadlock may be
    // found that much later.)
    network.options.longest_packet = static_cast<std::uint32_t>(2 + rng.below(11));
    if (rng.below(2) == 0) network.options.review = 1;
    network.switches =
        fmt::format("iq:lanes={},buffer={},switching=cut_through,multiplex=packet,link={}",
                    1 + rng.below(2), 12 + rng.below(20), rng.below(6));
    network.script = test::random_script(fabric, rng,
                                         {.packets = 3000,
                                          .cycles = 1 + rng.below(2'000),
                                          .longest = network.options.longest_packet});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    RunPlan plan{.pace = Pace::events, .look = rng.below(500)};
    const Outcome flits = run(network, plan);
    plan.pace = Pace::automatic;
    plan.turn = flits.end / 2 + 1 + rng.below(flits.end / 2 - 1);  // before the end
    SCOPED_TRACE(fmt::format("in turns of {} cycles", plan.turn));
    expect_same(run(network, plan), flits);
    deadlocked += flits.ended == NetworkEnd::deadlocked ? 1 : 0;
  }
  EXPECT_GT(deadlocked, 0);
}

}  // namespace
}  // namespace weft::sim
