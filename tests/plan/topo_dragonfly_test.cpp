// SPDX-License-Identifier: Apache-2.0
// Dragonfly: closed forms, and how the groups are joined.
#include <gtest/gtest.h>

#include "fabric/distances.hpp"
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

TEST(Dragonfly, Arrangements) {
  for (const char* name : {"palmtree", "absolute", "relative", "circulant"})
    for (const Shape shape : {Shape{2, 1, 1}, Shape{4, 2, 2}, Shape{3, 1, 3}, Shape{8, 4, 4}}) {
      const std::string spec = shape.spec() + ",arrangement=" + name;
      const Fabric fabric = make_fabric(spec);
      const auto links = joined_groups(fabric);
      const std::size_t groups = shape.a * shape.h + 1;
      EXPECT_EQ(links.size(), groups * (groups - 1) / 2) << spec;
      for (const auto& [pair, count] : links) EXPECT_EQ(count, 1) << spec;
      for (const SwitchId s : fabric.switches())
        EXPECT_EQ(fabric.out(s).size(), shape.a - 1 + shape.h) << spec;
    }
  // Global port j of group 2 of 9: to group j without 2; to 2 + 1, 2 - 1, 2 + 2, …
  const Fabric absolute = make_fabric("dragonfly:arrangement=absolute");
  const Fabric circulant = make_fabric("dragonfly:arrangement=circulant");
  const std::vector<int> in_turn{3, 1, 4, 0, 5, 8, 6, 7};
  for (int j = 0; j < 8; ++j) {
    const auto group_at = [&](const Fabric& fabric) {
      return fabric[behind(fabric, static_cast<std::size_t>(8 + j / 2),
                           static_cast<std::size_t>(4 + j % 2))]
          .at[0];
    };
    EXPECT_EQ(group_at(absolute), j < 2 ? j : j + 1);
    EXPECT_EQ(group_at(circulant), in_turn[static_cast<std::size_t>(j)]);
  }
}

/// Of five groups, neighbours are joined twice.
TEST(Dragonfly, GivenArrangements) {
  const std::string given = "dragonfly:a=3,p=1,h=2,groups=5,offsets=";
  const Fabric fabric = make_fabric(given + "1x4x2x3x1x4");
  for (const auto& [pair, count] : joined_groups(fabric)) {
    const int apart = pair.second - pair.first;
    EXPECT_EQ(count, apart == 1 || apart == 4 ? 2 : 1);
  }
  // Port 4 (the fifth) is the second that leads one group on; the last one leads back from there.
  EXPECT_EQ(fabric[behind(fabric, 2, 3)].at, (std::vector<int>{1, 2}));
  EXPECT_EQ(error_of(given + "1x2"),
            "dragonfly: offsets=1x2: 4 is needed as often as 1, its way back");
  EXPECT_EQ(error_of(given + "1x5"),
            "dragonfly: offsets=1x5: 4 is needed as often as 1, its way back");
  EXPECT_EQ(error_of(given + "5"), "dragonfly: offsets=5: numbers from 1 to 4 are needed");
  EXPECT_EQ(error_of(given + "1x4x1x4x1x4x1x4"),
            "dragonfly: offsets=1x4x1x4x1x4x1x4: a group has 6 ports to other groups");
  EXPECT_EQ(error_of("dragonfly:offsets=1x4,arrangement=absolute"),
            "dragonfly: offsets=1x4: it takes the place of an arrangement");
}

/// Sizes of the literature: a = 2p = 2h.
TEST(Dragonfly, MeanDistances) {
  const std::vector<double> expected{1.8000, 2.3429, 2.5693, 2.6863};
  for (std::size_t h = 1; h <= 4; ++h) {
    const Fabric fabric = make_fabric(Shape{2 * h, h, h}.spec());
    std::uint64_t sum = 0;
    for (const SwitchId s : fabric.switches())
      for (const std::uint32_t far : distances(fabric, s)) sum += far;
    const auto switches = static_cast<double>(fabric.switch_count());
    EXPECT_NEAR(static_cast<double>(sum) / (switches * (switches - 1)), expected[h - 1], 5e-5);
  }
}

TEST(Dragonfly, Errors) {
  EXPECT_EQ(error_of("dragonfly:groups=10"),
            "dragonfly: groups=10: a whole number from 2 to 9 is needed");
  EXPECT_EQ(error_of("dragonfly:a=0"), "dragonfly: a=0: a whole number from 1 to 65000 is needed");
}

}  // namespace
}  // namespace weft::testing
