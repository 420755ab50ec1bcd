// SPDX-License-Identifier: Apache-2.0
// Times of switches and links in nanoseconds: latencies that cost no throughput, and buffers that
// keep links busy.
#include "sim/timing.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"
#include "fabric/builder.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

/// Two switches with a host each, all links alike.
Fabric two_switches(std::string_view speed, std::string_view delay) {
  return make_fabric(fmt::format("chain:hosts=1x1,speed={},delay={}", speed, delay));
}

/// The cycles in which packets of `flits`, all sent at once, go from one end to the other.
Cycle time_of_stream(const Fabric& fabric, const SwitchModel& model, std::uint32_t flits,
                     std::uint32_t packets) {
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model, {.longest_packet = flits});
  const test::Script script(packets, {0, {.from = HostId(0), .to = HostId(1), .flits = flits}});
  test::Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  Cycle last = 0;
  for (const auto& end : recorder.ends()) last = std::max(last, end.latency());
  return last;
}

/// Of a stream: the flits and, once, the way.
bool at_full_speed(const Fabric& fabric, const SwitchModel& model, std::uint32_t flits) {
  const std::uint32_t packets = 20 + 3'000 / flits;
  return time_of_stream(fabric, model, flits, packets) ==
         time_of_stream(fabric, model, flits, 1) + flits * (packets - 1);
}

TEST(Timing, LatencyIsTheTimeOfAHop) {
  // A flit of 64 B at 100 Gb/s takes 5.12 ns: 130 ns are 25 cycles, 50 ns of cable 10.
  const Fabric fabric = two_switches("100Gb/s", "50ns");
  const Timing timing(fabric, model_from("infiniband"));
  EXPECT_EQ(timing.cycle(), duration_from("5.12ns"));
  EXPECT_EQ(timing.stages(SwitchId(0)).sum(), 25U);
  for (const char* switches :
       {"infiniband", "iq:flit=64B,latency=130ns", "iq:flit=64B,latency=25",
        "iq:flit=64B,latency=130ns,route=3,cross=20ns", "infiniband:switching=store_and_forward"}) {
    const bool stored = std::string_view(switches).find("store") != std::string_view::npos;
    EXPECT_EQ(time_of_stream(fabric, model_from(switches), 9, 1),
              9U + 2 * 25 + 3 * 10 + (stored ? 2 * 8 : 0))
        << switches;
  }
}

TEST(Timing, StagesAddUpInNanoseconds) {
  const Fabric fabric = two_switches("8Gb/s", "0ns");  // a cycle of 8 ns
  const auto hop = [&](const char* switches) {
    return Timing(fabric, model_from(switches)).stages(SwitchId(0)).sum();
  };
  EXPECT_EQ(hop("iq"), 5U);
  EXPECT_EQ(hop("iq:route=24ns"), 3U + 4);
  EXPECT_EQ(hop("iq:route=3,allocate_lane=16ns,allocate=2,cross=40ns,link=0"), 3U + 2 + 2 + 5);
  EXPECT_EQ(hop("iq:latency=100ns"), 13U);  // 12.5
  EXPECT_EQ(hop("iq:latency=100ns,route=5"), 13U);
  EXPECT_EQ(hop("infiniband:flit=8B"), 16U);
  EXPECT_EQ(hop("infiniband:flit=8B,route=1"), 16U);  // part of it
  EXPECT_EQ(hop("infiniband:flit=8B,cross=200ns"), 26U);
}

TEST(Timing, LatencyIsTheFabricsWhereTheModelHasNone) {
  FabricBuilder builder("two kinds");
  const Wire wire{gigabits_per_second(8), Duration{0}};
  Switch old{"old"}, recent{"recent"};
  old.latency = duration_from("800ns");
  builder.add_host({"a", builder.add_switch(old), 0, wire});
  builder.add_host({"b", builder.add_switch(recent), 0, wire});
  builder.connect(SwitchId(0), SwitchId(1), wire);
  const Fabric fabric = std::move(builder).build();
  const auto hop = [&](const char* switches, std::size_t s) {
    return Timing(fabric, model_from(switches)).stages(SwitchId(s)).sum();
  };
  EXPECT_EQ(hop("iq", 0), 100U);
  EXPECT_EQ(hop("iq", 1), 5U);
  EXPECT_EQ(hop("infiniband:flit=8B", 1), 16U);
  EXPECT_EQ(hop("iq:latency=80ns", 0), 10U);
  EXPECT_EQ(hop("iq:cross=2", 0), 100U);
  EXPECT_EQ(hop("iq:cross=2", 1), 5U);
  EXPECT_EQ(time_of_stream(fabric, model_from("iq"), 4, 1), 4U + 100 + 5);
}

