// SPDX-License-Identifier: Apache-2.0
// Busy networks are simulated bit-sliced, in words of switches: with the same results as by events,
// in networks of every size, however often the two take turns.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/flit/path_chooser.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Ran;
using test::RandomNetwork;
using test::tries;

TEST(BitSliced, DeliversTheSamePacketsInTheSameCycles) {
  for (int i = 0; i < tries(400, 20'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 200'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_network(seed, {});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    network.options.pace = Pace::events;
    const Ran events = run_to_end(network, false);
    network.options.pace = Pace::bit_sliced;
    for (const Cycle review : {2U, 7U, 61U, 4096U}) {
      network.options.review = review;
      const Ran words = run_to_end(network, false);
      EXPECT_EQ(words.ended, events.ended);
      EXPECT_EQ(words.hash, events.hash);
      EXPECT_EQ(words.totals.flit_hops, events.totals.flit_hops);
      EXPECT_EQ(words.totals.flits_injected, events.totals.flits_injected);
      EXPECT_EQ(words.wrong, "");
    }
  }
}

struct BusyNetwork {
  std::string topology, engine, switches;
  std::uint32_t packet;
};

void PrintTo(const BusyNetwork& network, std::ostream* out) {
  *out << network.topology << " " << network.engine << " " << network.switches;
}

std::uint64_t hops_in_words(const Network& network) {
  std::uint64_t out = 0;
  for (const PathUse& path : network.paths_used())
    if (path.name == "words of switches") out += path.flit_hops;
  return out;
}

/// Everything that a run reports, also by lane.
struct Seen {
  std::uint64_t hash = 0, hops = 0;
  std::vector<std::uint64_t> lanes{};
  bool operator==(const Seen&) const = default;
};

class BitSlicedNetworks : public ::testing::TestWithParam<BusyNetwork> {
 protected:
  Seen seen(Pace pace, Cycle review) const;

 private:
  const Fabric fabric_ = make_fabric(GetParam().topology);
  const Tables tables_ = std::get<Tables>(route(fabric_, GetParam().engine));
};

/// Random traffic, more than the network can take, for a while; then to the end.
Seen BitSlicedNetworks::seen(Pace pace, Cycle review) const {
  const BusyNetwork& what = GetParam();
  Network network(fabric_, tables_, model_from(what.switches),
                  {.longest_packet = what.packet, .pace = pace, .review = review});
  const auto half = static_cast<Cycle>(tries(200));
  Rng rng(7);
  test::Script script;
  for (HostId from : fabric_.hosts())
    for (Cycle at = rng.below(half); at < 2 * half; at += 1 + rng.below(3 * what.packet))
      script.push_back({at,
                        {.from = from,
                         .to = HostId(rng.below(fabric_.host_count())),
                         .flits = static_cast<std::uint32_t>(1 + rng.below(what.packet))}});
  test::Recorder recorder(network, script);
  Seen out;
  const auto look = [&] {
    for (const LaneUse& use : network.lane_use()) out.lanes.push_back(use.flits);
  };
  for (Cycle until : {300U, 301U, 600U}) {
    network.run(recorder, until);
    look();
  }
  EXPECT_EQ(network.run(recorder, 1'000'000), NetworkEnd::quiet) << what.topology;
  look();
  out.hash = recorder.hash();
  out.hops = network.totals().flit_hops;
  // (Slow builds have little traffic, which is over before a late choice.)
  if (pace == Pace::bit_sliced && (review < 100 || tries(100) == 100)) {
    EXPECT_GT(hops_in_words(network), 0U);
  }
  return out;
}

const std::vector<BusyNetwork> busy_networks{
    {"mesh:dims=8x8", "dor", "iq:lanes=4", 1},        // a word
    {"mesh:dims=9x8", "dor", "iq:lanes=2", 16},       // two
    {"torus:dims=12x12", "dor", "iq:lanes=4", 5},     // four, with lanes by turn
    {"mesh:dims=20x15", "updown", "iq:buffer=5", 9},  // two blocks of four
    {"clos3:radix=8", "dmodk", "iq:lanes=3", 7},      // ports that lead everywhere
    {"dragonfly:a=4,p=2,h=2", "dfsssp", "iq", 4},     // service levels
    {"hypercube:dims=7", "lash", "iq:buffer=20", 16},
    {"rhinet2_a", "dl", "iq:lanes=8,host_lanes=tables", 20},
    // Packets of one flit are handled separately where they may have any lane, or one by turn.
    {"torus:dims=8x8", "dor", "iq:lanes=4", 1},
    {"torus:dims=12x6", "dor", "iq:lanes=2,route=0", 1},
    {"torus:dims=18x16", "dor", "iq:lanes=6,buffer=5", 1},
    {"torus:dims=4x4x4", "dor", "iq:lanes=5", 1},
    {"torus:dims=6x6", "dor", "iq:lanes=4,host_lanes=tables", 1},
    {"torus:dims=6x6,hosts=3", "dor", "iq:lanes=4,control=yes", 1},
    {"mesh:dims=9x8", "dor", "iq:lanes=2,route=0", 1},
    {"mesh:dims=20x15", "updown", "iq:buffer=7,credit=2", 1},
    {"mesh:dims=4x3,hosts=3", "dor", "iq:lanes=5", 1},
    {"clos3:radix=8", "dmodk", "iq:lanes=3", 1},
    {"mesh:dims=8x8", "dor", "iq:lanes=4,switching=cut_through,buffer=16", 9},
    // Tables with choices.
    {"mesh:dims=8x8", "min_adaptive", "iq:lanes=4", 1},
    {"mesh:dims=9x8", "min_adaptive", "iq", 12},
    {"torus:dims=12x12", "min_adaptive", "iq:lanes=4,policy=static", 5},
    {"torus:dims=5x4x3", "min_adaptive", "iq:lanes=3,switching=cut_through,buffer=16", 9},
    {"hypercube:dims=5", "min_adaptive:escape=updown", "iq:lanes=2,buffer=5", 7},
    {"clos3:radix=8", "updown_adaptive", "iq:lanes=3", 6},
    {"mesh:dims=8x8", "romm", "iq:lanes=4,buffer=5", 8},
    {"hyperx:dims=5x4,hosts=2", "valiant", "iq:lanes=4", 3},
    {"dragonfly:a=4,p=2,h=2", "valiant", "iq:lanes=3", 1},
    {"torus:dims=6x6", "xy_yx", "iq:lanes=4,host_lanes=tables", 4},
    // Those without choices, of packets of one flit.
    {"mesh:dims=8x8", "romm", "iq:lanes=4,buffer=5", 1},
    {"mesh:dims=20x15", "valiant", "iq:lanes=6,credit=2", 1},
    {"torus:dims=9x8", "xy_yx", "iq:lanes=4", 1},
    {"hyperx:dims=5x4,hosts=2", "valiant", "iq:lanes=4,route=0", 1},
    {"hyperx:dims=4x4,hosts=4", "romm", "iq:lanes=6,host_lanes=tables", 1},
    // Lanes of one packet at a time.
    {"mesh:dims=9x8", "dor", "iq:lanes=2,reuse=empty", 16},
    {"mesh:dims=20x15", "updown", "iq:lanes=3,buffer=9,credit=2,reuse=empty", 1},
    {"torus:dims=6x6", "dor", "iq:lanes=4,buffer=16,switching=cut_through,reuse=empty", 9},
    {"mesh:dims=8x8", "min_adaptive", "iq:lanes=4,reuse=empty", 1},
    {"torus:dims=12x12", "min_adaptive", "iq:lanes=4,policy=static,reuse=empty", 5},
};

TEST_P(BitSlicedNetworks, OfEverySize) {
  const Seen events = seen(Pace::events, 4096);
  EXPECT_TRUE(seen(Pace::bit_sliced, 4096) == events);
  EXPECT_TRUE(seen(Pace::bit_sliced, 3) == events);
  if (tries(100) < 100) return;  // slow builds
  EXPECT_TRUE(seen(Pace::bit_sliced, 50) == events);
  EXPECT_TRUE(seen(Pace::automatic, 4096) == events);
}

INSTANTIATE_TEST_SUITE_P(Sizes, BitSlicedNetworks, ::testing::ValuesIn(busy_networks));

TEST(BitSliced, IsWhatMovesTheFlitsWhereItIsAskedFor) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  Network network(fabric, tables, model_from("iq"), {.pace = Pace::bit_sliced, .review = 3});
  Rng rng(1);
  test::Recorder recorder(network, test::random_script(fabric, rng, {}));
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  EXPECT_GT(hops_in_words(network), network.totals().flit_hops / 2);
}

