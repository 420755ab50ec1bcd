// SPDX-License-Identifier: Apache-2.0
// Simulations from their text to their result: latencies and throughputs that are known, all kinds
// of workload, and the errors of wrong input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/message.hpp"
#include "lab/simulate/experiment.hpp"
#include "support/files.hpp"

namespace weft::test {
namespace {

SimulationSpec mesh8(const std::string& traffic, const std::string& load) {
  SimulationSpec out;
  out.fabric = "mesh:dims=8x8";
  out.tables = "dor";
  out.switches = "iq:lanes=4";
  out.traffic = traffic;
  out.load = load;
  return out;
}

SimulationSpec mesh2(const std::string& traffic = "uniform") {
  SimulationSpec out = mesh8(traffic, "0.2");
  out.fabric = "mesh:dims=2x2";
  return out;
}

/// BookSim 2's latency with the same profile, and hops: 5 cycles per link between switches and 7.
TEST(Simulate, MeshAtLowLoad) {
  const SimulationResult result = simulate(mesh8("uniform:self=yes", "0.05"));
  EXPECT_EQ(result.outcome, SimulationOutcome::steady);
  EXPECT_NEAR(result.mean, 33.55, 0.02 * 33.55);
  EXPECT_NEAR(result.hops, 6.25, 0.1);
  EXPECT_LE(result.half_width, 0.0101 * result.mean);
  EXPECT_NEAR(result.offered, 0.05, 0.002);
  EXPECT_NEAR(result.accepted, 0.05, 0.002);
  EXPECT_GE(result.packets, 50'000U);
  EXPECT_LE(result.p50, result.p95);
  EXPECT_LE(result.p95, result.p99);
  EXPECT_LE(result.p99, result.p999);
  EXPECT_LE(result.p999, result.most);
  EXPECT_LE(result.network_mean, result.mean);
  EXPECT_LE(result.least_host, result.accepted);
  EXPECT_GE(result.most_host, result.accepted);
  EXPECT_NEAR(result.median_host, result.accepted, 0.05 * result.accepted);
  EXPECT_EQ(result.sent, result.delivered + result.lost + result.inside);
  EXPECT_EQ(result.lost, 0U);
}

TEST(Simulate, QuantilesOfLinksAreThoseOfItsLinks) {
  const SimulationResult result = simulate(mesh2(), {.links = true});
  std::vector<double> uses;
  for (const LinkUse& link : result.links)
    if (link.channel.valid() && link.lane == -1) uses.push_back(link.use);
  std::sort(uses.begin(), uses.end());
  ASSERT_EQ(uses.size(), 8U);
  EXPECT_EQ(result.link_p10, uses[0]);
  EXPECT_EQ(result.link_p50, uses[3]);
  EXPECT_EQ(result.link_p90, uses[7]);
  EXPECT_EQ(result.most_link, uses[7]);
  EXPECT_LT(result.link_p10, result.link_p90);
}

TEST(Simulate, OverloadIsSaturatedAndStillAcceptsWhatItCan) {
  const SimulationResult result = simulate(mesh8("uniform:self=yes", "1"));
  EXPECT_EQ(result.outcome, SimulationOutcome::saturated);
  EXPECT_NEAR(result.offered, 1, 0.01);
  EXPECT_NEAR(result.accepted, 0.384, 0.03);
  EXPECT_GT(result.packets, 100'000U);
  EXPECT_GT(result.mean, 1000);
  EXPECT_NEAR(result.hops, 6, 0.5);
}

TEST(Simulate, TheSameAgain) {
  for (const char* load : {"0.3", "0.9"}) {
    const SimulationResult one = simulate(mesh8("uniform", load));
    const SimulationResult two = simulate(mesh8("uniform", load));
    EXPECT_EQ(one.mean, two.mean);
    EXPECT_EQ(one.half_width, two.half_width);
    EXPECT_EQ(one.flit_hops, two.flit_hops);
    EXPECT_EQ(one.cycles, two.cycles);
    EXPECT_EQ(one.busiest, two.busiest);
    SimulationSpec other = mesh8("uniform", load);
    other.seed = "2";
    EXPECT_NE(simulate(other).flit_hops, one.flit_hops);
  }
}

TEST(Simulate, GivenTimesAreKept) {
  SimulationSpec simulation = mesh8("uniform", "0.1");
  simulation.warmup = "700";
  simulation.cycles = "1300";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::steady);
  EXPECT_EQ(result.warmup, 700U);
  EXPECT_EQ(result.measured, 1300U);
  EXPECT_GE(result.cycles, 2000U);
}

TEST(Simulate, ClosedLoopIsBoundByTheRoundTrip) {
  SimulationSpec simulation = mesh2("neighbour:by=ids");
  simulation.load = "";
  simulation.window = "1";
  simulation.packet = "4";
  simulation.ack = "0";
  const SimulationResult at_once = simulate(simulation);
  EXPECT_EQ(at_once.outcome, SimulationOutcome::steady);
  // Without contention: one packet per latency.
  EXPECT_NEAR(at_once.accepted, 4 / at_once.mean, 0.05 * at_once.accepted);
  simulation.ack = "1";
  const SimulationResult acknowledged = simulate(simulation);
  EXPECT_LT(acknowledged.accepted, 0.7 * at_once.accepted);
  EXPECT_GT(acknowledged.accepted, 0.4 * at_once.accepted);
  simulation.window = "2";
  EXPECT_GT(simulate(simulation).accepted, 1.5 * acknowledged.accepted);
}

/// Packets longer than the measured time: most flits of those that end in it arrived before it.
TEST(Simulate, NoMoreIsAcceptedThanLinksCarry) {
  SimulationSpec simulation = mesh2("neighbour:by=ids");
  simulation.packet = "5000";
  simulation.load = "0.9";
  simulation.warmup = "20000";
  for (const char* cycles : {"300", "1000", "3000"}) {
    simulation.cycles = cycles;
    const SimulationResult result = simulate(simulation);
    EXPECT_LE(result.accepted, 1) << cycles;
    EXPECT_GT(result.accepted, 0) << cycles;
    EXPECT_LE(result.most_host, 1) << cycles;
  }
  simulation.window = "1";  // acknowledgments do not count
  simulation.ack = "20";
  simulation.load = "";
  simulation.packet = "20";
  simulation.cycles = "40000";
  const SimulationResult closed = simulate(simulation);
  EXPECT_NEAR(closed.accepted, closed.offered, 0.001);
}

TEST(Simulate, LatenciesByPriority) {
  SimulationSpec simulation = mesh8("uniform", "0.35");
  simulation.switches = "iq:lanes=4,priorities=yes";
  simulation.urgent = "0.2";
  simulation.cycles = "3000";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.urgent.packets + result.normal.packets, result.packets);
  const auto urgent = static_cast<double>(result.urgent.packets);
  const auto normal = static_cast<double>(result.normal.packets);
  EXPECT_NEAR(urgent, 0.2 * (urgent + normal), 0.02 * (urgent + normal));
  EXPECT_NEAR(result.mean * (urgent + normal),
              result.urgent.mean * urgent + result.normal.mean * normal, 1);
  EXPECT_LT(result.urgent.mean, 0.95 * result.normal.mean);
  EXPECT_LT(result.urgent.p99, result.normal.p99);
  EXPECT_EQ(std::max(result.urgent.most, result.normal.most), result.most);
  simulation.urgent = "0";
  EXPECT_EQ(simulate(simulation).normal.packets, 0U);
}

TEST(Simulate, AllToAllOnce) {
  SimulationSpec simulation = mesh2("all_to_all:rounds=3");
  simulation.load = "1";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::complete);
  EXPECT_EQ(result.packets, 4U * 3 * 3);
  EXPECT_EQ(result.sent, result.delivered);
  EXPECT_EQ(result.warmup, 0U);
  EXPECT_TRUE(std::isnan(result.half_width));  // every packet was measured
  simulation.load = "";
  simulation.window = "2";
  EXPECT_EQ(simulate(simulation).packets, 4U * 3 * 3);
}

TEST(Simulate, ATraceFromAFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "trace.csv";
  std::ofstream(path) << "source,destination,size,time\nh0,h1,10,5\nh3,h0,1,1000000000000\n";
  SimulationSpec simulation = mesh2("file:path=" + path);
  simulation.load = "";
  simulation.packet = "4";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::complete);
  EXPECT_EQ(result.packets, 4U);  // 4+4+2 and 1
  EXPECT_GT(result.cycles, 1'000'000'000'000U);
  EXPECT_EQ(result.most_host * static_cast<double>(result.measured), 10);
}

