// SPDX-License-Identifier: Apache-2.0
// Random fabrics: connected, of exact degrees, within their limits, and the same for the same seed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

std::string regular(std::size_t switches, std::size_t degree, unsigned seed) {
  return fmt::format("random_regular:switches={},degree={},seed={}", switches, degree, seed);
}

/// Empty, or what is wrong with it.
std::string complaint(const Fabric& fabric, std::size_t degree) {
  if (!connected(fabric)) return "not connected";
  if (joined(fabric).size() != fabric.link_count()) return "a double link";
  for (const SwitchId s : fabric.switches())
    if (fabric.out(s).size() != degree) return "a wrong degree";
  return "";
}

TEST(RandomRegular, ManySeeds) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(complaint(make_fabric(regular(16, 4, seed)), 4), "") << seed;
    EXPECT_EQ(complaint(make_fabric(regular(12, 3, seed)), 3), "") << seed;
    // Two links each: mixing leaves several rings, which must become one.
    EXPECT_EQ(complaint(make_fabric(regular(30, 2, seed)), 2), "") << seed;
  }
}

TEST(RandomRegular, SparseAndDense) {
  for (std::size_t switches = 2; switches <= 9; ++switches)
    for (std::size_t degree = switches == 2 ? 1 : 2; degree < switches; ++degree)
      if (switches * degree % 2 == 0) {
        EXPECT_EQ(complaint(make_fabric(regular(switches, degree, 7)), degree), "")
            << switches << " switches, degree " << degree;
      }
}

RC_GTEST_PROP(RandomRegular, AnySize, ()) {
  const auto switches = *rc::gen::inRange<std::size_t>(3, 60);
  const auto degree = *rc::gen::inRange<std::size_t>(2, switches);
  const auto seed = *rc::gen::inRange(0U, 1'000'000U);
  RC_PRE(switches * degree % 2 == 0);
  RC_ASSERT(complaint(make_fabric(regular(switches, degree, seed)), degree).empty());
}

TEST(RandomRegular, SeedsDiffer) {
  std::set<std::map<std::pair<SwitchId, SwitchId>, int>> seen;
  for (unsigned seed = 0; seed < 50; ++seed) seen.insert(joined(make_fabric(regular(16, 4, seed))));
  EXPECT_EQ(seen.size(), 50U);
}

TEST(RandomRegular, EveryPairIsAsLikely) {
  // 28 pairs of 8 switches, 12 of them joined: each in 12/28 of 2,000 fabrics, give or take 5
  // sigma.
  std::map<std::pair<SwitchId, SwitchId>, int> times;
  for (unsigned seed = 0; seed < 2000; ++seed)
    for (const auto& [pair, count] : joined(make_fabric(regular(8, 3, seed)))) times[pair] += count;
  EXPECT_EQ(times.size(), 28U);
  for (const auto& [pair, count] : times) EXPECT_NEAR(count, 2000 * 12 / 28, 111);
}

TEST(RandomRegular, Counts) {
  EXPECT_EQ(counts(make_fabric("random_regular:switches=20,degree=5,hosts=3")),
            (Counts{20, 60, 50}));
}

TEST(RandomRegular, Errors) {
  EXPECT_EQ(error_of("random_regular:switches=8,degree=8"),
            "random_regular: degree=8: it must be less than the number of switches");
  EXPECT_EQ(error_of("random_regular:switches=7,degree=3"),
            "random_regular: degree=3: degree times switches must be even: a link has two ends");
  EXPECT_EQ(error_of("random_regular:switches=4,degree=1"),
            "random_regular: degree=1: more than two switches need 2 or more to be connected");
  EXPECT_EQ(error_of("random_regular:seed=-1").substr(0, 24), "random_regular: seed=-1:");
}

TEST(RandomIrregular, KeepsItsLimits) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Fabric fabric = make_fabric(fmt::format(
        "random_irregular:switches=12,links=40,parallel=2,hosts=3,bare=5,seed={}", seed));
    EXPECT_EQ(counts(fabric), (Counts{12, 7 * 3, 40}));
    EXPECT_TRUE(connected(fabric));
    for (const auto& [pair, count] : joined(fabric)) EXPECT_LE(count, 2);
    std::size_t bare = 0;
    for (const SwitchId s : fabric.switches()) bare += fabric.hosts_on(s).empty() ? 1 : 0;
    EXPECT_EQ(bare, 5U);
  }
}

TEST(RandomIrregular, FromATreeToACompleteGraph) {
  for (const std::size_t links : {7U, 8U, 20U, 28U}) {
    const Fabric fabric = make_fabric(fmt::format("random_irregular:switches=8,links={}", links));
    EXPECT_TRUE(connected(fabric));
    EXPECT_EQ(joined(fabric).size(), links);
  }
  EXPECT_EQ(make_fabric("random_irregular:switches=2,links=9,parallel=9").link_count(), 9U);
}

TEST(RandomIrregular, SeedsDiffer) {
  EXPECT_NE(joined(make_fabric("random_irregular:seed=1")),
            joined(make_fabric("random_irregular:seed=2")));
}

TEST(RandomIrregular, Errors) {
  EXPECT_EQ(error_of("random_irregular:switches=8,links=6"),
            "random_irregular: links=6: 8 switches need 7 or more to be connected");
  EXPECT_EQ(error_of("random_irregular:switches=4,links=13,parallel=2"),
            "random_irregular: links=13: 4 switches with parallel=2 have room for 12");
  EXPECT_EQ(error_of("random_irregular:switches=8,links=7,bare=8"),
            "random_irregular: bare=8: one switch or more must have hosts");
  EXPECT_EQ(error_of("random_irregular:switches=2,links=64999,parallel=65000,hosts=2"),
            "random_irregular: a switch would have 65001 ports; at most 65000 are possible");
}

}  // namespace
}  // namespace weft::testing
