// SPDX-License-Identifier: Apache-2.0
// Networks without contention: lone packets take as long as in the flit simulator, on the same
// links; packets of one host, and packets to one host, come one after the other.
#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/groups.hpp"
#include "support/networks.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Recorder;
using test::Script;
using Arrivals = std::map<std::pair<std::uint64_t, HostId>, std::pair<Cycle, unsigned>>;

struct Outcome {
  Arrivals arrivals;  ///< by tag and host: cycles and hops
  std::map<std::pair<std::uint64_t, HostId>, Loss> losses;
  std::vector<std::tuple<ChannelId, HostId, bool, std::uint64_t>> flits;  ///< by link
};

Outcome outcome_of(Network network, const Script& script) {
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  EXPECT_EQ(recorder.miscounted(network).value_or(""), "");
  EXPECT_EQ(network.totals().waiting, 0U);
  Outcome out;
  for (const auto& end : recorder.ends()) {
    if (end.why)
      out.losses[{end.packet.tag, end.at}] = *end.why;
    else
      out.arrivals[{end.packet.tag, end.at}] = {end.latency(), end.hops};
  }
  for (const LaneUse& use : network.lane_use()) {
    if (use.lane == 0) out.flits.push_back({use.channel, use.host, use.to_host, 0});
    std::get<3>(out.flits.back()) += use.flits;
  }
  return out;
}

SwitchModel without_contention(SwitchModel model) {
  model.contention = false;
  return model;
}