TEST(Simulate, LinksWhereAskedFor) {
  SimulationOptions options;
  options.links = true;
  const SimulationResult result = simulate(mesh2(), options);
  double channels = 0;
  std::size_t between = 0;
  for (const LinkUse& link : result.links) {
    if (link.lane != -1 || link.from[0] == 'h' || link.to[0] == 'h') continue;
    channels += link.use;
    ++between;
  }
  EXPECT_EQ(between, 8U);
  EXPECT_NEAR(channels / 8, result.mean_link, 1e-9);
  // Of three destinations two are one link away, and one is two.
  EXPECT_NEAR(result.mean_link, 4 * 0.2 * (4.0 / 3) / 8, 0.01);
  EXPECT_GE(result.most_link, result.mean_link);
  EXPECT_NE(result.busiest.find(" > s"), std::string::npos);
  EXPECT_TRUE(simulate(mesh2()).links.empty());
}

TEST(Simulate, ADeadlockIsAnOutcome) {
  SimulationSpec simulation = mesh8("tornado", "0.9");
  simulation.fabric = "ring:switches=8";
  simulation.tables = "minhop";
  simulation.switches = "iq:lanes=1,buffer=2";
  simulation.packet = "16";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::deadlocked);
  EXPECT_FALSE(result.explanation.empty());
}

