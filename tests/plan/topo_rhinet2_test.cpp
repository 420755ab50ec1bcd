// SPDX-License-Identifier: Apache-2.0
// The topologies of the RHiNET-2 paper (Koibuchi, Watanabe, Otsuka, Amano, 2002): hops of tables I
// and III.
#include <gtest/gtest.h>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

void expect_hops(const std::string& spec, double average, int most) {
  const Hops found = hops(make_fabric(spec));
  EXPECT_DOUBLE_EQ(found.average, average) << spec;
  EXPECT_EQ(found.most, most) << spec;
}

TEST(Rhinet2, TableOneTopologicalHops) {
  // 792, 672, 640 and 512 links over 16 x 16 pairs of switches: 4.09, 3.63, 3.50 and 3.00 printed.
  expect_hops("rhinet2_a", 1 + 792.0 / 256, 7);
  expect_hops("rhinet2_b_surrogate", 1 + 672.0 / 256, 7);
  expect_hops("mesh:dims=4x4,hosts=4", 3.50, 7);
  expect_hops("torus:dims=4x4,hosts=4", 3.00, 5);
}

TEST(Rhinet2, TableThreeHops) {
  expect_hops("ring:switches=8,hosts=4", 3.00, 5);
  expect_hops("mesh:dims=4x2,hosts=4", 2.75, 5);
  expect_hops("torus:dims=4x2,hosts=4", 2.50, 4);
  expect_hops("myrinet_clos", 2.25, 3);
  expect_hops("fat_tree_242", 3.75, 5);
}

TEST(Rhinet2, HopsOfTheOtherReconstructions) {
  expect_hops("myrinet_clos:hosted=leaves", 2.50, 3);
  expect_hops("fat_tree_241", 2.50, 3);
}

TEST(Rhinet2, Counts) {
  EXPECT_EQ(counts(make_fabric("rhinet2_a")), (Counts{16, 64, 18}));
  EXPECT_EQ(counts(make_fabric("rhinet2_b_surrogate")), (Counts{16, 64, 20}));
  EXPECT_EQ(counts(make_fabric("myrinet_clos")), (Counts{8, 32, 16}));
  EXPECT_EQ(counts(make_fabric("myrinet_clos:hosted=leaves")), (Counts{8, 16, 16}));
  EXPECT_EQ(counts(make_fabric("fat_tree_241")), (Counts{6, 16, 8}));
  EXPECT_EQ(counts(make_fabric("fat_tree_242")), (Counts{14, 16, 24}));
}

TEST(Rhinet2, TopologyAIsTheMeshWithoutSixLinks) {
  auto links = joined(make_fabric("mesh:dims=4x4"));
  for (const auto& [a, b] : {std::pair{5, 6}, {5, 9}, {6, 7}, {9, 13}, {10, 11}, {10, 14}})
    EXPECT_EQ(
        links.erase({SwitchId(static_cast<std::size_t>(a)), SwitchId(static_cast<std::size_t>(b))}),
        1U);
  EXPECT_EQ(links, joined(make_fabric("rhinet2_a")));
}

TEST(Rhinet2, PortsGoByNeighbourThenHosts) {
  for (const auto* spec : {"rhinet2_a", "rhinet2_b_surrogate", "myrinet_clos", "fat_tree_242"}) {
    const Fabric fabric = make_fabric(spec);
    for (const SwitchId s : fabric.switches()) {
      const std::size_t degree = fabric.out(s).size();
      EXPECT_EQ(fabric[s].ports, degree + fabric.hosts_on(s).size());
      for (std::size_t port = 2; port <= degree; ++port)
        EXPECT_LT(behind(fabric, s.index(), port - 1), behind(fabric, s.index(), port)) << spec;
    }
  }
}

TEST(Rhinet2, Errors) {
  EXPECT_EQ(error_of("myrinet_clos:hosted=spines"),
            "myrinet_clos: hosted=spines: it can be all, leaves");
}

}  // namespace
}  // namespace weft::testing