/// Whichever switches say their latency, and whether the model says the same.
TEST(Timing, EverySwitchTakesItsOwnLatency) {
  const auto line = [](std::array<std::int64_t, 3> cycles) {
    FabricBuilder builder("line");
    const Wire wire{gigabits_per_second(8), Duration{0}};  // a cycle of 8 ns
    for (std::size_t s = 0; s < cycles.size(); ++s) {
      Switch added{"s" + std::to_string(s)};
      added.latency = Duration(8000) * cycles[s];
      builder.add_switch(added);
      if (s > 0) builder.connect(SwitchId(s - 1), SwitchId(s), wire);
    }
    builder.add_host({"a", SwitchId(0), 0, wire});
    builder.add_host({"b", SwitchId(2), 0, wire});
    return std::move(builder).build();
  };
  EXPECT_EQ(time_of_stream(line({0, 0, 0}), model_from("iq"), 4, 1), 5U + 3 * 5);
  EXPECT_EQ(time_of_stream(line({0, 0, 0}), model_from("iq:latency=9"), 4, 1), 4U + 3 * 9);
  EXPECT_EQ(time_of_stream(line({9, 9, 9}), model_from("iq"), 4, 1), 4U + 3 * 9);
  EXPECT_EQ(time_of_stream(line({9, 0, 0}), model_from("iq"), 4, 1), 4U + 9 + 5 + 5);
  EXPECT_EQ(time_of_stream(line({0, 9, 20}), model_from("iq"), 4, 1), 4U + 5 + 9 + 20);
  EXPECT_EQ(time_of_stream(line({0, 9, 20}), model_from("iq:latency=7"), 4, 1), 4U + 3 * 7);
  EXPECT_EQ(time_of_stream(line({5, 5, 5}), model_from("infiniband:flit=8B"), 4, 1), 4U + 3 * 5);
}

/// Stop and go with links of several speeds.
TEST(Timing, AutomaticBuffersSufficeForStopAndGo) {
  FabricBuilder builder("slow trunk");
  const Wire fast{gigabits_per_second(100), Duration{0}};
  for (const char* name : {"s0", "s1"}) builder.add_switch({name});
  builder.add_host({"a", SwitchId(0), 0, fast});
  builder.add_host({"b", SwitchId(1), 0, fast});
  builder.connect(SwitchId(0), SwitchId(1), {gigabits_per_second(1), duration_from("2us")});
  const Fabric fabric = std::move(builder).build();
  EXPECT_GT(time_of_stream(fabric, model_from("iq:flow=stop_go"), 4, 50), 50U * 4 * 100);
}

TEST(Timing, LatencyCostsNoThroughput) {
  for (const char* delay : {"0ns", "50ns", "500ns"})
    for (const char* switches :
         {"infiniband", "infiniband:latency=1us", "iq:flit=64B,latency=130ns",
          "iq:flit=64B,latency=130ns,lanes=4", "iq:flit=64B,latency=350ns,switching=cut_through",
          "iq:flit=64B,latency=130ns,switching=store_and_forward",
          "iq:flit=64B,latency=130ns,flow=stop_go", "iq:flit=64B,latency=130ns,credit=200ns",
          "iq:route=0,allocate_lane=0,allocate=3,cross=9", "infiniband:route=0,allocate_lane=0"})
      for (const std::uint32_t flits : {1U, 2U, 7U, 64U})
        EXPECT_TRUE(at_full_speed(two_switches("100Gb/s", delay), model_from(switches), flits))
            << delay << " " << switches << " " << flits;
}

/// Routing takes turns with the packets of a lane, however long it takes: one cycle.
TEST(Timing, StagesOfManyCyclesArePipelined) {
  const Fabric fabric = two_switches("100Gb/s", "50ns");
  const auto extra = [&](const char* switches) {
    const SwitchModel model = model_from(switches);
    return time_of_stream(fabric, model, 16, 31) - time_of_stream(fabric, model, 16, 1) - 30 * 16;
  };
  EXPECT_EQ(extra("iq:flit=64B"), 30U * 2);
  EXPECT_EQ(extra("iq:flit=64B,route=22"), 30U * 2);
  EXPECT_EQ(extra("iq:flit=64B,route=22,allocate_lane=9"), 30U * 2);
  EXPECT_EQ(extra("iq:flit=64B,route=0"), 30U * 1);
  EXPECT_EQ(extra("iq:flit=64B,route=22,allocate_lane=0"), 30U * 1);
}

/// One flit less than the buffer that is made automatically leaves links idle.
TEST(Timing, BuffersAreAsLargeAsTheyNeedToBe) {
  for (const char* delay : {"0ns", "50ns", "500ns"})
    for (const char* switches : {"infiniband", "infiniband:latency=400ns,credit=100ns",
                                 "iq:flit=64B,latency=130ns", "iq:flit=64B,latency=1us"})
      for (const std::uint32_t flits : {1U, 9U, 64U}) {
        const Fabric fabric = two_switches("100Gb/s", delay);
        SwitchModel model = model_from(switches);
        const std::uint32_t buffer =
            Timing(fabric, model).buffer(flits, model.switching != Switching::wormhole);
        model.buffer = buffer;
        EXPECT_TRUE(at_full_speed(fabric, model, flits)) << delay << switches << flits;
        model.buffer = buffer - 1;
        if (buffer > 8 && model.buffer >= flits) {
          EXPECT_FALSE(at_full_speed(fabric, model, flits)) << delay << switches << flits;
        }
      }
}

TEST(Timing, SaysWhatDoesNotFit) {
  const Fabric fabric = two_switches("100Gb/s", "0ns");
  const auto error = [&](const char* switches) {
    return test::message_of([&] { Timing(fabric, model_from(switches)); });
  };
  EXPECT_EQ(
      error("iq:flit=64B,latency=10ns,cross=5"),
      "iq:cross=5,flit=64B,latency=10ns: a latency of 10ns is 2 cycles of 5.12ns, and the stages "
      "of the switch take 6; smaller flits make shorter cycles");
  EXPECT_EQ(
      error("iq:latency=fast"),
      "iq: latency=fast: \"fast\" is not a delay: write a number and one of s, ms, us, ns, ps, "
      "cycles");
  EXPECT_EQ(error("iq:flit=1B,latency=100us"),
            "iq:flit=1B,latency=100us: latency: 100us are 1250000 cycles of 80ps; 1000000 are the "
            "most");
}

}  // namespace
}  // namespace weft::sim