/// Too short for the flit simulator's own check, which it makes every few thousand cycles.
TEST(Simulate, ADeadlockInAShortRunIsFoundWithAndWithoutChecks) {
  SimulationSpec simulation = mesh8("uniform", "0.8");
  simulation.fabric = "torus:dims=4x4";
  simulation.tables = "minhop";
  simulation.switches = "iq";
  simulation.packet = "16";
  simulation.warmup = "1000";
  simulation.cycles = "2000";
  for (const bool check : {false, true}) {
    const SimulationResult result = simulate(simulation, {.check = check});
    EXPECT_EQ(result.outcome, SimulationOutcome::deadlocked);
    EXPECT_LE(result.offered, 0.85);  // all of the measured time counts
    EXPECT_LE(result.most_link, 1.0);
  }
}

/// Buffers of 512 flits take what the links cannot, so no queue grows at the NICs at first.
TEST(Simulate, LargeBuffersThatFillAreSaturation) {
  SimulationSpec simulation = mesh8("uniform", "0.16");
  simulation.fabric = "rhinet2_a";
  simulation.tables = "sbp";
  simulation.switches = "iq:lanes=8,buffer=512,flow=stop_go";
  simulation.packet = "69";
  simulation.warmup = "3000";
  simulation.cycles = "6000";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::saturated);
  EXPECT_LT(result.accepted, 0.9 * result.offered);
}

/// The few packets that arrive quickly say nothing about the others.
TEST(Simulate, ALatencyOfSurvivorsIsNone) {
  SimulationSpec simulation = mesh8("hot_spot:share=0.9,host=0", "0.5");
  simulation.fabric = "crossbar:hosts=8";
  simulation.tables = "updown";
  simulation.packet = "4";
  simulation.warmup = "5000";
  simulation.cycles = "10000";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::saturated);
  EXPECT_EQ(result.packets, 0U);
  EXPECT_GT(result.accepted, 0.1);
}

TEST(Simulate, SaturationIsRecognisedInAGivenWarmUp) {
  SimulationSpec simulation = mesh8("uniform", "0.9");
  simulation.warmup = "5000";
  simulation.cycles = "5000";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::saturated);
  EXPECT_GT(result.mean, 1000);
}

/// The busiest link serves seven sources, so each gets a seventh; the other 57 keep up.
SimulationSpec bit_reversal(const std::string& load, const std::string& seed) {
  SimulationSpec out = mesh8("bit_reversal", load);
  out.switches = "iq:lanes=2";
  out.packet = "16";
  out.warmup = "5000";
  out.cycles = "20000";
  out.seed = seed;
  return out;
}

