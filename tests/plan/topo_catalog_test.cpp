// SPDX-License-Identifier: Apache-2.0
// What holds for every row of the catalogue of topologies, with its default parameters.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

bool generated(const Row<Topology>& row) { return row.name != "file"; }

class EveryTopology : public ::testing::TestWithParam<std::string> {
 protected:
  Fabric fabric_ = make_fabric(GetParam());
};

std::vector<std::string> generated_names() {
  std::vector<std::string> names;
  for (const Row<Topology>& row : topologies())
    if (generated(row)) names.emplace_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTopology, ::testing::ValuesIn(generated_names()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryTopology, IsConnectedAndHasHosts) {
  EXPECT_TRUE(connected(fabric_));
  EXPECT_GT(fabric_.host_count(), 0U);
  EXPECT_EQ(fabric_.name(), GetParam());
}

TEST_P(EveryTopology, PortsLeadThereAndBack) {
  std::size_t links = 0, hosts = 0;
  for (const SwitchId s : fabric_.switches())
    for (unsigned p = 1; p <= fabric_[s].ports; ++p) {
      const auto port = static_cast<PortNumber>(p);
      const Neighbour next = fabric_.at_port(s, port);
      if (next.host.valid()) {
        ++hosts;
        EXPECT_EQ(fabric_[next.host].on, s);
        EXPECT_EQ(fabric_[next.host].port, port);
      }
      if (!next.channel.valid()) continue;
      ++links;
      const Neighbour back =
          fabric_.at_port(fabric_.to(next.channel), fabric_.in_port(next.channel));
      EXPECT_EQ(back.channel, reverse(next.channel));
      EXPECT_EQ(fabric_.to(back.channel), s);
    }
  EXPECT_EQ(links, 2 * fabric_.link_count());
  EXPECT_EQ(hosts, fabric_.host_count());
}

TEST_P(EveryTopology, NamesAreUnique) {
  std::set<std::string> switches, hosts;
  for (const SwitchId s : fabric_.switches()) switches.insert(fabric_[s].name);
  for (const HostId h : fabric_.hosts()) hosts.insert(fabric_[h].name);
  EXPECT_EQ(switches.size(), fabric_.switch_count());
  EXPECT_EQ(hosts.size(), fabric_.host_count());
}

TEST_P(EveryTopology, HostsAreNumberedBySwitchThenPort) {
  for (std::size_t h = 1; h < fabric_.host_count(); ++h) {
    const Host& before = fabric_[HostId(h - 1)];
    const Host& here = fabric_[HostId(h)];
    EXPECT_LT(std::pair(before.on, before.port), std::pair(here.on, here.port));
  }
}

TEST_P(EveryTopology, CoordinatesAreUniqueWhereThereAreAny) {
  std::set<std::vector<int>> seen;
  for (const SwitchId s : fabric_.switches()) {
    EXPECT_EQ(fabric_[s].at.empty(), fabric_[SwitchId(0)].at.empty());
    EXPECT_TRUE(fabric_[s].at.empty() || seen.insert(fabric_[s].at).second) << fabric_[s].name;
  }
}

TEST_P(EveryTopology, TakesSpeedAndDelay) {
  const Fabric fabric = make_fabric(GetParam() + ":speed=40Gb/s,delay=25ns");
  const Wire wire{gigabits_per_second(40), delay_from("25ns")};
  for (const LinkId link : fabric.links()) EXPECT_EQ(fabric[link].wire, wire);
  for (const HostId host : fabric.hosts()) EXPECT_EQ(fabric[host].wire, wire);
  EXPECT_EQ(counts(fabric), counts(fabric_));
}

TEST_P(EveryTopology, IsTheSameEveryTime) { EXPECT_EQ(make_fabric(GetParam()), fabric_); }

TEST(TopologyCatalogue, DefaultWires) {
  const auto speed = [](std::string_view spec) { return make_fabric(spec)[HostId(0)].wire.speed; };
  EXPECT_EQ(speed("mesh"), gigabits_per_second(8));
  for (const auto* spec :
       {"myrinet_clos", "fat_tree_241", "fat_tree_242", "rhinet2_a", "rhinet2_b_surrogate"})
    EXPECT_EQ(speed(spec), gigabits_per_second(6)) << spec;
}

TEST(TopologyCatalogue, EveryRowExplainsItself) {
  for (const Row<Topology>& row : topologies()) {
    EXPECT_FALSE(row.summary.empty()) << row.name;
    for (const Param& param : row.params) EXPECT_FALSE(param.help.empty()) << row.name;
  }
  const auto& b = find_row(topologies(), "topology", "rhinet2_b_surrogate");
  EXPECT_NE(b.summary.find("surrogate"), std::string_view::npos);
  EXPECT_NE(b.summary.find("not identified"), std::string_view::npos);
}

TEST(TopologyCatalogue, SaysWhatThereIs) {
  EXPECT_EQ(error_of("torrus").substr(0, 58),
            "no topology is called \"torrus\"; there are: mesh torus ring");
  EXPECT_EQ(error_of("ring:dims=4"),
            "ring: unknown parameter \"dims\"; it takes switches hosts speed delay host_delay");
}

TEST(TopologyCatalogue, SpeedsAndDelaysAreChecked) {
  EXPECT_EQ(error_of("ring:speed=0Gb/s"), "ring: speed=0Gb/s: a link needs a speed above zero");
  EXPECT_EQ(error_of("ring:delay=5"),
            "ring: delay=5: \"5\" is not a duration: write a number and one of s, ms, us, ns, ps");
  EXPECT_EQ(error_of("ring:hosts=0"), "ring: hosts=0: a whole number from 1 to 65000 is needed");
}

TEST(TopologyCatalogue, TooManyThingsAreRefused) {
  EXPECT_EQ(error_of("mesh:dims=2000x1000"),
            "mesh: 2000000 switches, 2000000 hosts and 3997000 links are too many: at most 4000000 "
            "in all are possible");
  EXPECT_EQ(error_of("torus:dims=1000000x1000000x1000000x1000000"),
            "torus: 10^12 or more switches, 10^12 or more hosts and 10^12 or more links are too "
            "many: at most 4000000 in all are possible");
}

TEST(TopologyCatalogue, TooManyPortsAreRefused) {
  EXPECT_EQ(error_of("ring:switches=2,hosts=65000"),
            "ring: a switch would have 65002 ports; at most 65000 are possible");
  EXPECT_EQ(make_fabric("crossbar:hosts=65000").host_count(), 65'000U);
}

TEST(TopologyCatalogue, AbsurdSizesAreRefusedAtOnce) {
  for (const auto* spec :
       {"ring:switches=1000000,hosts=65000", "hypercube:dims=30", "complete:switches=65000",
        "hyperx:dims=1000000x1000000,width=1000000", "dragonfly:a=65000,h=65000,p=65000",
        "dragonfly:a=65000,h=65000,groups=2", "xgft:children=1000000x1000000,parents=1x1000000",
        "xgft:children=2x2,parents=1x1000000,links=1000000", "tree:k=65000,n=30",
        "clos2:leaves=65000,spines=65000,links=65000", "clos3:radix=65000",
        "random_regular:switches=1000000,degree=64",
        "random_irregular:switches=1000000,links=3000000"})
    EXPECT_NE(error_of(spec).find("are too many"), std::string::npos) << error_of(spec);
}

TEST(TopologyCatalogue, SixtyFiveThousandHostsTakeAboutASecond) {
  const auto begin = std::chrono::steady_clock::now();
  const Fabric fabric = make_fabric("clos3:radix=64");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(counts(fabric), (Counts{5120, 65'536, 131'072}));
  EXPECT_LT(seconds.count(), 10.0);  // about 0.05 s; the rest is for sanitizers and busy machines
}

}  // namespace
}  // namespace weft::testing
