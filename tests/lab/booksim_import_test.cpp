// SPDX-License-Identifier: Apache-2.0
// Configurations of BookSim 2 as commands.
#include <gtest/gtest.h>

#include "base/message.hpp"
#include "lab/booksim/translation.hpp"
#include "support/paths.hpp"

namespace weft::test::booksim_import {
namespace {

using booksim::Likeness;

booksim::TranslatedConfiguration translation(const std::string& text,
                                             Likeness likeness = Likeness::exact) {
  const Source source{"config", text};
  return booksim::translated(booksim::Configuration(source), likeness);
}
std::string command(const std::string& text, Likeness likeness = Likeness::exact) {
  return booksim::command_of(translation(text, likeness));
}
std::string message(const std::string& text) {
  return message_of([&] { command(text); });
}

const std::string mesh = "topology = mesh; k = 8; n = 2; routing_function = dor;\n";

TEST(BookSimImport, DefaultsAreThoseOfBookSim) {
  EXPECT_EQ(command(mesh),
            "weft sim mesh:dims=8x8 dor --switch iq:lanes=16,buffer=8 --traffic uniform:self=yes "
            "--warmup 3000 --seed 0");
}

TEST(BookSimImport, EverythingOfASwitch) {
  EXPECT_EQ(
      translation(mesh + "num_vcs = 4; vc_buf_size = 16; routing_delay = 0; vc_alloc_delay = 2;\n"
                         "sw_alloc_delay = 3; st_prepare_delay = 1; st_final_delay = 2;\n"
                         "credit_delay = 2; input_speedup = 4; wait_for_tail_credit = 1;")
          .spec.switches,
      "iq:lanes=4,buffer=16,route=0,allocate_lane=2,allocate=3,cross=3,credit=2,reuse=empty,"
      "inputs=lane");
}

TEST(BookSimImport, Topologies) {
  const auto network = [](const std::string& text) {
    const SimulationSpec spec = translation(text, Likeness::nearest).spec;
    return spec.fabric + " " + spec.tables;
  };
  const std::string two = "k = 4; n = 2; ";
  EXPECT_EQ(network(two + "topology = torus; routing_function = dim_order;"),
            "torus:dims=4x4,delay=8ns,host_delay=0ns dor");
  EXPECT_EQ(network(two + "topology = torus; routing_function = valiant; use_noc_latency = 0;"),
            "torus:dims=4x4 valiant");
  EXPECT_EQ(network(two + "topology = torus; routing_function = min_adapt; use_noc_latency = 0;"),
            "torus:dims=4x4 min_adaptive:escape=dor,prefer=none,lanes=3");
  EXPECT_EQ(network(two + "topology = mesh; routing_function = min_adapt; num_vcs = 4; "
                          "use_noc_latency = 0;"),
            "mesh:dims=4x4 min_adaptive:escape=dor,prefer=none,lanes=4");
  EXPECT_EQ(network(two + "topology = cmesh; c = 4; xr = 2; yr = 2; "
                          "routing_function = dor_no_express;"),
            "mesh:dims=4x4,hosts=4,delay=8ns,host_delay=0ns dor");
  EXPECT_EQ(network("topology = fly; k = 10; n = 1; routing_function = dest_tag;"),
            "crossbar:hosts=10 minhop");
  EXPECT_EQ(network("topology = fattree; k = 4; n = 3; routing_function = anca;"),
            "tree:k=4,n=3 nca");
  EXPECT_EQ(network(two + "topology = flatfly; c = 4; routing_function = ugal;"),
            "hyperx:dims=4x4,hosts=4 ugal");
  EXPECT_EQ(network("topology = dragonflynew; k = 2; n = 1; routing_function = ugal;"),
            "dragonfly:a=4,p=2,h=2,delay=72ns,global_delay=792ns,host_delay=0ns "
            "ugal:lanes=booksim,threshold=30");
  EXPECT_EQ(network("topology = anynet; network_file = a.net; routing_function = min;"),
            "a.net minhop");
}

TEST(BookSimImport, TrafficAndLoad) {
  const auto words = [](const std::string& text) {
    const SimulationSpec spec = translation(mesh + text, Likeness::nearest).spec;
    return spec.traffic + " " + spec.packet + " " + spec.load;
  };
  EXPECT_EQ(words("traffic = bitcomp; packet_size = 20; injection_rate = 0.005;"),
            "complement 20 0.1");
  EXPECT_EQ(words("traffic = neighbor; packet_size = 20; injection_rate = 0.3; "
                  "injection_rate_uses_flits = 1;"),
            "neighbour 20 0.3");
  EXPECT_EQ(words("packet_size = {1, 4}; packet_size_rate = {3, 1}; injection_rate = 0.1;"),
            "uniform:self=yes 1*0.75+4*0.25 0.175");
  EXPECT_EQ(words("traffic = randperm; perm_seed = 42;"), "permutation:seed=42,self=yes 1 0.1");
  EXPECT_EQ(words("traffic = hotspot({{5}});"), "hot_spot:share=1,host=5 1 0.1");
  EXPECT_EQ(words("traffic = bad_dragon;"), "adversarial 1 0.1");
}

/// As BookSim 2 has it, one of the three numbers follows from the load.
TEST(BookSimImport, Bursts) {
  const std::string bursts = mesh + "injection_process = on_off;\n";
  const auto source = [](const std::string& text) { return translation(text).spec.source; };
  EXPECT_EQ(source(mesh), "bernoulli");
  EXPECT_EQ(source(bursts), "onoff:on=2,peak=0.2");
  EXPECT_EQ(source(bursts + "burst_alpha = 0.01; burst_beta = 0.04; packet_size = 2;"),
            "onoff:on=25,peak=1");
  EXPECT_EQ(source(bursts + "burst_alpha = -1; burst_beta = 0.05; burst_r1 = 0.5;"),
            "onoff:on=20,peak=0.5");
  EXPECT_EQ(source(bursts + "burst_alpha = 0.05; burst_beta = -1; burst_r1 = 0.2;"),
            "onoff:on=20,peak=0.2");
  EXPECT_EQ(source(mesh + "injection_process = on_off({-1, 0.1, 0.4}); burst_beta = 0.7;"),
            "onoff:on=10,peak=0.4");
  EXPECT_NE(command(bursts).find(" --source onoff:on=2,peak=0.2"), std::string::npos);
  EXPECT_EQ(message(mesh + "burst_beta = 0.3; injection_process = on_off;"),
            "config:2: injection_process = on_off cannot be expressed: bursts last for 3.33333 "
            "cycles on average; a whole number is possible, such as 3 (--nearest takes that)");
  EXPECT_EQ(message(bursts + "injection_rate = 0.9; burst_alpha = 0.1;"),
            "config:2: injection_process = on_off cannot be expressed: bursts would end with a "
            "chance of 0.5 a cycle, pauses of 0.1, and hosts send 5.4 flits a cycle in a burst; "
            "more than 0 and up to 1 are possible");
  EXPECT_EQ(message(bursts + "burst_r1 = 0.5;"),
            "config:2: injection_process = on_off cannot be expressed: of burst_alpha, burst_beta "
            "and burst_r1, two are needed, and -1 for the one that follows from the load");
  EXPECT_EQ(message(mesh + "injection_process = on_off({x});"),
            "config:2: injection_process = on_off({x}) cannot be expressed: \"x\" is no number");
  EXPECT_EQ(message(mesh + "injection_process = bernouli;"),
            "config:2: injection_process = bernouli cannot be expressed: BookSim 2 has no such "
            "process; did you mean bernoulli?");
}

TEST(BookSimImport, WhatIsNearestIsNoted) {
  const auto notes = translation(mesh + "sw_allocator = wavefront;", Likeness::nearest).notes;
  EXPECT_EQ(notes, std::vector<std::string>{"sw_allocator = wavefront: weft's is iSLIP"});
}

TEST(BookSimImport, TheFirstParameterThatCannotBeExpressedIsNamed) {
  EXPECT_EQ(message(mesh + "noq = 1;\nspeculative = 1;"),
            "config:2: noq = 1 cannot be expressed: only noq = 0 is there");
  EXPECT_EQ(message(mesh + "// a remark\nclasses = 2;\nsubnets = 2;"),
            "config:3: classes = 2 cannot be expressed: only classes = 1 is there");
  EXPECT_EQ(message(mesh + "alloc_iters = 2;"),
            "config:2: alloc_iters = 2 cannot be expressed: one iteration is made (--nearest takes "
            "that)");
  EXPECT_EQ(message("topology = mesh;\nrouting_function = chaos;"),
            "config:2: routing_function = chaos cannot be expressed: of mesh, weft has dor, "
            "dim_order, xy_yx, adaptive_xy_yx, romm, valiant, min_adapt");
  EXPECT_EQ(message(mesh + "num_vcs = 0;"),
            "config:2: num_vcs = 0 cannot be expressed: 1 to 64 lanes are possible");
  EXPECT_EQ(message(mesh + "\nvc_buf_size = 0;"),
            "config:3: vc_buf_size = 0 cannot be expressed: buffers have 1 to 65535 flits");
  EXPECT_EQ(message("topology = qtree;"),
            "config:1: topology = qtree cannot be expressed: its trees have switches of unlike "
            "sizes");
  EXPECT_EQ(message("topology = flatfly; routing_function = ran_min;"),
            "config:1: use_noc_latency = 1, BookSim's default, cannot be expressed: links have "
            "delays by their lengths there; here all take one cycle (--nearest takes that)");
  EXPECT_EQ(message(mesh + "injection_rate = 0.5;\npacket_size = 4;"),
            "config:2: injection_rate = 0.5 cannot be expressed: hosts would send 2 flits a cycle; "
            "more than 0 and up to 1 are possible");
  EXPECT_EQ(message(mesh + "traffic = taper64;"),
            "config:2: traffic = taper64 cannot be expressed: there is no such pattern; weft reads "
            "traffic matrices");
  EXPECT_EQ(message(mesh + "sim_type = batch;"),
            "config:2: sim_type = batch cannot be expressed: latency and throughput are there; for "
            "batches see weft list sources");
}

TEST(BookSimImport, MisspeltValuesGetASuggestion) {
  EXPECT_EQ(message(mesh + "traffic = unifrom;"),
            "config:2: traffic = unifrom cannot be expressed: BookSim 2 has no such pattern; did "
            "you mean uniform?");
  EXPECT_EQ(message(mesh + "traffic = hotspt({{3}});"),
            "config:2: traffic = hotspt({{3}}) cannot be expressed: BookSim 2 has no such pattern; "
            "did you mean hotspot?");
  EXPECT_EQ(message("topology = dragonfly;"),
            "config:1: topology = dragonfly cannot be expressed: BookSim 2 has no such topology; "
            "did you mean dragonflynew?");
  EXPECT_EQ(message("topology = mesh;\nrouting_function = valient;"),
            "config:2: routing_function = valient cannot be expressed: of mesh, weft has dor, "
            "dim_order, xy_yx, adaptive_xy_yx, romm, valiant, min_adapt; did you mean valiant?");
}

/// Whether the network of a configuration can deadlock, or why weft refuses it.
std::string verdict(const std::string& text) {
  const Source source{"config", text};
  const booksim::Configuration configuration(source);
  return message_of([&] {
    const std::string found =
        booksim::verdict_on(booksim::translated(configuration, Likeness::nearest), configuration);
    throw Error("{}", found);
  });
}

TEST(BookSimImport, TooFewLanesAreNamed) {
  const std::string two = "k = 4; n = 2; use_noc_latency = 0; ";
  EXPECT_EQ(
      verdict(two + "topology = mesh; routing_function = romm;\nnum_vcs = 1;"),
      "config:2: num_vcs = 1: romm of weft needs 2 lanes; BookSim 2 stops there with a failed "
      "assertion");
  EXPECT_EQ(verdict(two + "topology = torus; routing_function = dim_order;\nnum_vcs = 1;"),
            "config:2: num_vcs = 1: dor of weft needs 2 lanes; BookSim 2 stops there with a failed "
            "assertion");
  EXPECT_EQ(verdict(two + "topology = torus; routing_function = valiant;\nnum_vcs = 3;"),
            "config:2: num_vcs = 3: valiant of weft needs 4 lanes; BookSim 2 stops there with a "
            "failed assertion");
  EXPECT_EQ(verdict(two + "topology = mesh; routing_function = min_adapt;\nnum_vcs = 1;"),
            "config:2: num_vcs = 1: min_adaptive:escape=dor,prefer=none,lanes=1: needs 2 lanes for "
            "dor routes to escape to and adaptive ones, and there is 1; BookSim 2 takes the lane "
            "to escape to alone there: routing_function = dim_order is the same");
  EXPECT_EQ(verdict("topology = dragonflynew; k = 2; n = 1; routing_function = ugal;\nnum_vcs=2;"),
            "config:2: num_vcs = 2: ugal:lanes=booksim,threshold=30 of weft needs 3 lanes; BookSim "
            "2 stops there with a failed assertion, as with more than 3");
  EXPECT_EQ(verdict("topology = mesh; k = 3; n = 2; routing_function = dor; traffic = bitrev;"),
            "bit_reversal: the fabric has 9 hosts; a power of two is needed");
}

TEST(BookSimImport, TellsWhetherItCanDeadlock) {
  EXPECT_EQ(verdict("topology = mesh; k = 4; n = 2; routing_function = dor;"),
            "free of deadlock: the numbers of 48 channels strictly increase along every route");
  const std::string ugal =
      "topology = dragonflynew; k = 2; n = 1; routing_function = ugal; num_vcs = 3;";
  EXPECT_EQ(verdict(ugal),
            "can deadlock in switches that wait for any choice (wormhole): 6 channels wait for "
            "each other in a circle");
  ASSERT_EQ(translation(ugal).notes.size(), 1U);
  EXPECT_TRUE(translation(ugal).notes[0].starts_with(
      "routing_function = ugal: BookSim 2's own has these lanes, and deadlocks under load; "));
  const std::string adaptive =
      "topology = mesh; k = 4; n = 2; routing_function = min_adapt; num_vcs = 4;";
  EXPECT_TRUE(verdict(adaptive).starts_with(
      "can deadlock in switches that give lanes away before they are empty (wormhole): "))
      << verdict(adaptive);
  EXPECT_TRUE(
      verdict(adaptive + "wait_for_tail_credit = 1;")
          .starts_with("free of deadlock in switches that wait for any choice (wormhole): "));
}

TEST(BookSimImport, TellsWhereBookSimItselfDeadlocksOrStops) {
  const auto notes = [](const std::string& text) {
    return translation("topology = " + text, Likeness::nearest).notes;
  };
  ASSERT_EQ(notes("mesh; routing_function = valiant;").size(), 1U);
  EXPECT_TRUE(notes("mesh; routing_function = valiant;")[0].starts_with(
      "routing_function = valiant: BookSim 2's own can deadlock, for one under transpose "));
  EXPECT_EQ(notes("dragonflynew; n = 1; k = 2; num_vcs = 4; routing_function = ugal;")[0],
            "num_vcs = 4: BookSim 2's ugal stops unless there are 3");
}

TEST(BookSimImport, Messages) {
  EXPECT_EQ(message("topolgy = mesh;"),
            "config:1: BookSim 2 has no parameter \"topolgy\"; did you mean topology?");
  EXPECT_EQ(message("topology = mesh;\nk"), "config:2: \"k\" has no value; write key = value;");
  EXPECT_EQ(message("topology = mesh;\nk = 4\nn = 2;"),
            "config:2: a semicolon is missing behind k");
  EXPECT_EQ(message("k = 4"), "config:1: a semicolon is missing behind k");
  EXPECT_EQ(message(mesh + "= 4;"), "config:2: \" = 4\": write key = value;");
  EXPECT_EQ(message(mesh + "num_vcs = many;"),
            "config:2: num_vcs = many: a whole number up to 1000000000 is needed");
  EXPECT_EQ(message(mesh + "n = 21;"), "config:2: n = 21: up to 20 dimensions are possible");
  EXPECT_EQ(message(mesh + "injection_rate = x;"),
            "config:2: injection_rate = x: a number is needed");
}

TEST(BookSimImport, AFile) {
  const Source source =
      read_source(weft::testing::source_dir().string() + "/tests/recorded/booksim2/mesh4.config");
  EXPECT_EQ(
      booksim::command_of(booksim::translated(booksim::Configuration(source), Likeness::exact)),
      "weft sim mesh:dims=4x4 dor --switch iq:lanes=2,buffer=8 --traffic transpose --packet "
      "'1*0.75+4*0.25' --load 0.175 --warmup 2000 --seed 7");
}

}  // namespace
}  // namespace weft::test::booksim_import