TEST(Simulate, ASourceThatStarvesIsSaturation) {
  for (const char* seed : {"1", "2", "3"}) {
    const SimulationResult over = simulate(bit_reversal("0.15", seed));
    EXPECT_EQ(over.outcome, SimulationOutcome::saturated) << seed;
    EXPECT_GT(over.accepted, 0.98 * over.offered);  // the mean does not show it
    EXPECT_LT(over.worst_accepted, 0.85 * over.worst_offered);
    EXPECT_EQ(over.measured, 20'000U);
    const SimulationResult under = simulate(bit_reversal("0.13", seed));
    EXPECT_EQ(under.outcome, SimulationOutcome::steady) << seed;
  }
  EXPECT_EQ(simulate(bit_reversal("0.15", "1")).worst_host, "h57");
}

/// Short runs at 0.8 of what the network carries: the more hosts, the more of them have bad luck.
TEST(Simulate, BadLuckOfSourcesIsNoSaturation) {
  struct Case {
    const char *fabric, *traffic, *packet, *load;
  };
  for (const Case& one : {Case{"mesh:dims=8x8", "transpose", "1", "0.115"},
                          Case{"mesh:dims=8x8", "hot_spot:share=0.1,host=27", "4", "0.1"},
                          Case{"mesh:dims=8x8", "complement", "16", "0.17"},
                          Case{"torus:dims=8x8", "tornado", "1", "0.13"},
                          Case{"mesh:dims=32x32", "uniform", "4", "0.08"}})
    for (const char* seed : {"1", "2", "3"}) {
      SimulationSpec simulation = mesh8(one.traffic, one.load);
      simulation.fabric = one.fabric;
      simulation.packet = one.packet;
      simulation.warmup = "1000";
      simulation.cycles = "2000";
      simulation.seed = seed;
      EXPECT_EQ(simulate(simulation).outcome, SimulationOutcome::steady) << one.traffic << seed;
    }
}

/// Hosts of a closed loop send no more than the network accepts: none can fall behind.
TEST(Simulate, AClosedLoopHasNoWorstHost) {
  SimulationSpec simulation = mesh8("bit_reversal", SimulationSpec{}.load);
  simulation.window = "8";
  simulation.warmup = "1000";
  simulation.cycles = "2000";
  const SimulationResult result = simulate(simulation);
  EXPECT_EQ(result.outcome, SimulationOutcome::steady);
  EXPECT_EQ(result.worst_host, "");
  EXPECT_TRUE(std::isnan(result.worst_offered));
  EXPECT_TRUE(std::isnan(result.worst_accepted));
}

TEST(Simulate, EndsWhenNothingComesThrough) {
  for (const char* faults : {"link=h0@0", "switch=s0@0", "errors=1"}) {
    SimulationSpec simulation = mesh8("uniform", "0.1");
    simulation.fabric = "crossbar:hosts=2";
    simulation.tables = "minhop";
    simulation.faults = faults;
    const SimulationResult result = simulate(simulation);
    EXPECT_EQ(result.delivered, 0U) << faults;
    EXPECT_GT(result.lost, 0U) << faults;
  }
}

TEST(Simulate, NothingVanishesWhenLinksFail) {
  SimulationSpec simulation = mesh8("uniform", "0.1");
  simulation.faults = "link=s0:1@2000";
  simulation.cycles = "4000";
  const SimulationResult result = simulate(simulation, {.check = true});
  EXPECT_GT(result.lost, 0U);
  EXPECT_EQ(result.sent, result.delivered + result.lost + result.inside);
  std::uint64_t reasons = 0;
  for (const auto& [why, count] : result.lost_why) reasons += count;
  EXPECT_EQ(reasons, result.lost);
}

TEST(Simulate, WrongInput) {
  const auto said = [](std::string SimulationSpec::*part, const std::string& value) {
    SimulationSpec simulation = mesh2();
    if (value.starts_with("file")) simulation.load = "";
    simulation.*part = value;
    return message_of([&] { simulate(simulation); });
  };
  const auto load = [&](const std::string& value) { return said(&SimulationSpec::load, value); };
  EXPECT_EQ(load("1.1"), "load=1.1: \"1.1\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(load("nan"), "load=nan: \"nan\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(load("-0.1"), "load=-0.1: \"-0.1\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(load("0"), "load=0: it has to be above 0, and 2^-63 or more");
  EXPECT_EQ(load("1e-30"), "load=1e-30: it has to be above 0, and 2^-63 or more");
  EXPECT_EQ(said(&SimulationSpec::packet, "0"),
            "packet=0: a length is 1 to 65535 flits, or as many bytes with a unit, as in 64B");
  EXPECT_EQ(said(&SimulationSpec::window, "-1"),
            "window=-1: a whole number from 0 to 16777216 is needed");
  EXPECT_EQ(said(&SimulationSpec::window, "2"),
            "load=0.2: with a window hosts send when acknowledgments come, at no load of their "
            "own");
  EXPECT_EQ(said(&SimulationSpec::urgent, "2"),
            "urgent=2: \"2\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(said(&SimulationSpec::warmup, "soon"),
            "warmup=soon: a whole number of cycles from 0 to 1099511627776, or auto");
  EXPECT_EQ(said(&SimulationSpec::cycles, "0"),
            "cycles=0: a whole number of cycles from 1 to 1099511627776, or auto");
  EXPECT_EQ(said(&SimulationSpec::fabric, ""), "a simulation needs a fabric");
  EXPECT_EQ(said(&SimulationSpec::tables, ""),
            "a simulation needs tables, by a routing engine or a file of tables");
  EXPECT_EQ(said(&SimulationSpec::tables, "no/such.tables"),
            "no/such.tables: there is no such file");
  EXPECT_TRUE(said(&SimulationSpec::tables, "magic")
                  .starts_with("\"magic\" is neither a file nor a routing engine; engines are: "));
  EXPECT_TRUE(said(&SimulationSpec::traffic, "chaos")
                  .starts_with("no traffic pattern is called \"chaos\"; there are: uniform "));
  EXPECT_EQ(said(&SimulationSpec::traffic, "file"), "file: path=: a file is needed");
  EXPECT_EQ(said(&SimulationSpec::traffic, "file:path=no/such.csv"),
            "no/such.csv: No such file or directory");
}

}  // namespace
}  // namespace weft::test
