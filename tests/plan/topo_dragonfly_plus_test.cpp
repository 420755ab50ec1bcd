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

}  // namespace
}  // namespace weft::testing
