// SPDX-License-Identifier: Apache-2.0
// Flow control: throughput of long links by closed form, and stop/go that neither overflows nor
// stands still, whatever its thresholds.
#include <gtest/gtest.h>

#include "base/message.hpp"
#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/mcast/mcast.hpp"
#include "support/fabrics.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::message_of;
using test::Recorder;
using test::Script;
using test::tries;

/// Hosts a and b on s0, a link of `delay` cycles to s1, and there host c, whose link may be slower.
Fabric two_switches(std::uint32_t delay, std::uint32_t slower = 1) {
  FabricBuilder builder("two switches");
  builder.add_switch({"s0", 0, 0, 0, {}});
  builder.add_switch({"s1", 0, 0, 0, {}});
  builder.connect(SwitchId(0), SwitchId(1),
                  {gigabits_per_second(8), Duration{std::int64_t{8'000} * delay}});
  builder.add_host({"a", SwitchId(0), 0, Wire{}});
  builder.add_host({"b", SwitchId(0), 0, Wire{}});
  builder.add_host({"c", SwitchId(1), 0, {{8'000'000'000 / slower}, {}}});
  return std::move(builder).build();
}

/// Cycles from the first packet's creation to the last one's end: `packets` from a to c.
Cycle time_of(const Fabric& fabric, const std::string& switches, std::uint32_t flits, int packets) {
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from(switches), {.check = true, .longest_packet = flits});
  Script script;
  for (int i = 0; i < packets; ++i)
    script.push_back({0, {.from = HostId(0), .to = HostId(2), .flits = flits}});
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << switches;
  EXPECT_FALSE(recorder.miscounted(network)) << switches;
  return recorder.ends().back().when;
}

TEST(Credits, ThroughputIsBufferOverRoundTrip) {
  // From allocation a flit flies 3 cycles and the wire, and its credit 2 and the wire.
  const std::uint32_t step = test::tries(100) < 100 ? 3 : 1;  // in slow builds
  for (std::uint32_t delay : {0U, 10U, 50U})
    for (std::uint32_t buffer = 1; buffer <= 2 * delay + 8; buffer += step * (1 + delay / 5)) {
      constexpr std::uint32_t flits = 20'000;
      const double loop = 5.0 + 2 * delay;
      const Cycle took =
          time_of(two_switches(delay), fmt::format("iq:buffer={}", buffer), flits, 1);
      const double expected = std::min({1.0, buffer / loop, buffer / 4.0});  // 4: the NIC's link
      EXPECT_NEAR(flits / static_cast<double>(took), expected, 0.01 * expected)
          << buffer << " flits for a loop of " << loop;
    }
}

TEST(Credits, LanesShareALongLink) {
  // One lane cannot fill the link, four can.
  const Fabric fabric = two_switches(20);
  EXPECT_GT(time_of(fabric, "iq:buffer=12,lanes=1", 12, 1000), 12'000U * 45 / 12);
  EXPECT_LT(time_of(fabric, "iq:buffer=12,lanes=8", 12, 1000), 12'300U);
}

TEST(StopGo, KeepsALongLinkFull) {
  const Fabric fabric = two_switches(20);
  // The loop is 45 cycles; the buffer is never full, so nothing is stopped.
  EXPECT_LT(time_of(fabric, "iq:flow=stop_go,buffer=60", 5000, 1), 5100U);
}

TEST(StopGo, ASlowerHostIsNeverIdleWhenGoComesInTime) {
  // The host takes a flit every 4 cycles; the loop is 45 cycles long, so 12 flits bridge it.
  const Fabric fabric = two_switches(20, 4);
  EXPECT_LT(time_of(fabric, "iq:flow=stop_go,buffer=80,stop=20,go=14", 2000, 1), 8100U);
  EXPECT_GT(time_of(fabric, "iq:flow=stop_go,buffer=80,stop=4,go=1", 2000, 1), 8500U);
}

/// Legal thresholds of the network, or those that the error proposes.
TEST(StopGo, NeverOverflowsForAnyLegalThresholds) {
  Rng rng(3);
  for (int turn = 0; turn < tries(150, 3000) && !HasFailure(); ++turn) {
    const auto delay = static_cast<std::uint32_t>(rng.below(25));
    const Fabric fabric = two_switches(delay, 1U << rng.below(3));
    const Tables tables = test::routed(fabric, "minhop");
    const std::uint64_t link = rng.below(3), credit = rng.below(4), cross = rng.below(3);
    const std::uint64_t loop = 2 * (link + delay) + 1 + cross + 1 + credit;
    const std::uint64_t stop = 1 + rng.below(30), go = rng.below(stop);
    const std::string switches =
        fmt::format("iq:flow=stop_go,buffer={},stop={},go={},link={},credit={},cross={},lanes={}",
                    stop + loop + 3, stop, go, link, credit, cross, 1 + rng.below(3));
    Network network(fabric, tables, model_from(switches), {.check = true, .longest_packet = 9});
    Script script;
    for (int i = 0; i < 150; ++i)
      script.push_back({rng.below(400),
                        {.from = HostId(rng.below(2)),
                         .to = HostId(rng.below(3)),
                         .flits = static_cast<std::uint32_t>(1 + rng.below(9))}});
    Recorder recorder(network, script);
    EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << switches;
    EXPECT_FALSE(recorder.miscounted(network)) << switches;
  }
}

TEST(StopGo, WholePacketsMustComeBeforeAStop) {
  // A stored packet that is stopped halfway would wait for ever for the rest of it.
  const Fabric fabric = two_switches(0);
  for (const char* thresholds : {",stop=20", ",stop=16,go=15", ""})
    EXPECT_GT(
        time_of(fabric,
                "iq:flow=stop_go,buffer=40,switching=store_and_forward" + std::string(thresholds),
                16, 50),
        800U);
  const Tables tables = test::routed(fabric, "minhop");
  const auto error = [&](const char* switches) {
    return message_of(
        [&] { Network(fabric, tables, model_from(switches), {.longest_packet = 16}); });
  };
  EXPECT_EQ(error("iq:flow=stop_go,buffer=40,switching=store_and_forward,stop=10"),
            "iq:buffer=40,flow=stop_go,stop=10,switching=store_and_forward: a packet of 16 flits "
            "must come whole, so stop is 16 or more, and go 15 or more");
  EXPECT_EQ(error("iq:flow=stop_go,buffer=40,switching=store_and_forward,stop=20,go=3"),
            "iq:buffer=40,flow=stop_go,go=3,stop=20,switching=store_and_forward: a packet of 16 "
            "flits must come whole, so stop is 16 or more, and go 15 or more");
}

}  // namespace
}  // namespace weft::sim
