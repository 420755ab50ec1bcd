// SPDX-License-Identifier: Apache-2.0
// Histogram and batch means against sorted values, closed forms and known coverage.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rng.hpp"
#include "sim/measure/batches.hpp"
#include "sim/measure/histogram.hpp"

namespace weft::test {
namespace {

using sim::Batches;
using sim::Cycle;
using sim::Histogram;

/// By sorting: the least value that `per_mille` of the values do not exceed.
Cycle sorted_quantile(std::vector<Cycle> values, unsigned per_mille) {
  std::sort(values.begin(), values.end());
  const std::size_t rank = (values.size() * per_mille + 999) / 1000;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

TEST(Histogram, ExactBelow4096) {
  Rng rng(3);
  for (std::size_t count : {1U, 2U, 9U, 1000U, 12'345U}) {
    Histogram histogram;
    std::vector<Cycle> values;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(rng.below(4096));
      histogram.add(values.back());
      sum += values.back();
    }
    for (unsigned q : {0U, 1U, 500U, 950U, 990U, 999U, 1000U})
      EXPECT_EQ(histogram.quantile(q), sorted_quantile(values, q)) << q << " of " << count;
    EXPECT_DOUBLE_EQ(histogram.mean(), static_cast<double>(sum) / static_cast<double>(count));
    EXPECT_EQ(histogram.most(), *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(histogram.count(), count);
  }
}

TEST(Histogram, WithinATenthOfAPercentAbove) {
  Rng rng(4);
  Histogram histogram;
  std::vector<Cycle> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(rng.next() >> (10 + rng.below(50)));
    histogram.add(values.back());
  }
  for (unsigned q = 0; q <= 1000; q += 25) {
    const auto exact = static_cast<double>(sorted_quantile(values, q));
    EXPECT_NEAR(static_cast<double>(histogram.quantile(q)), exact, exact * 0.001) << q;
  }
}

TEST(Histogram, Sum) {
  Rng rng(5);
  Histogram all;
  std::array<Histogram, 2> half;
  for (int i = 0; i < 1000; ++i) {
    const Cycle value = rng.below(i % 2 == 0 ? 9000 : 2000);
    all.add(value);
    half[static_cast<std::size_t>(i % 2)].add(value);
  }
  half[1] += half[0];  // the longer one
  EXPECT_EQ(half[1].count(), 1000U);
  EXPECT_EQ(half[1].mean(), all.mean());
  EXPECT_EQ(half[1].most(), all.most());
  for (unsigned q : {1U, 500U, 990U, 1000U}) EXPECT_EQ(half[1].quantile(q), all.quantile(q));
}

TEST(Histogram, EmptyAndEdges) {
  Histogram histogram;
  EXPECT_EQ(histogram.quantile(500), 0U);
  EXPECT_EQ(histogram.mean(), 0);
  for (Cycle value : {Cycle{4095}, Cycle{4096}, Cycle{8191}, Cycle{8192}, sim::never}) {
    Histogram one;
    one.add(value);
    EXPECT_NEAR(static_cast<double>(one.quantile(500)), static_cast<double>(value),
                static_cast<double>(value) * 0.001);
  }
}

/// With 32 batches of one value each, half the width is t(31) s / sqrt(32) by the textbook.
TEST(Batches, TextbookValue) {
  Batches batches;
  for (Cycle i = 0; i < 32; ++i) batches.add(i, i % 2 == 0 ? 100 : 110);
  const double s = std::sqrt(32 * 25.0 / 31);
  ASSERT_TRUE(batches.half_width(32));
  EXPECT_NEAR(*batches.half_width(32), 2.040 * s / std::sqrt(32), 1e-3);
  EXPECT_FALSE(batches.within_one_percent(32));  // 1.83 of 105
}

TEST(Batches, TooFewKnowNothing) {
  Batches batches;
  EXPECT_FALSE(batches.half_width(100));
  batches.add(0, 7);
  EXPECT_FALSE(batches.half_width(100));
  EXPECT_FALSE(batches.within_one_percent(100));
  batches.add(1, 7);
  EXPECT_EQ(batches.half_width(100), 0.0);
}

TEST(Batches, EqualValuesAreKnownExactly) {
  Batches batches;
  for (Cycle i = 0; i < 100'000; ++i) batches.add(i, 37);
  EXPECT_EQ(batches.half_width(100'000), 0.0);
  EXPECT_TRUE(batches.within_one_percent(100'000));
}

TEST(Batches, DecisionAgreesWithTheWidth) {
  Rng rng(8);
  int narrow = 0;
  for (int turn = 0; turn < 300; ++turn) {
    Batches batches;
    const Cycle length = 256 + rng.below(4000);
    const Cycle spread = 1 + rng.below(400);
    std::uint64_t sum = 0;
    for (Cycle at = 0; at < length; ++at) {
      const Cycle value = 200 + rng.below(spread);
      batches.add(at, value);
      sum += value;
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(length);
    const double share = *batches.half_width(length) / mean;
    if (std::abs(share - 0.01) < 2e-4) continue;  // the mean of the batches differs a little
    EXPECT_EQ(batches.within_one_percent(length), share < 0.01) << share;
    narrow += share < 0.01 ? 1 : 0;
  }
  EXPECT_GT(narrow, 20);
  EXPECT_LT(narrow, 280);
}

/// A first-order process with correlation 0.9 over time: the interval must hold the true mean about
/// 95 times in 100, which one that took neighbours for independent would do 40 times.
TEST(Batches, CoverageOfACorrelatedProcess) {
  Rng rng(9);
  int held = 0;
  constexpr int turns = 400;
  for (int turn = 0; turn < turns; ++turn) {
    Batches batches;
    double state = 0, sum = 0;
    constexpr Cycle length = 8192;
    for (Cycle at = 0; at < length; ++at) {
      state = 0.9 * state + (rng.unit() - 0.5);
      const auto value = static_cast<Cycle>(std::llround(1e5 + 1e4 * state));
      batches.add(at, value);
      sum += static_cast<double>(value);
    }
    held += std::abs(sum / length - 1e5) <= *batches.half_width(length) ? 1 : 0;
  }
  EXPECT_GT(held, turns * 92 / 100);
  EXPECT_LE(held, turns);
}

}  // namespace
}  // namespace weft::test
