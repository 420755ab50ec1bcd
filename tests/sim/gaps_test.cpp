// SPDX-License-Identifier: Apache-2.0
// Gaps and draws: their distributions against the exact probabilities.
#include "sim/workload/gaps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/message.hpp"

namespace weft::test {
namespace {

TEST(Chances, PercentagesAndWhatIsNone) {
  EXPECT_EQ(chance_from("25%").parts(), chance_from("0.25").parts());
  EXPECT_EQ(chance_from("100%").parts(), chance_from("1").parts());
  for (const char* text : {"101%", "%", "5%%", "-1%", "", "1.5"})
    EXPECT_THROW(chance_from(text), Error) << text;
}

using sim::Gaps;

/// Chi-square of `draws` gaps with probability `p`: values below `cells` one by one, and the rest.
double chi_square(double p, int draws, std::size_t cells) {
  const Gaps gaps(chance_from(fmt::format("{}", p)));
  Rng rng(11);
  std::vector<int> seen(cells + 1);
  for (int i = 0; i < draws; ++i) ++seen[std::min<std::size_t>(gaps(rng), cells)];
  double out = 0;
  for (std::size_t k = 0; k <= cells; ++k) {
    const double tail = std::pow(1 - p, static_cast<double>(k));
    const double expected = draws * (k < cells ? p * tail : tail);
    out += (seen[k] - expected) * (seen[k] - expected) / expected;
  }
  return out;
}

TEST(Gaps, DistributionIsGeometric) {
  // With n degrees of freedom the 99.9 % point lies near n + 3.1 sqrt(2n) + 5.
  for (double p : {0.9, 0.5, 0.3, 0.1, 0.0125, 0.001}) {
    const auto cells = static_cast<std::size_t>(std::min(200.0, 3 / p));
    const auto n = static_cast<double>(cells);
    EXPECT_LT(chi_square(p, 400'000, cells), n + 3.1 * std::sqrt(2 * n) + 5) << p;
  }
}

/// The definition, one bit after the other.
class BitByBit {
 public:
  explicit BitByBit(Chance p) {
    std::uint64_t q = (Chance::one - p.parts()) << 1;
    for (; q != 0; q = static_cast<std::uint64_t>((Wide{q} * q + (Wide{1} << 63)) >> 64))
      set_.push_back(static_cast<std::uint64_t>((Wide{q} << 64) / ((Wide{1} << 64) + q)));
  }
  std::uint64_t operator()(Rng& rng) const {
    std::uint64_t gap = 0, word = 0;
    for (std::size_t j = 0; j < set_.size(); ++j, word >>= 8) {
      if (j % 8 == 0) word = rng.next();
      const std::uint64_t chunk = word & 0xFF, top = set_[j] >> 56;
      const bool set = chunk == top ? rng.next() < set_[j] << 8 : chunk < top;
      gap |= std::uint64_t{set} << j;
    }
    return gap;
  }

 private:
  std::vector<std::uint64_t> set_;
};

TEST(Gaps, EightBitsAtOnceAreTheSameAsOneByOne) {
  for (const char* p : {"0.999", "0.9", "0.5", "0.2", "0.0125", "0.0001"}) {
    const Gaps gaps(chance_from(p));
    const BitByBit expected(chance_from(p));
    Rng one(3), other(3);
    for (int i = 0; i < 20'000; ++i) ASSERT_EQ(gaps(one), expected(other)) << p;
  }
}

TEST(Gaps, MeanAndVariance) {
  for (double p : {0.7, 0.05, 1e-3, 1e-6}) {
    const Gaps gaps(chance_from(fmt::format("{}", p)));
    Rng rng(5);
    constexpr int draws = 200'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      const auto gap = static_cast<double>(gaps(rng));
      sum += gap;
      squares += gap * gap;
    }
    const double mean = (1 - p) / p, variance = (1 - p) / (p * p);
    EXPECT_NEAR(sum / draws, mean, 4 * std::sqrt(variance / draws)) << p;
    EXPECT_NEAR(squares / draws - mean * mean, variance, 0.05 * variance) << p;
  }
}

TEST(Gaps, CertainAndTinyChances) {
  Rng rng(1);
  const Gaps always{Chance(Chance::one)};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(always(rng), 0U);
  const Gaps rarely{Chance(1)};  // 2^-63
  EXPECT_GT(rarely(rng), sim::Cycle{1} << 50);
}

/// Traffic must be the same on every machine: the first gaps of one seed, once and for all.
TEST(Gaps, TheSameEverywhere) {
  const Gaps gaps(chance_from("0.0125"));
  Rng rng(1);
  std::vector<sim::Cycle> first;
  for (int i = 0; i < 8; ++i) first.push_back(gaps(rng));
  EXPECT_EQ(first, (std::vector<sim::Cycle>{26, 31, 39, 226, 3, 54, 52, 56}));
}

TEST(Chance, OfText) {
  EXPECT_EQ(chance_from("0").parts(), 0U);
  EXPECT_EQ(chance_from("1").parts(), Chance::one);
  EXPECT_EQ(chance_from("0.25").parts(), Chance::one / 4);
  EXPECT_DOUBLE_EQ(chance_from("1e-3").value(), 1e-3);
  for (const char* wrong : {"", "-0.1", "1.01", "nan", "inf", "0.5x", " 0.5", "half"})
    EXPECT_EQ(message_of([&] { chance_from(wrong); }),
              fmt::format("\"{}\" is not a number from 0 to 1, or a percentage", wrong));
}

TEST(Chance, HappensAsOftenAsItSays) {
  Rng rng(2);
  int hits = 0;
  const Chance chance = chance_from("0.3");
  for (int i = 0; i < 100'000; ++i) hits += chance(rng) ? 1 : 0;
  EXPECT_NEAR(hits, 30'000, 600);
  EXPECT_TRUE(Chance(Chance::one)(rng));
  EXPECT_FALSE(Chance()(rng));
}

TEST(Draw, EveryValueEquallyOften) {
  Rng rng(4);
  std::vector<int> seen(7);
  for (int i = 0; i < 70'000; ++i) ++seen[draw_below(rng, 7)];
  for (int count : seen) EXPECT_NEAR(count, 10'000, 400);
  EXPECT_EQ(draw_below(rng, 1), 0U);
}

}  // namespace
}  // namespace weft::test
