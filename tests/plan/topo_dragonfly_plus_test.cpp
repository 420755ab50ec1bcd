// SPDX-License-Identifier: Apache-2.0
// Dragonfly+: closed forms, and which switches are joined.
#include <gtest/gtest.h>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

TEST(DragonflyPlus, ClosedForms) {
  const Fabric fabric = make_fabric("dragonfly_plus:leaves=3,spines=2,hosts=4,groups=5");
  EXPECT_EQ(counts(fabric), (Counts{25, 60, 5 * 3 * 2 + 2 * 5 * 4 / 2}));
  EXPECT_TRUE(connected(fabric));
  EXPECT_EQ(make_fabric("dragonfly_plus:groups=1").link_count(), 16U);
}

TEST(DragonflyPlus, SpinesAreJoinedByNumber) {
  const Fabric fabric = make_fabric("dragonfly_plus:leaves=3,spines=2,hosts=4,groups=5");
  for (const LinkId id : fabric.links()) {
    const auto& a = fabric[fabric[id].a.on].at;
    const auto& b = fabric[fabric[id].b.on].at;
    if (a[0] == b[0]) {
      EXPECT_TRUE(std::min(a[1], b[1]) < 3 && std::max(a[1], b[1]) >= 3);
    } else {
      EXPECT_TRUE(a[1] == b[1] && a[1] >= 3);
    }
  }
}

/// Full sizes of balanced ones: every two groups joined once, hosts at most three links apart.
TEST(DragonflyPlus, ArrangedLinks) {
  for (const std::size_t r : {2U, 3U, 4U}) {
    const std::string number = std::to_string(r), groups = std::to_string(r * r + 1);
    const Fabric fabric =
        make_fabric("dragonfly_plus:leaves=" + number + ",spines=" + number + ",hosts=" + number +
                    ",h=" + number + ",groups=" + groups + ",arrangement=absolute");
    const std::vector<Counts> expected{{20, 20, 30}, {60, 90, 135}, {136, 272, 408}};
    EXPECT_EQ(counts(fabric), expected[r - 2]);
    EXPECT_TRUE(connected(fabric));
    EXPECT_LE(diameter(fabric), 5);
    EXPECT_EQ(hops(fabric).most, 4);
  }
}

TEST(DragonflyPlus, Errors) {
  EXPECT_EQ(error_of("dragonfly_plus:h=1,groups=6"),
            "dragonfly_plus: groups=6: with h=1 a number from 2 to 5 is needed");
  EXPECT_EQ(error_of("dragonfly_plus:arrangement=absolute"),
            "dragonfly_plus: arrangement=absolute: it is for a number of links per spine, as h=2");
}

}  // namespace
}  // namespace weft::testing