/// Two links of different length side by side, and two such hosts at each end: whichever links of a
/// kind are looked at one after the other, they differ.
TEST(BitSliced, LinksOfDifferentLength) {
  FabricBuilder builder("unequal");
  for (const char* name : {"s0", "s1"}) builder.add_switch({name});
  for (const int delay : {4, 8})
    builder.connect(SwitchId(0), SwitchId(1), {.delay = Delay::cycles(delay)});
  for (const std::size_t on : {0U, 1U})
    for (const int delay : {3, 5})
      builder.add_host(
          {fmt::format("h{}:{}", on, delay), SwitchId(on), 0, {.delay = Delay::cycles(delay)}});
  const Fabric fabric = std::move(builder).build();
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  Rng rng(5);
  const test::Script script = test::random_script(fabric, rng, {});
  std::uint64_t hash[2];
  for (const Pace pace : {Pace::events, Pace::bit_sliced}) {
    Network network(fabric, tables, model_from("iq:buffer=40"), {.pace = pace, .review = 3});
    test::Recorder recorder(network, script);
    EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
    hash[pace == Pace::bit_sliced] = recorder.hash();
  }
  EXPECT_EQ(hash[0], hash[1]);
}

TEST(PathChooser, TimesBothPathsBeforeItComparesThem) {
  // On each path the first interval is not counted: it pays for the change.
  PathChooser chooser(100);
  EXPECT_FALSE(chooser.use_words(100, 1000, false, 1));
  EXPECT_TRUE(chooser.use_words(200, 2000, false, 1)) << "one path is timed";
  EXPECT_TRUE(chooser.use_words(300, 3000, true, 1)) << "the other one is not";
}

