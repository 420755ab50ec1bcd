// SPDX-License-Identifier: Apache-2.0
// TurnIndex: every turn has a place of its own, and no place is left over.
#include "fabric/turn_index.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "fabric/builder.hpp"
#include "support/fabrics.hpp"

namespace weft::test::turn_index {
namespace {

bool is_bijective(const Fabric& fabric) {
  const TurnIndex turns(fabric);
  std::vector<int> used(turns.size(), 0);
  for (ChannelId in : fabric.channels())
    for (ChannelId out : fabric.out(fabric.to(in))) ++used.at(turns(in, out));
  return std::all_of(used.begin(), used.end(), [](int count) { return count == 1; });
}

TEST(TurnIndex, ARingHasFourTurnsASwitch) {
  const Fabric fabric = ring(5);
  const TurnIndex turns(fabric);
  EXPECT_EQ(turns.size(), 20U) << "two channels in, two out, going back included";
  EXPECT_EQ(&turns.fabric(), &fabric);
  EXPECT_TRUE(is_bijective(fabric));
}

TEST(TurnIndex, TurnsOfAChannelLieTogetherByPort) {
  const Fabric fabric = mesh3x3();
  const TurnIndex turns(fabric);
  for (ChannelId in : fabric.channels()) {
    const auto out = fabric.out(fabric.to(in));
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(turns(in, out[i]), turns(in, out.front()) + i);
  }
}

TEST(TurnIndex, AFabricWithoutLinksHasNone) {
  FabricBuilder builder("alone");
  builder.add_switch({"s"});
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(TurnIndex(fabric).size(), 0U);
}

TEST(TurnIndex, IsBijectiveOnRandomFabrics) {
  EXPECT_TRUE(rc::check(
      [] { RC_ASSERT(is_bijective(random_fabric(*rc::gen::arbitrary<std::uint64_t>(), 15))); }));
}

}  // namespace
}  // namespace weft::test::turn_index
