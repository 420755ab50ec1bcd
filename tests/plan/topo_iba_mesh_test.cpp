// SPDX-License-Identifier: Apache-2.0
// IbaMesh(m, n) of Zhou, Liu and Chung: LIDs, GUIDs, names and directions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

Fabric iba_mesh(int m, int n) { return make_fabric(fmt::format("iba_mesh:m={},n={}", m, n)); }

TEST(IbaMesh, TheLidOfThePaper) {
  const Fabric fabric = iba_mesh(4, 4);
  const HostId host = fabric.find_host("H(3,2)").value();
  EXPECT_EQ(fabric[host].lid, 15);
  EXPECT_EQ(fabric[fabric[host].on].name, "N(3,2)");
  EXPECT_EQ(fabric[host].port, 5);
}

TEST(IbaMesh, LidsAndGuidsAreUnique) {
  for (int m = 1; m <= 8; ++m)
    for (int n = 1; n <= 8; ++n) {
      const Fabric fabric = iba_mesh(m, n);
      std::set<Lid> lids;
      std::set<Guid> guids;
      for (const HostId h : fabric.hosts()) {
        const std::vector<int>& at = fabric[fabric[h].on].at;
        EXPECT_EQ(fabric[h].lid, at[0] * n + at[1] + 1);
        lids.insert(fabric[h].lid);
        guids.insert({fabric[h].guid, fabric[h].port_guid});
      }
      EXPECT_EQ(*lids.rbegin(), m * n);
      for (const SwitchId s : fabric.switches()) {
        lids.insert(fabric[s].lid);
        guids.insert(fabric[s].guid);
      }
      EXPECT_EQ(lids.size(), static_cast<std::size_t>(2 * m * n)) << m << "x" << n;
      EXPECT_EQ(*lids.begin(), 1);
      EXPECT_EQ(*lids.rbegin(), 2 * m * n);
      EXPECT_EQ(guids.size(), static_cast<std::size_t>(3 * m * n));
      EXPECT_FALSE(guids.contains(0));
    }
}

TEST(IbaMesh, EastNorthWestSouth) {
  const Fabric fabric = iba_mesh(5, 3);
  EXPECT_EQ(counts(fabric), (Counts{15, 15, 4 * 3 + 5 * 2}));
  EXPECT_EQ(diameter(fabric), 4 + 2);
  const auto name = [&](PortNumber port) {
    const SwitchId middle = fabric.find_switch("N(2,1)").value();
    return fabric[behind(fabric, middle.index(), port)].name;
  };
  EXPECT_EQ(name(1), "N(3,1)");
  EXPECT_EQ(name(2), "N(2,2)");
  EXPECT_EQ(name(3), "N(1,1)");
  EXPECT_EQ(name(4), "N(2,0)");
  EXPECT_FALSE(behind(fabric, 0, 3).valid());
  EXPECT_FALSE(behind(fabric, 0, 4).valid());
  for (const SwitchId s : fabric.switches()) {
    EXPECT_EQ(fabric[s].ports, 5);
    EXPECT_EQ(s.index(), static_cast<std::size_t>(fabric[s].at[0] + 5 * fabric[s].at[1]));
  }
}

TEST(IbaMesh, LidsRunOut) {
  EXPECT_EQ(error_of("iba_mesh:m=157,n=157"),
            "iba_mesh: m=157, n=157: 49298 LIDs would be needed, one for every switch and host; "
            "there are 49151");
  EXPECT_EQ(make_fabric("iba_mesh:m=24575,n=1").host_count(), 24'575U);
  EXPECT_EQ(error_of("iba_mesh:m=0"), "iba_mesh: m=0: a whole number from 1 to 49151 is needed");
}

}  // namespace
}  // namespace weft::testing