TEST(PathChooser, NeedsNoTimingWhereTheEstimateIsClear) {
  PathChooser chooser(100);
  EXPECT_TRUE(chooser.use_words(100, 1000, false, 0.1));
  EXPECT_FALSE(chooser.use_words(200, 2000, true, 10));
}

/// Two hosts at the ends of a chain: for up to 255 switches, the hops of packets of one flit are
/// counted beforehand.
TEST(BitSliced, LongRoutes) {
  for (const std::size_t length : {254U, 255U, 256U, 300U}) {
    const Fabric fabric = make_fabric(fmt::format("mesh:dims={}", length));
    const Tables tables = std::get<Tables>(route(fabric, "dor"));
    std::uint64_t hash[2];
    for (const Pace pace : {Pace::events, Pace::bit_sliced}) {
      Network network(fabric, tables, model_from("iq"), {.pace = pace, .review = 100});
      test::Script script;
      for (Cycle at = 0; at < 3000; at += 7) {
        script.push_back({at, {.from = HostId(0), .to = HostId(length - 1)}});
        script.push_back({at, {.from = HostId(length - 1), .to = HostId(at % length)}});
      }
      script.push_back({5000, {.from = HostId(0), .to = HostId(length - 1)}});
      test::Recorder recorder(network, script);
      EXPECT_EQ(network.run(recorder, 1'000'000), NetworkEnd::quiet);
      EXPECT_EQ(recorder.ends().back().hops, length);  // the last one passes all switches
      hash[pace == Pace::bit_sliced] = recorder.hash();
    }
    EXPECT_EQ(hash[0], hash[1]) << length;
  }
}

TEST(BitSliced, TablesThatLeadNowhereLoseTheSamePackets) {
  for (int i = 0; i < tries(400, 5'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 300'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network = test::random_network(seed, {});
    if (!test::make_holes(network, seed)) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    network.options.pace = Pace::events;
    const Ran events = run_to_end(network, false);
    network.options.pace = Pace::bit_sliced;
    for (const Cycle review : {3U, 4096U}) {
      network.options.review = review;
      const Ran words = run_to_end(network, false);
      EXPECT_EQ(words.ended, events.ended);
      if (events.ended == NetworkEnd::deadlocked && review == 3) continue;  // of another time
      EXPECT_EQ(words.hash, events.hash);
    }
  }
}

TEST(BitSliced, ADeadlockIsFoundInTheSameCycle) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=4");
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  struct {
    std::string switches;
    std::uint32_t packet;
  } const cases[] = {{"iq", 16}, {"iq", 1}, {"iq:switching=cut_through", 8}, {"iq:lanes=2", 1}};
  for (const auto& [switches, packet] : cases) {
    SCOPED_TRACE(switches);
    test::FoundDeadlock found[2];
    for (const Pace pace : {Pace::events, Pace::bit_sliced}) {
      Network network(fabric, tables, model_from(switches),
                      {.longest_packet = packet, .pace = pace, .review = 512});
      Rng rng(3);
      test::Script script;
      for (const HostId from : fabric.hosts()) {
        const std::size_t i = from.index(), own = i % 4;  // on its switch: three go on moving
        for (Cycle at = i; at < (own == 0 ? 4000U : 20'000U); at += packet)
          script.push_back({at,
                            {.from = from,
                             .to = HostId(own == 0 ? 4 * rng.below(16) : i - own + own % 3 + 1),
                             .flits = packet}});
      }
      found[pace == Pace::bit_sliced] = test::run_to_deadlock(network, script);
    }
    EXPECT_EQ(found[0].explanation, found[1].explanation);
    EXPECT_EQ(found[0].at, found[1].at);
    EXPECT_LT(found[0].at, 20'000U);
  }
}

}  // namespace
}  // namespace weft::sim
