// SPDX-License-Identifier: Apache-2.0
// Random numbers: the sequence every machine must agree on, and that ranges and shuffles are fair.
#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace weft::test {
namespace {

/// The sum of (found - expected)² / expected over the bins.
double chi_square(const std::vector<int>& found) {
  const double expected =
      std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size());
  double sum = 0;
  for (const int count : found) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// The numbers of this file come from an independent program after Blackman and Vigna's text; those
// for seed 0 are also the test vector of Rust's rand_xoshiro.
TEST(Rng, FollowsTheKnownSequence) {
  Rng zero(0);
  EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(zero.next(), 0xbf6e1f784956452aU);
  EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0U);
  EXPECT_EQ(zero.next(), 0x6aa594f1262d2d2cU);
  Rng answer(42);
  EXPECT_EQ(answer.next(), 0x15780b2e0c2ec716U);
  EXPECT_EQ(answer.next(), 0x6104d9866d113a7eU);
}

TEST(Rng, RunsAtCompileTime) {
  constexpr std::uint64_t first = [] {
    Rng rng(1);
    return rng.next();
  }();
  static_assert(first == 0xb3f2af6d0fc710c5U);
  EXPECT_EQ(Rng(1).next(), first);
}

TEST(Rng, BelowFollowsTheKnownSequence) {
  Rng rng(1);
  std::vector<std::uint64_t> draws(20);
  for (auto& draw : draws) draw = rng.below(10);
  EXPECT_EQ(draws, (std::vector<std::uint64_t>{7, 2, 0, 3, 1, 2, 6, 9, 1, 8,
                                               1, 0, 1, 3, 1, 9, 5, 1, 0, 7}));
}

TEST(Rng, BelowOneIsZero) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, BelowIsEvenForEverySmallBound) {
  for (std::uint64_t bound = 2; bound <= 17; ++bound) {
    Rng rng(bound);
    std::vector<int> found(bound, 0);
    for (int i = 0; i < 20'000; ++i) ++found[rng.below(bound)];
    // Mean bound - 1, deviation √(2(bound - 1)): five deviations are far in the tail.
    const double freedom = static_cast<double>(bound - 1);
    EXPECT_LT(chi_square(found), freedom + 5 * std::sqrt(2 * freedom) + 5) << bound;
  }
}

// Without rejection, three quarters of 2^64 would give the lower third twice as often.
TEST(Rng, BelowIsEvenWhereTheRangeDoesNotDivide) {
  constexpr std::uint64_t third = std::uint64_t{1} << 62;
  Rng rng(9);
  std::vector<int> found(3, 0);
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t draw = rng.below(3 * third);
    ASSERT_LT(draw, 3 * third);
    ++found[draw / third];
  }
  EXPECT_LT(chi_square(found), 14) << found[0] << " " << found[1] << " " << found[2];
}

TEST(Rng, UnitIsFromZeroToBelowOne) {
  Rng rng(1);
  EXPECT_EQ(rng.unit(), 0.7029218331588505);
  EXPECT_EQ(rng.unit(), 0.5204366199388569);
  std::vector<int> found(10, 0);
  for (int i = 0; i < 20'000; ++i) {
    const double draw = rng.unit();
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    ++found[static_cast<std::size_t>(draw * 10)];
  }
  EXPECT_LT(chi_square(found), 9 + 5 * std::sqrt(18.0) + 5);
}

TEST(Rng, ShuffleFollowsTheKnownSequence) {
  std::vector<int> items(10);
  std::iota(items.begin(), items.end(), 0);
  Rng rng(1);
  rng.shuffle(items);
  EXPECT_EQ(items, (std::vector<int>{3, 8, 0, 9, 2, 5, 6, 4, 1, 7}));
}

TEST(Rng, ShuffleIsAPermutation) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<std::size_t> items(size);
    std::iota(items.begin(), items.end(), std::size_t{0});
    const std::vector<std::size_t> sorted = items;
    Rng rng(size);
    rng.shuffle(items);
    EXPECT_TRUE(std::is_permutation(items.begin(), items.end(), sorted.begin())) << size;
  }
}

TEST(Rng, EveryOrderIsAsLikely) {
  std::vector<int> found(6, 0);
  Rng rng(3);
  for (int i = 0; i < 12'000; ++i) {
    std::vector<int> items{0, 1, 2};
    rng.shuffle(items);
    ++found[static_cast<std::size_t>(2 * items[0] + (items[1] > items[2] ? 1 : 0))];
  }
  EXPECT_LT(chi_square(found), 5 + 5 * std::sqrt(10.0) + 5);
}

}  // namespace
}  // namespace weft::test
