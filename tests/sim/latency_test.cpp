// SPDX-License-Identifier: Apache-2.0
// Packets alone in a network take exactly as long as the closed forms say, flit by flit.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "fabric/walk.hpp"
#include "plan/topo/topology.hpp"
#include "sim/timing.hpp"
#include "support/fabrics.hpp"
#include "support/groups.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Recorder;
using test::Script;

/// The cycles that a lone packet takes.
Cycle latency(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
              const Packet& packet) {
  Network network(fabric, tables, model, {.longest_packet = packet.flits});
  Recorder recorder(network, {{7, packet}});
  EXPECT_EQ(network.run(recorder, 10'000'000), NetworkEnd::quiet);
  EXPECT_FALSE(recorder.miscounted(network));
  EXPECT_FALSE(recorder.ends().at(0).why);
  EXPECT_EQ(network.totals().flit_hops, recorder.ends()[0].hops * std::uint64_t{packet.flits});
  return recorder.ends()[0].latency();
}

/// Every pair of hosts, one after another in one network: idle whenever a packet is sent.
void expect_every_pair(const Fabric& fabric, const std::string& engine, const SwitchModel& model,
                       Cycle per_link, Cycle per_flit_and_link) {
  const Tables tables = test::routed(fabric, engine);
  const StageCycles stages = Timing(fabric, model).stages(SwitchId(0));
  Walker walk(fabric, tables);
  for (std::uint32_t flits : {1U, 2U, 5U, 16U}) {
    Network network(fabric, tables, model, {.longest_packet = flits});
    Script script;
    Cycle at = 0;
    for (HostId from : fabric.hosts())
      for (HostId to : fabric.hosts())
        script.push_back({at += 2'000, {.from = from, .to = to, .flits = flits}});
    Recorder recorder(network, script);
    ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
    for (const auto& end : recorder.ends()) {
      const std::size_t links = walk(end.packet.from, end.packet.to).hops.size();
      ASSERT_EQ(end.hops, links + 1);
      const Cycle first = 1 + stages.link + per_link * (links + 1);
      ASSERT_EQ(end.latency(), first + (flits - 1) * (1 + per_flit_and_link * (links + 1)))
          << fabric.name() << " " << flits << " flits over " << links;
    }
  }
}

TEST(ZeroLoad, EveryDistanceOnMeshTorusAndFatTree) {
  // 5 links + 7 + (P-1) with one cycle for each stage.
  for (const auto& [topology, engine] : std::vector<std::pair<std::string, std::string>>{
           {"mesh:dims=5x3", "xy"},
           {"mesh:dims=3x2x2,hosts=2", "dor"},
           {"torus:dims=5x4", "dor"},
           {"torus:dims=3x3x3", "dor:lanes=service"},
           {"clos3:radix=4", "dmodk"},
           {"xgft:children=3x2x2,parents=1x2x2", "dmodk"},
           {"dragonfly:a=2,p=1,h=1", "sssp"}}) {
    const Fabric fabric = make_fabric(topology);
    expect_every_pair(fabric, engine, model_from("iq"), 5, 0);
    expect_every_pair(fabric, engine, model_from("iq:lanes=5"), 5, 0);
    expect_every_pair(fabric, engine, model_from("iq:switching=cut_through,buffer=16"), 5, 0);
    expect_every_pair(fabric, engine,
                      model_from("iq:switching=cut_through,buffer=16,multiplex=packet"), 5, 0);
    // Every link but the first waits for the whole packet.
    expect_every_pair(fabric, engine, model_from("iq:switching=store_and_forward,buffer=16"), 5, 1);
  }
}

TEST(ZeroLoad, EveryStageCounts) {
  const Fabric fabric = make_fabric("mesh:dims=4x2");
  Rng rng(5);
  for (int turn = 0; turn < test::tries(12); ++turn) {
    const auto draw = [&](std::uint64_t least) { return least + rng.below(6); };
    const Cycle route = draw(0), lane = draw(0), allocate = draw(1), cross = draw(0),
                link = draw(0), credit = draw(0);
    const bool stored = turn % 3 == 2;
    expect_every_pair(fabric, "xy",
                      model_from(fmt::format(
                          "iq:buffer=64,route={},allocate_lane={},allocate={},cross={},link={},"
                          "credit={},lanes={},switching={}",
                          route, lane, allocate, cross, link, credit, 1 + turn % 2,
                          stored ? "store_and_forward" : "wormhole")),
                      route + lane + allocate + cross + link, stored ? 1 : 0);
  }
}

/// Copies do not wait for each other: every member gets them when a packet for it alone would come.
TEST(ZeroLoad, MulticastTakesAsLongAsUnicast) {
  for (const char* topology : {"mesh:dims=4x3", "clos3:radix=4", "torus:dims=4x4"}) {
    const Fabric fabric = make_fabric(topology);
    Tables tables = test::routed(fabric, "updown");
    test::add_groups_of_all(fabric, tables);
    for (const char* switches :
         {"iq", "iq:switching=cut_through,multiplex=packet,lanes=2", "iq:flow=stop_go,buffer=30"}) {
      Network network(fabric, tables, model_from(switches), {.check = true, .longest_packet = 8});
      Script script;
      for (std::uint32_t g = 0; g < fabric.host_count(); ++g)
        script.push_back({g * 500U, {.from = HostId(g), .group = g, .flits = 1 + g % 8}});
      Recorder recorder(network, script);
      ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
      EXPECT_FALSE(recorder.miscounted(network));
      for (const auto& end : recorder.ends())
        ASSERT_EQ(end.latency(), 5 * (end.hops - 1) + 7 + end.packet.flits - 1)
            << topology << switches;
    }
  }
}

/// Switches in a line, with a host at each end and links of any speed and length.
struct Line {
  std::vector<std::uint32_t> intervals, delays;  ///< cycles a flit, and on the wire; by link
  Fabric fabric() const {
    FabricBuilder builder("line");
    const auto wire = [&](std::size_t i) {  // a flit of 8 bytes takes 8 ns at 8 Gb/s
      return Wire{{8'000'000'000 / intervals[i]}, Duration{std::int64_t{8'000} * delays[i]}};
    };
    const std::size_t last = intervals.size() - 1;
    for (std::size_t s = 0; s < last; ++s)
      builder.add_switch({"s" + std::to_string(s), 0, 0, 0, {}});
    for (std::size_t s = 1; s < last; ++s) builder.connect(SwitchId(s - 1), SwitchId(s), wire(s));
    builder.add_host({"a", SwitchId(0), 0, wire(0)});
    builder.add_host({"b", SwitchId(last - 1), 0, wire(last)});
    return std::move(builder).build();
  }
};

/// When the last flit arrives, by the recurrence of queues in a row: a flit leaves a stage after it
/// has come, after the one before it, and when the credit of the one `buffer` before it is back.
Cycle by_recurrence(const Line& line, const SwitchModel& model, std::uint32_t flits) {
  const std::size_t links = line.intervals.size();
  const auto cycles = [](const std::optional<Delay>& stage) {
    return static_cast<Cycle>(stage->nearest_cycles(Duration{1}));
  };
  const Cycle credit = cycles(model.credit);
  // All but a cycle of routing and of the allocation of lanes is spent ahead of the buffer.
  const Cycle in_buffer =
      std::min<Cycle>(cycles(model.route), 1) + std::min<Cycle>(cycles(model.lane), 1);
  const Cycle ahead = cycles(model.route) + cycles(model.lane) - in_buffer;
  const auto on_wire = [&](std::size_t i) { return cycles(model.link) + line.delays[i]; };
  const auto flight = [&](std::size_t i) {
    return (i == 0 ? 1 : cycles(model.allocate) + cycles(model.cross)) + on_wire(i) +
           line.intervals[i] - 1 + (i + 1 == links ? 0 : ahead);
  };
  std::vector<std::vector<Cycle>> leaves(links + 1, std::vector<Cycle>(flits, 0));
  for (std::uint32_t k = 0; k < flits; ++k)
    for (std::size_t i = 0; i <= links; ++i) {  // stage `links` is the host, which takes all
      Cycle& at = leaves[i][k];
      if (i > 0) at = leaves[i - 1][k] + flight(i - 1);
      if (i > 0 && i < links && k == 0) at += in_buffer;
      if (i < links && k > 0) at = std::max(at, leaves[i][k - 1] + line.intervals[i]);
      if (i < links && k >= model.buffer)
        at = std::max(at, leaves[i + 1][k - model.buffer] + 1 + on_wire(i) + credit);
    }
  return leaves[links][flits - 1];
}

TEST(ZeroLoad, LinesOfAnySpeedLengthAndBuffer) {
  Rng rng(17);
  for (int turn = 0; turn < test::tries(400, 5000) && !::testing::Test::HasFailure(); ++turn) {
    Line line;
    const bool equal = rng.below(2) == 0;  // else the slower links take the full path
    for (std::uint64_t i = 2 + rng.below(4); i > 0; --i) {
      line.intervals.push_back(equal ? 1 : std::uint32_t{1} << rng.below(4));
      line.delays.push_back(static_cast<std::uint32_t>(rng.below(2) * rng.below(30)));
    }
    line.intervals[rng.below(line.intervals.size())] = 1;
    const auto model = model_from(
        fmt::format("iq:buffer={},route={},allocate_lane={},allocate={},cross={},link={},credit={}",
                    1 + rng.below(40), rng.below(4), rng.below(4), 1 + rng.below(3), rng.below(3),
                    rng.below(3), rng.below(4)));
    const Fabric fabric = line.fabric();
    const Tables tables = test::routed(fabric, "updown");
    const auto flits = static_cast<std::uint32_t>(1 + rng.below(100));
    EXPECT_EQ(latency(fabric, tables, model, {.from = HostId(0), .to = HostId(1), .flits = flits}),
              by_recurrence(line, model, flits))
        << model.spec << " " << flits << " flits, turn " << turn;
  }
}

TEST(ZeroLoad, CreditsThatAreSentLaterHoldUpEveryFlit) {
  const Line line{{1, 1}, {0, 0}};
  const Fabric fabric = line.fabric();
  const Tables tables = test::routed(fabric, "updown");
  const auto took = [&](const char* switches) {
    return latency(fabric, tables, model_from(switches),
                   {.from = HostId(0), .to = HostId(1), .flits = 9});
  };
  EXPECT_EQ(took("iq:buffer=1,credit=5"), took("iq:buffer=1") + 8 * 5);
}

TEST(ZeroLoad, StoredPacketsOverLinksOfAnySpeed) {
  const Line line{{2, 1, 4, 8, 1}, {0, 3, 0, 11, 1}};
  const Fabric fabric = line.fabric();
  const Tables tables = test::routed(fabric, "updown");
  const SwitchModel model = model_from("iq:switching=store_and_forward,buffer=64");
  for (std::uint32_t flits : {1U, 3U, 64U}) {
    Cycle expected = 2 + 5 * 4;
    for (std::size_t i = 0; i < line.delays.size(); ++i)
      expected += line.delays[i] + line.intervals[i] - 1 + (flits - 1) * line.intervals[i];
    EXPECT_EQ(latency(fabric, tables, model, {.from = HostId(0), .to = HostId(1), .flits = flits}),
              expected);
  }
}

TEST(ZeroLoad, SpeedsThatDoNotDivide) {
  // A flit on 3 of 10 Gb/s takes 10/3 cycles: 300 of them 1000 cycles, and a cycle to round up.
  FabricBuilder builder("odd speeds");
  builder.add_switch({"s0", 0, 0, 0, {}});
  builder.add_host({"a", SwitchId(0), 0, {gigabits_per_second(10), {}}});
  builder.add_host({"b", SwitchId(0), 0, {gigabits_per_second(3), {}}});
  const Fabric fabric = std::move(builder).build();
  const Tables tables = test::routed(fabric, "updown");
  const Cycle one = latency(fabric, tables, model_from("iq"), {.from = HostId(0), .to = HostId(1)});
  EXPECT_EQ(one, 7U + 3);
  const Cycle many =
      latency(fabric, tables, model_from("iq"), {.from = HostId(0), .to = HostId(1), .flits = 301});
  EXPECT_GE(many, one + 1000);
  EXPECT_LE(many, one + 1001);
}

/// BookSim's latencies are cycles, however long a cycle is, and 1 is that of the switch model. For
/// one flit between the ends of the line BookSim 2 measures 17 cycles, and 45 with links of 15.
TEST(ZeroLoad, LatenciesOfAnAnynetFileAreCycles) {
  const auto fabric = [](const char* between, const char* to_node) {
    return read_fabric({"file", fmt::format("router 0 node 0 router 1{0}\n"
                                            "router 1 node 1 router 2{0}\n"
                                            "router 2 node 2{1}\n",
                                            between, to_node)});
  };
  const auto took = [](const Fabric& on, const char* switches, Packet packet) {
    return latency(on, test::routed(on, "updown"), model_from(switches), packet);
  };
  const Fabric plain = fabric("", ""), short_links = fabric(" 1", " 1"), links = fabric(" 15", ""),
               node = fabric("", " 4");
  for (const char* switches : {"iq:buffer=64", "iq:flit=1B,buffer=64", "iq:flit=24B,buffer=64"})
    for (std::uint32_t flits : {1U, 9U})
      for (std::uint32_t to : {0U, 1U, 2U}) {
        const Packet packet{.from = HostId(0), .to = HostId(to), .flits = flits};
        const Cycle alone = 7 + 5 * to + flits - 1;
        EXPECT_EQ(took(plain, switches, packet), alone) << switches;
        EXPECT_EQ(took(short_links, switches, packet), alone) << switches;
        EXPECT_EQ(took(links, switches, packet), alone + 14 * to) << switches;
        EXPECT_EQ(took(node, switches, packet), alone + (to == 2 ? 3 : 0)) << switches;
      }
}

}  // namespace
}  // namespace weft::sim