/// Every pair and every group, each packet in an idle network.
Script one_at_a_time(const Fabric& fabric, const Tables& tables, std::uint32_t longest) {
  Script out;
  Cycle at = 0;
  std::uint32_t flits = 0;
  const auto add = [&](Packet packet) {
    packet.flits = 1 + flits++ % longest;
    out.push_back({at += 20'000, packet});
  };
  for (const HostId from : fabric.hosts())
    for (const HostId to : fabric.hosts()) add({.from = from, .to = to});
  for (std::uint32_t group = 0; group < tables.groups.size(); ++group)
    add({.from = tables.groups[group].source.value_or(tables.groups[group].members.front()),
         .group = group});
  return out;
}

TEST(ContentionFree, LonePacketsTakeAsLongAsFlitByFlit) {
  for (const auto& [topology, engine] : std::vector<std::pair<std::string, std::string>>{
           {"mesh:dims=4x3,hosts=2", "xy"},
           {"torus:dims=4x4", "dor"},
           {"torus:dims=3x3x3", "dor:lanes=service"},
           {"clos3:radix=4,speed=100Gb/s,delay=50ns", "dmodk"},
           {"tree:k=4,n=2", "nca"},
           {"dragonfly:a=2,p=1,h=1", "sssp"}})
    for (const char* switches :
         {"iq", "iq:lanes=4,route=3,allocate_lane=0,cross=2,link=4", "iq:flow=stop_go",
          "iq:switching=store_and_forward,flit=32B", "infiniband"}) {
      const Fabric fabric = make_fabric(topology);
      const Tables tables = test::routed(fabric, engine);
      const SwitchModel model = model_from(switches);
      const Script script = one_at_a_time(fabric, tables, 16);
      const NetworkOptions options{.longest_packet = 16};
      const Outcome flits = outcome_of({fabric, tables, model, options}, script);
      const Outcome free = outcome_of({fabric, tables, without_contention(model), options}, script);
      EXPECT_EQ(free.arrivals, flits.arrivals) << topology << " " << switches;
      // Where routes leave choices, other links of the same length are taken.
      if (engine != "nca") {
        EXPECT_EQ(free.flits, flits.flits) << topology << " " << switches;
      }
    }
}

TEST(ContentionFree, MulticastTakesAsLongAsFlitByFlit) {
  for (const char* topology : {"mesh:dims=4x3", "clos3:radix=4", "torus:dims=4x4"}) {
    const Fabric fabric = make_fabric(topology);
    Tables tables = test::routed(fabric, "updown");
    test::add_groups_of_all(fabric, tables);
    const Script script = one_at_a_time(fabric, tables, 8);
    const SwitchModel model = model_from("iq");
    const NetworkOptions options{.longest_packet = 8};
    const Outcome flits = outcome_of({fabric, tables, model, options}, script);
    const Outcome free = outcome_of({fabric, tables, without_contention(model), options}, script);
    EXPECT_EQ(free.arrivals, flits.arrivals) << topology;
    EXPECT_EQ(free.flits, flits.flits) << topology;
  }
}

/// Buffers that are short, and stages that stand still, only add to the time.
TEST(ContentionFree, LonePacketsAreNeverLaterOnLinksOfAnySpeed) {
  std::size_t same = 0, all = 0;
  for (int i = 0; i < test::tries(100, 2'000) && !HasFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(80'000 + i);
    const test::RandomNetwork network = test::random_network(seed, {.speeds = true});
    if (leave_choices(network.tables)) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    const SwitchModel model = model_from(network.switches);
    const Script script =
        one_at_a_time(network.fabric, network.tables, network.options.longest_packet);
    const auto run = [&](const SwitchModel& with) {
      return outcome_of({network.fabric, network.tables, with, network.options}, script);
    };
    const Outcome flits = run(model), free = run(without_contention(model));
    EXPECT_EQ(free.losses, flits.losses);
    EXPECT_EQ(free.flits, flits.flits);
    for (const auto& [key, arrival] : free.arrivals) {
      const auto [latency, hops] = flits.arrivals.at(key);
      EXPECT_EQ(arrival.second, hops);
      EXPECT_LE(arrival.first, latency + 1);  // fractions of cycles
      same += arrival.first == latency ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(5 * same, 4 * all) << "of " << all;
}

TEST(ContentionFree, NothingVanishesInRandomNetworks) {
  for (int i = 0; i < test::tries(300, 5'000) && !HasFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(90'000 + i);
    test::RandomNetwork network =
        test::random_network(seed, {.speeds = i % 3 == 0, .groups = i % 2 == 0, .special = true});
    network.switches += network.switches == "iq" ? ":contention=no" : ",contention=no";
    const auto* choices = std::get_if<ChoiceTables>(&network.tables.paths);
    if (choices != nullptr && choices->have_detours()) continue;  // refused
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    const test::Ran ran = run_to_end(network, false), in_steps = run_to_end(network, false, 7);
    EXPECT_EQ(ran.ended, NetworkEnd::quiet);
    EXPECT_EQ(ran.wrong, "");
    EXPECT_EQ(in_steps.hash, ran.hash);
  }
}

TEST(ContentionFree, HostsSendAndReceiveOnePacketAfterTheOther) {
  const Fabric fabric = make_fabric("mesh:dims=3x3,hosts=2");
  const Tables tables = test::routed(fabric, "xy");
  const SwitchModel model = model_from("iq:contention=no");
  Script to_one, from_one;
  for (const HostId host : fabric.hosts()) {
    if (host == HostId(0)) continue;
    to_one.push_back({5, {.from = host, .to = HostId(0), .flits = 10}});
    from_one.push_back({5, {.from = HostId(0), .to = host, .flits = 10}});
  }
  for (const Script& script : {to_one, from_one}) {
    Network network(fabric, tables, model, {.longest_packet = 10});
    Recorder recorder(network, script);
    ASSERT_EQ(network.run(recorder, 30), NetworkEnd::in_time);
    if (script[0].packet.from == HostId(0)) {
      EXPECT_EQ(network.totals().waiting, script.size() - 3);
    }
    ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
    ASSERT_EQ(recorder.ends().size(), script.size());
    const Cycle first = recorder.ends().front().when, last = recorder.ends().back().when;
    if (script[0].packet.from != HostId(0)) {
      for (std::size_t i = 0; i < script.size(); ++i)
        EXPECT_EQ(recorder.ends()[i].when, first + 10 * i);
    } else {
      EXPECT_GE(last, 5 + 10 * script.size());
      EXPECT_LE(last, first + 10 * script.size() + 5 * 4);
    }
  }
}

/// What a host has received by a cycle never exceeds what its link can carry.
TEST(ContentionFree, LinksOfHostsCarryAFlitACycle) {
  const Fabric fabric = make_fabric("mesh:dims=3x3");
  const Tables tables = test::routed(fabric, "xy");
  Network network(fabric, tables, model_from("iq:contention=no"), {.longest_packet = 10});
  Script script;
  for (Cycle at = 0; at < 1'000; at += 10)
    for (const HostId host : fabric.hosts())
      script.push_back(
          {at, {.from = host, .to = HostId(host == HostId(1) ? 2U : 1U), .flits = 10}});
  Recorder recorder(network, script);
  for (Cycle now = 100; now < 20'000; now += 100) {
    const NetworkEnd end = network.run(recorder, now);
    for (const LaneUse& use : network.lane_use())
      if (use.host.valid()) {
        ASSERT_LE(use.flits, now);
      }
    if (end == NetworkEnd::quiet) return;
  }
  FAIL() << "it does not end";
}

TEST(ContentionFree, PacketsWithoutARouteAreLost) {
  const Fabric fabric = make_fabric("mesh:dims=3x2");
  Tables tables = test::routed(fabric, "xy");
  auto& next = std::get<DestinationTables>(tables.paths);
  next[tables.to_host[HostId(2)]][1] = no_port;
  next[tables.to_host[HostId(0)]][1] = next[tables.to_host[HostId(2)]][0];
  Network network(fabric, tables, model_from("iq:contention=no"), {.longest_packet = 4});
  Recorder recorder(network, {{0, {.from = HostId(0), .to = HostId(2), .flits = 4}},
                              {9, {.from = HostId(0), .to = HostId(1), .flits = 4}}});
  ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  ASSERT_EQ(recorder.ends().size(), 2U);
  EXPECT_EQ(recorder.ends()[0].why, Loss::no_route);
  EXPECT_FALSE(recorder.ends()[1].why);
  EXPECT_EQ(network.totals().lost, 1U);
}

TEST(ContentionFree, RefusesWhatNeedsFlits) {
  const Fabric fabric = make_fabric("mesh:dims=3x2");
  const Tables tables = test::routed(fabric, "xy");
  const SwitchModel model = model_from("iq:contention=no");
  const auto refusal = [&](const NetworkOptions& options) -> std::string {
    try {
      const Network network(fabric, tables, model, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.circuits = true}),
            "iq:contention=no: circuits, which this NIC opens, need contention=yes: without it, "
            "packets are not moved flit by flit");
  EXPECT_NE(refusal({.flit_departures = true}), "");
  NetworkOptions failing;
  failing.faults.bit_error_rate = 1e-9;
  EXPECT_NE(refusal(failing), "");
}

}  // namespace
}  // namespace weft::sim
