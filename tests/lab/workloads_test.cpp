// SPDX-License-Identifier: Apache-2.0
// Workloads as users ask for them, against closed forms: request and reply, batches, bursts,
// traffic matrices; traces of packets and flits; and what does not go together.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/message.hpp"
#include "fabric/walk.hpp"
#include "lab/simulate/experiment.hpp"
#include "lab/simulate/result_row.hpp"
#include "support/files.hpp"

namespace weft::test::workloads {
namespace {

/// Two hosts, a switch each: a packet of n flits takes 11 + n cycles, 5 of them for the link
/// between the switches.
SimulationSpec pair_of_hosts() {
  SimulationSpec out;
  out.fabric = "mesh:dims=2";
  out.tables = "dor";
  out.switches = "iq:lanes=4";
  return out;
}

TEST(RequestReply, ARoundTripIsARequestAndAReply) {
  SimulationSpec spec = pair_of_hosts();
  spec.packet = "2";
  spec.reply = "5";
  spec.source = "batch:packets=1";
  const SimulationResult result = simulate(spec, {.check = true});
  EXPECT_EQ(result.outcome, SimulationOutcome::complete);
  EXPECT_EQ(result.packets, 2U);
  EXPECT_EQ(result.mean, 13);
  EXPECT_EQ(result.reply.packets, 2U);
  EXPECT_EQ(result.reply.mean, 16);
  EXPECT_EQ(result.round_trip.mean, 29);
  EXPECT_EQ(result.measured, 29U);
}

/// With one packet at a time a batch takes as many round trips as it has packets.
TEST(RequestReply, InAWindowTheNextRequestWaitsForTheReply) {
  SimulationSpec spec = pair_of_hosts();
  spec.reply = "4";
  spec.window = "1";
  spec.source = "batch:packets=50";
  const SimulationResult result = simulate(spec);
  EXPECT_EQ(result.packets, 100U);
  EXPECT_EQ(result.round_trip.most, 12 + 15);
  EXPECT_EQ(result.measured, 50U * (12 + 15));
}

TEST(RequestReply, EveryMeasuredRequestIsAnswered) {
  SimulationSpec spec = pair_of_hosts();
  spec.fabric = "torus:dims=4x4";
  spec.load = "0.05";
  spec.reply = "4";
  spec.cycles = "20000";
  const SimulationResult result = simulate(spec, {.check = true});
  EXPECT_EQ(result.outcome, SimulationOutcome::steady);
  EXPECT_EQ(result.reply.packets, result.packets);
  EXPECT_EQ(result.round_trip.packets, result.packets);
  EXPECT_NEAR(result.round_trip.mean, result.mean + result.reply.mean, 1e-9 * result.mean);
  EXPECT_NEAR(result.offered, 0.05, 0.002);  // requests only
  EXPECT_NEAR(result.accepted, result.offered, 0.001);
  EXPECT_GT(result.reply.mean, result.mean + 2);  // it is three flits longer
}

/// At 0.3, requests and replies together are more than a host's link carries.
TEST(RequestReply, RepliesSaturateLinksToo) {
  SimulationSpec spec = pair_of_hosts();
  spec.reply = "3";
  spec.load = "0.3";
  EXPECT_EQ(simulate(spec).outcome, SimulationOutcome::saturated);
  spec.load = "0.2";
  EXPECT_EQ(simulate(spec).outcome, SimulationOutcome::steady);
}

TEST(Batch, TakesATimeThatIsKnown) {
  SimulationSpec spec = pair_of_hosts();
  for (const unsigned packets : {1U, 2U, 100U}) {
    spec.source = fmt::format("batch:packets={}", packets);
    const SimulationResult result = simulate(spec);
    EXPECT_EQ(result.outcome, SimulationOutcome::complete);
    EXPECT_EQ(result.packets, 2 * packets);
    // A flit a cycle, but for a few cycles in which the lanes of the link take turns.
    EXPECT_GE(result.measured, packets - 1 + 12);
    EXPECT_LE(result.measured, packets - 1 + 12 + packets / 20);
    EXPECT_GE(result.mean, 12 + (packets - 1) / 2.0);
  }
}

TEST(Bursts, KeepTheLoadAndCostLatency) {
  SimulationSpec spec = pair_of_hosts();
  spec.fabric = "mesh:dims=4x4";
  spec.load = "0.2";
  const SimulationResult plain = simulate(spec);
  spec.source = "onoff:on=50";
  const SimulationResult bursts = simulate(spec);
  EXPECT_EQ(bursts.outcome, SimulationOutcome::steady);
  EXPECT_NEAR(bursts.accepted, 0.2, 0.004);
  EXPECT_GT(bursts.mean, 1.1 * plain.mean);
}

class Matrix : public ::testing::Test {
 protected:
  std::string traffic(const std::string& text, const std::string& more = "") const {
    std::ofstream(folder_ / "tm.csv") << text;
    return "matrix:path=" + (folder_ / "tm.csv") + more;
  }
  weft::testing::TemporaryFolder folder_;
};

TEST_F(Matrix, LoadsAndDestinationsFollowTheRows) {
  SimulationSpec spec = pair_of_hosts();
  spec.fabric = "mesh:dims=2x2";
  spec.traffic = traffic("from,to,weight\nh0,h1,3\nh0,h2,1\nh3,h0,1\n");
  spec.load = "0.4";
  const SimulationResult result = simulate(spec, {.links = true});
  EXPECT_EQ(result.outcome, SimulationOutcome::steady);
  std::map<std::string, double> use;
  for (const LinkUse& link : result.links)
    if (link.lane < 0) use[link.from + ">" + link.to] = link.use;
  EXPECT_NEAR(use.at("h0>s0:5"), 0.4, 0.01);
  EXPECT_NEAR(use.at("s1:5>h1"), 0.3, 0.01);
  EXPECT_NEAR(use.at("s2:5>h2"), 0.1, 0.01);
  EXPECT_NEAR(use.at("h3>s3:5"), 0.1, 0.01);
  EXPECT_EQ(use.at("h1>s1:5"), 0);
}

/// A link of 8 Gb/s: rates are absolute.
TEST_F(Matrix, RatesAreWhatTheySay) {
  SimulationSpec spec = pair_of_hosts();
  spec.traffic = traffic("0,2\n500MB/s,0\n", ",unit=Gb/s,scale=0.5");
  spec.cycles = "100000";
  const SimulationResult result = simulate(spec);
  EXPECT_NEAR(result.most_host, 0.25, 0.006);
  EXPECT_NEAR(result.least_host, 0.125, 0.004);
}

/// A source that offers little is judged by what it offers, not by the mean of all.
TEST_F(Matrix, AnOverloadedDestinationIsFound) {
  SimulationSpec spec = pair_of_hosts();
  spec.fabric = "mesh:dims=2x2";
  spec.traffic = traffic("h0,h3,10\nh1,h3,10\nh2,h3,1\n");
  spec.load = "0.45";
  EXPECT_EQ(simulate(spec).outcome, SimulationOutcome::steady);
  spec.load = "0.55";  // 1.155 flits a cycle to one host
  EXPECT_EQ(simulate(spec).outcome, SimulationOutcome::saturated);
}

TEST_F(Matrix, WrongSpecs) {
  SimulationSpec spec = pair_of_hosts();
  const auto wrong = [&](const std::string& more) {
    spec.traffic = traffic("h0,h1,2\n", more);
    std::string message = message_of([&] { simulate(spec); });
    const std::size_t at = message.find(folder_ / "tm.csv");
    if (at != std::string::npos) message.replace(at, (folder_ / "tm.csv").size(), "tm.csv");
    return message;
  };
  EXPECT_EQ(wrong(",unit=furlongs"),
            "matrix: unit=furlongs: weights, flits, or the unit of a rate such as Gb/s or MB/s");
  EXPECT_EQ(wrong(",scale=0"), "matrix: scale=0: a number above 0 is needed");
  EXPECT_EQ(wrong(",scale=2"),
            "matrix: scale=2: only rates are scaled; --load says how much weights stand for");
  EXPECT_EQ(wrong(",unit=flits"),
            "matrix:path=tm.csv,unit=flits: host h0 is to send 2 flits per cycle; a host sends one "
            "at most");
  spec.load = "0.2";
  EXPECT_EQ(wrong(",unit=Gb/s"),
            "load=0.2: the matrix has rates, which say how much hosts send; scale=2 in its spec "
            "doubles them");
  spec.traffic = "matrix";
  EXPECT_EQ(message_of([&] { simulate(spec); }), "matrix: path=: a file is needed");
}

TEST(Workloads, WhatDoesNotGoTogether) {
  const auto wrong = [](auto change) {
    SimulationSpec spec = pair_of_hosts();
    change(spec);
    return message_of([&] { request_of(spec); });
  };
  using S = SimulationSpec&;
  EXPECT_EQ(wrong([](S s) { s.source = "onoff", s.window = "2"; }),
            "source=onoff: with a window hosts send when acknowledgments come");
  EXPECT_EQ(wrong([](S s) { s.source = "onoff:peak=0.3", s.load = "0.4"; }),
            "load=0.4: bursts offer 0.3 at most: peak=0.3");
  EXPECT_EQ(wrong([](S s) { s.source = "onoff:peak=0"; }),
            "onoff: peak=0: a burst offers more than nothing");
  EXPECT_EQ(wrong([](S s) { s.source = "onoff:peak=2"; }),
            "source=2: \"2\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(wrong([](S s) { s.source = "batch", s.load = "0.4"; }),
            "load=0.4: a batch has none: hosts have all packets at once");
  EXPECT_EQ(wrong([](S s) { s.source = "batch", s.cycles = "10"; }),
            "cycles=10: a batch is run to its end, and all of it is measured");
  EXPECT_EQ(wrong([](S s) { s.window = "2", s.reply = "2", s.ack = "3"; }),
            "ack=3: a reply acknowledges its request: it has the length of --reply");
  EXPECT_EQ(wrong([](S s) { s.source = "poisson"; }),
            "no source is called \"poisson\"; there are: bernoulli onoff batch");
  EXPECT_EQ(wrong([](S s) { s.traffic = "file:path=x", s.reply = "2"; }),
            "reply=2: a trace has none: its messages say what is sent and when, and it is run to "
            "its end");
}

TEST(Workloads, TheCommandOfAResultRepeatsIt) {
  SimulationSpec spec = pair_of_hosts();
  spec.source = "onoff:on=20,peak=0.5";
  spec.reply = "3";
  EXPECT_EQ(command_of(spec),
            "weft sim mesh:dims=2 dor --switch iq:lanes=4 --source onoff:on=20,peak=0.5 --reply 3");
  spec.cycles = "2000";
  const SimulationResult result = simulate(spec);
  const SimulationResult again = result_from(row_of(result));
  EXPECT_EQ(row_of(again), row_of(result));
  EXPECT_EQ(again.round_trip.mean, result.round_trip.mean);
}

struct TraceOfPackets {
  std::vector<sim::TracedPacket> packets{};
  std::vector<sim::Cycle> ends{};
  std::map<std::uint64_t, std::vector<std::pair<sim::Cycle, sim::TracedFlit>>> flits{};
  SimulationResult result{};
};

TraceOfPackets trace_of(const SimulationSpec& spec) {
  TraceOfPackets out;
  SimulationOptions options;
  options.trace.packet = [&](const sim::Network& network, const sim::TracedPacket& packet) {
    out.packets.push_back(packet);
    out.ends.push_back(network.now());
  };
  options.trace.flit = [&](const sim::Network& network, const sim::TracedFlit& flit) {
    out.flits[flit.packet].emplace_back(network.now(), flit);
  };
  out.result = simulate(spec, options);
  return out;
}

struct TracedCase {
  const char *fabric, *tables, *switches, *packet, *load, *faults;
};
class PacketTraces : public ::testing::TestWithParam<TracedCase> {};

TEST_P(PacketTraces, ChangeNothingAndSayWhereEveryFlitWent) {
  const TracedCase& of = GetParam();
  SimulationSpec spec = pair_of_hosts();
  spec.fabric = of.fabric;
  spec.tables = of.tables;
  spec.switches = of.switches;
  spec.packet = of.packet;
  spec.load = of.load;
  spec.faults = of.faults;
  spec.warmup = "500";
  spec.cycles = "1500";
  const SimulationResult plain = simulate(spec);
  const TraceOfPackets traced = trace_of(spec);
  EXPECT_EQ(row_of(traced.result), row_of(plain));

  const auto networks = std::make_shared<Networks>();
  const auto network = resolve(request_of(spec), networks).network();
  const Fabric& fabric = network->fabric();
  Walker walk(fabric, network->tables());
  double latency = 0, hops = 0;
  std::set<std::uint64_t> numbers;
  std::uint64_t delivered = 0, lost = 0;
  for (std::size_t i = 0; i < traced.packets.size(); ++i) {
    const sim::TracedPacket& packet = traced.packets[i];
    EXPECT_TRUE(numbers.insert(packet.number).second);
    (packet.lost ? lost : delivered) += 1;
    if (packet.lost) continue;
    latency += static_cast<double>(traced.ends[i] - packet.packet.created);
    hops += packet.hops;
    ASSERT_EQ(packet.hops, packet.route.size() + 1);
    SwitchId at = fabric[packet.packet.from].on;
    for (const ChannelId channel : packet.route) {
      ASSERT_EQ(fabric.from(channel), at);
      at = fabric.to(channel);
    }
    ASSERT_EQ(at, fabric[packet.packet.to].on);
    const Walk& tables = walk(packet.packet.from, packet.packet.to);
    if (tables.choices == 0) {
      ASSERT_EQ(tables.hops.size(), packet.route.size());
      for (std::size_t k = 0; k < packet.route.size(); ++k)
        ASSERT_EQ(tables.hops[k].channel, packet.route[k]);
    }
    // Every flit takes every link, in order, from the cycle of injection on.
    const auto& flits = traced.flits.at(packet.number);
    ASSERT_EQ(flits.size(), packet.packet.flits * (packet.route.size() + 2));
    ASSERT_EQ(flits.front().first, packet.packet.injected);
    ASSERT_LT(flits.back().first, traced.ends[i]);
    std::map<std::tuple<ChannelId, HostId, bool>, std::uint32_t> next;
    for (const auto& [cycle, flit] : flits)
      ASSERT_EQ(flit.link.flit, (next[{flit.link.channel, flit.link.host, flit.link.to_host}]++));
  }
  EXPECT_EQ(delivered, plain.packets);
  EXPECT_NEAR(latency / static_cast<double>(delivered), plain.mean, 1e-9 * plain.mean);
  EXPECT_NEAR(hops / static_cast<double>(delivered), plain.hops, 1e-9 * plain.hops);
  EXPECT_EQ(lost > 0, *of.faults != 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, PacketTraces,
    ::testing::Values(TracedCase{"torus:dims=4x4", "dor", "iq:lanes=4", "1", "0.2", ""},
                      TracedCase{"mesh:dims=4x4", "xy", "iq:lanes=2", "1*0.5+5*0.5", "0.2", ""},
                      TracedCase{"tree:k=2,n=3", "nca", "iq:lanes=2", "4", "0.3", ""},
                      TracedCase{"tree:k=2,n=3", "dmodk",
                                 "iq:lanes=2,buffer=32,switching=cut_through,multiplex=packet",
                                 "16", "0.3", ""},
                      TracedCase{"mesh:dims=4x4", "xy", "iq:lanes=2", "3", "0.1",
                                 "link=s5:1@1000;link=h3@1200"}));

}  // namespace
}  // namespace weft::test::workloads
