// SPDX-License-Identifier: Apache-2.0
// Dragonfly: closed forms, and how the groups are joined.
#include <gtest/gtest.h>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

/// How many links join each two groups.
std::map<std::pair<int, int>, int> joined_groups(const Fabric& fabric) {
  std::map<std::pair<int, int>, int> out;
  for (const LinkId id : fabric.links()) {
    const int a = fabric[fabric[id].a.on].at[0], b = fabric[fabric[id].b.on].at[0];
    if (a != b) ++out[std::minmax(a, b)];
  }
  return out;
}

struct Shape {
  std::size_t a, p, h;
  std::string spec() const {
    return "dragonfly:a=" + std::to_string(a) + ",p=" + std::to_string(p) +
           ",h=" + std::to_string(h);
  }
};

TEST(Dragonfly, ClosedForms) {
  for (const Shape shape : {Shape{1, 1, 1}, Shape{1, 1, 4}, Shape{2, 1, 1}, Shape{4, 2, 2},
                            Shape{6, 3, 3}, Shape{5, 1, 2}}) {
    const Fabric fabric = make_fabric(shape.spec());
    const std::size_t groups = shape.a * shape.h + 1, switches = groups * shape.a;
    EXPECT_EQ(counts(fabric),
              (Counts{switches, switches * shape.p,
                      groups * shape.a * (shape.a - 1) / 2 + groups * (groups - 1) / 2}));
    EXPECT_TRUE(connected(fabric));
    EXPECT_LE(diameter(fabric), 3);
  }
}

TEST(Dragonfly, EveryTwoGroupsAreJoinedOnceAtFullSize) {
  for (const Shape shape : {Shape{4, 2, 2}, Shape{8, 4, 4}, Shape{3, 1, 2}}) {
    const Fabric fabric = make_fabric(shape.spec());
    const std::size_t groups = shape.a * shape.h + 1;
    const auto links = joined_groups(fabric);
    EXPECT_EQ(links.size(), groups * (groups - 1) / 2);
    for (const auto& [pair, count] : links) EXPECT_EQ(count, 1);
  }
}

TEST(Dragonfly, FewerGroupsAreJoinedMoreOften) {
  for (std::size_t groups = 2; groups <= 9; ++groups) {
    const Fabric fabric = make_fabric("dragonfly:groups=" + std::to_string(groups));
    const auto links = joined_groups(fabric);
    EXPECT_EQ(links.size(), groups * (groups - 1) / 2);
    for (const auto& [pair, count] : links) EXPECT_EQ(count, 8 / (groups - 1)) << groups;
    EXPECT_TRUE(connected(fabric));
  }
}

TEST(Dragonfly, PortsAreLocalThenGlobalThenHosts) {
  const Fabric fabric = make_fabric("dragonfly");
  for (const SwitchId s : fabric.switches()) {
    const std::vector<int>& at = fabric[s].at;
    EXPECT_EQ(s.index(), static_cast<std::size_t>(4 * at[0] + at[1]));
    EXPECT_EQ(fabric[s].ports, 7);
    for (int port = 1; port <= 3; ++port) {
      const SwitchId next = behind(fabric, s.index(), static_cast<std::size_t>(port));
      EXPECT_EQ(fabric[next].at, (std::vector<int>{at[0], port - (port <= at[1] ? 1 : 0)}));
    }
    // Palmtree: global port j of a group leads to the group j+1 places before.
    for (int k = 0; k < 2; ++k) {
      const SwitchId next = behind(fabric, s.index(), static_cast<std::size_t>(4 + k));
      EXPECT_EQ(fabric[next].at[0], (at[0] + 9 - (2 * at[1] + k + 1)) % 9);
    }
    EXPECT_EQ(fabric.at_port(s, 6).host, HostId(2 * s.index()));
  }
}

TEST(Dragonfly, Errors) {
  EXPECT_EQ(error_of("dragonfly:groups=10"),
            "dragonfly: groups=10: a whole number from 2 to 9 is needed");
  EXPECT_EQ(error_of("dragonfly:a=0"), "dragonfly: a=0: a whole number from 1 to 65000 is needed");
}

}  // namespace
}  // namespace weft::testing
