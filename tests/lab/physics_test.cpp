// SPDX-License-Identifier: Apache-2.0
// Figures that follow from a machine, warnings about what no machine has, and machines that are
// made to fit two measurements.
#include "lab/cluster/physics.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"
#include "fabric/builder.hpp"
#include "lab/program/design.hpp"
#include "lab/program/experiment.hpp"
#include "lab/program/path.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"

namespace weft {
namespace {

using test::message_of;

std::vector<std::string> warnings(const char* topology, const char* switches,
                                  std::uint32_t longest = 1) {
  return warnings_about(make_fabric(topology), sim::model_from(switches), longest);
}

TEST(Physics, FiguresFollowFromSwitchesAndCables) {
  const Fabric fabric = make_fabric("crossbar:hosts=4,speed=100Gb/s,delay=50ns,host_delay=10ns");
  const NetworkFigures figures = figures_of(fabric, sim::model_from("infiniband"), 65);
  EXPECT_EQ(figures.cycle, duration_from("5.12ns"));
  EXPECT_EQ(figures.hop, duration_from("128ns"));  // 25 cycles
  EXPECT_EQ(figures.host_cable, duration_from("10ns"));
  // 1 + 2 cycles of cable + 24 in the switch; back 1 + 2.
  EXPECT_EQ(figures.round_trip, Bytes{30 * 64});
  EXPECT_EQ(figures.buffer, Bytes{(30 + 64) * 64});
}

TEST(Physics, NothingIsWrongWithWhatIsAutomatic) {
  EXPECT_EQ(warnings("mesh", "iq"), std::vector<std::string>());
  EXPECT_EQ(warnings("mesh:speed=100Gb/s,delay=500ns", "infiniband", 65),
            std::vector<std::string>());
  EXPECT_EQ(warnings("mesh", "iq:flow=stop_go", 16), std::vector<std::string>());
}

TEST(Physics, BuffersThatCannotFillALink) {
  EXPECT_EQ(warnings("mesh:delay=80ns", "iq:buffer=8"),
            std::vector<std::string>{
                "buffers of 64B a lane cannot keep the longest link busy until its credits are "
                "back; buffer=216B would do"});
  EXPECT_EQ(warnings("mesh:delay=80ns", "iq:buffer=216B"), std::vector<std::string>());
  EXPECT_EQ(warnings("mesh", "iq:buffer=16,switching=cut_through", 16).size(), 1U);
  EXPECT_EQ(warnings("mesh", "iq:buffer=22,switching=cut_through", 16).size(), 0U);
}

TEST(Physics, SwitchesFasterThanLight) {
  EXPECT_EQ(warnings("mesh:speed=200Gb/s", "iq"),
            std::vector<std::string>{
                "switches take 1.6ns for a hop, in which light goes 0.5 m; those of clusters take "
                "35 ns to 500 ns: latency=130ns"});
  EXPECT_EQ(warnings("mesh:speed=200Gb/s", "iq:latency=130ns"), std::vector<std::string>());
  FabricBuilder mixed("mixed");
  Switch slow{"slow"};
  slow.latency = duration_from("100ns");
  mixed.add_host({"a", mixed.add_switch(slow), 0, {gigabits_per_second(100), Duration{0}}});
  mixed.add_host({"b", mixed.add_switch({"fast"}), 0, {gigabits_per_second(100), Duration{0}}});
  EXPECT_EQ(warnings_about(std::move(mixed).build(), sim::model_from("iq"), 1).size(), 1U);
}

TEST(Physics, NicsThatAreSlowerThanTheirLinks) {
  const auto of = [](const char* nic) {
    return warnings_about(
        make_machine({.topology = "crossbar:speed=200Gb/s", .engine = "minhop", .nic = nic}));
  };
  EXPECT_EQ(of("hca"), std::vector<std::string>());
  EXPECT_EQ(of("hca:bus=16GB/s"),
            std::vector<std::string>{
                "the NIC moves 128Gb/s at most, its link 200Gb/s: see the rates of --nic"});
  EXPECT_EQ(warnings_about(make_machine({.cluster = "gmqos"})), std::vector<std::string>());
}

/// What is cut out of a fabric takes as long as in the whole of it.
TEST(Path, IsAsFastAsInItsFabric) {
  for (const char* topology : {"xgft:children=4x3x2,parents=1x2x2,speed=100Gb/s,delay=100ns",
                               "torus:dims=4x4,speed=50Gb/s,delay=30ns,host_delay=5ns",
                               "dragonfly:a=4,p=2,h=2,speed=200Gb/s,delay=20ns"}) {
    const MachineSpec spec{.topology = topology, .engine = "minhop", .library = "ucx"};
    const Machine whole = make_machine(spec);
    const Fabric& fabric = whole.fabric();
    const HostId far = *farthest_from(fabric, HostId(0));
    const Machine path = on_fabric(request_of(fill(spec)), path_between(fabric, HostId(0), far));
    for (const Bytes size : {Bytes{8}, Bytes{5000}, Bytes{1 << 20}}) {
      const ProgramResult run = run_program(
          whole,
          fmt::format("pingpong:bytes={},iterations=2,warmup=1,to={}", to_text(size), far.index()));
      EXPECT_NEAR(run.figures.at(0).value * 1e6,
                  static_cast<double>(half_round_trip(path, size).count()), 2e4)
          << topology << to_text(size);
    }
  }
}

TEST(Path, NearAndFar) {
  const Fabric fabric = make_fabric("chain:hosts=2x1x1");
  EXPECT_EQ(fabric[*nearest_to(fabric, HostId(0))].name, "h1");
  EXPECT_EQ(fabric[*farthest_from(fabric, HostId(0))].name, "h3");
  EXPECT_EQ(path_between(fabric, HostId(0), HostId(3)).switch_count(), 3U);
}

TEST(Path, HostsThatReachNobody) {
  FabricBuilder builder("apart");
  for (const char* name : {"s0", "s1"}) builder.add_switch({name});
  builder.add_host({"a", SwitchId(0)});
  builder.add_host({"b", SwitchId(1)});
  const Fabric fabric = std::move(builder).build();
  EXPECT_FALSE(nearest_to(fabric, HostId(0)));
  EXPECT_FALSE(farthest_from(fabric, HostId(0)));
}

TEST(Design, MeetsBothMeasurements) {
  for (const bool farthest : {false, true})
    for (const auto& [speed, small, large] :
         {std::tuple{"100Gb/s", "1.62us", "369us"}, std::tuple{"200Gb/s", "1.57us", "176.8us"},
          std::tuple{"200Gb/s", "2.86us", "180.4us"}, std::tuple{"100Gb/s", "16.2us", "940us"},
          std::tuple{"400Gb/s", "1.9us", "95us"}}) {
      ClusterDesign design{.topology = "clos2:leaves=32,spines=16,hosts=32", .speed = speed};
      design.small = duration_from(small);
      design.large = duration_from(large);
      design.farthest = farthest;
      const DesignedCluster made = design_cluster(design);
      EXPECT_NEAR(static_cast<double>(made.small.count()),
                  static_cast<double>(design.small->count()), 0.01 * 1.6e6);
      EXPECT_NEAR(static_cast<double>(made.large.count()),
                  static_cast<double>(design.large->count()), 0.002 * 90e6)
          << speed;
      const Cluster cluster = read_cluster({"made.toml", made.text});
      EXPECT_EQ(cluster.links.speed, speed);
      EXPECT_TRUE(cluster.nic.starts_with("loggp:G=")) << cluster.nic;
    }
}

TEST(Design, SaysWhatCannotBe) {
  ClusterDesign design{.topology = "clos2:leaves=8,spines=4,hosts=8"};
  const auto error = [&] { return message_of([&] { design_cluster(design); }); };
  design.small = duration_from("300ns");
  EXPECT_TRUE(error().starts_with("8 B in 0.300 us: overheads, switches and cables alone take "))
      << error();
  design.small.reset();
  design.large = duration_from("200us");
  EXPECT_TRUE(error().starts_with("4 MiB in 200.000 us: over links of 100Gb/s they take "))
      << error();
  design.large.reset();
  design.switch_latency = "fast";
  EXPECT_TRUE(error().starts_with("switch latency: \"fast\" is not a duration")) << error();
  design.switch_latency = "130ns";
  design.name = "a \"b\"";
  EXPECT_EQ(error(), "\"a \"b\"\": a name without quotes and backslashes is needed");
  design.name = "mine";
  design.engine = "nonsense";
  EXPECT_TRUE(error().starts_with("\"nonsense\" is neither a file nor a routing engine"))
      << error();
  design.topology = "crossbar:hosts=1";
  EXPECT_EQ(error(), "crossbar:hosts=1: two hosts are needed");
}

}  // namespace
}  // namespace weft
