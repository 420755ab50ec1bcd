// SPDX-License-Identifier: Apache-2.0
// Arrival processes against closed forms: the mean and the variance of what hosts create.
#include "sim/workload/arrivals.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::sim {
namespace {

constexpr std::size_t hosts = 40;
constexpr Cycle window = 4096, windows = 60;

struct Counts {
  double mean = 0, variance = 0;  ///< packets of a host in a window
};

/// Counts what hosts with the loads of `of` create in windows one after the other.
template <class Arrivals>
Counts counts_of(Arrivals arrivals, std::size_t first, std::size_t last) {
  double sum = 0, squares = 0;
  for (std::size_t i = first; i < last; ++i) {
    Rng rng(i + 1);
    std::vector<double> counts(windows);
    for (Cycle at = arrivals.from(HostId(i), 0, rng); at < window * windows;
         at = arrivals.from(HostId(i), at + 1, rng))
      ++counts[at / window];
    for (const double count : counts) {
      sum += count;
      squares += count * count;
    }
  }
  const auto n = static_cast<double>((last - first) * windows);
  return {sum / n, squares / n - sum / n * (sum / n)};
}

Chance chance(double value) { return Chance(static_cast<std::uint64_t>(value * 0x1.0p63)); }

/// With p in bursts, a share s of the time, and an autocorrelation r, r^2, … of the states.
double variance_per_cycle(double p, double s, double r) {
  const double mean = p * s;
  return mean * (1 - mean) + 2 * p * p * s * (1 - s) * r / (1 - r);
}

struct OnOffCase {
  double load, peak;
  std::uint64_t on;
  const char* length;
  double flits;
};
class OnOff : public testing::TestWithParam<OnOffCase> {};

TEST_P(OnOff, KeepsTheLoadAndVariesAsAMarkovChainDoes) {
  const auto [load, peak, on, length, flits] = GetParam();
  const IdVector<HostId, Chance> loads(hosts, chance(load));
  const OnOffArrivals arrivals(Lengths(length, Bytes{8}), loads, {on, chance(peak)});
  const Counts counts = counts_of(arrivals, 0, hosts);
  const double off = static_cast<double>(on) * (peak - load) / load;
  const double r = 1 - 1 / static_cast<double>(on) - 1 / off;
  const double variance = variance_per_cycle(peak / flits, load / peak, r) * window;
  const double n = hosts * windows;
  EXPECT_NEAR(counts.mean, load / flits * window, 4 * std::sqrt(variance / n));
  EXPECT_NEAR(counts.variance, variance, 0.12 * variance);
  // What measurements reckon with is no less, and not much more.
  const double plain = load / flits * window;
  const auto dispersion = static_cast<double>(arrivals.burstiness().dispersion);
  EXPECT_GE(dispersion * plain, variance);
  EXPECT_LE(dispersion, variance / plain + 3);
}

INSTANTIATE_TEST_SUITE_P(All, OnOff,
                         testing::Values(OnOffCase{0.2, 1, 50, "1", 1},
                                         OnOffCase{0.2, 0.5, 20, "1", 1},
                                         OnOffCase{0.4, 1, 100, "16", 16},
                                         OnOffCase{0.05, 1, 8, "1", 1},
                                         OnOffCase{0.6, 0.9, 30, "2", 2}));

TEST(OnOff, AtItsPeakItNeverPausesAndBelowOneCycleItSometimesDoes) {
  const Lengths one("1", Bytes{8});
  const auto mean_at = [&](double load, double peak) {
    const IdVector<HostId, Chance> loads(4, chance(load));
    return counts_of(OnOffArrivals(one, loads, {10, chance(peak)}), 0, 4).mean / window;
  };
  EXPECT_EQ(mean_at(1, 1), 1);
  EXPECT_NEAR(mean_at(0.5, 0.5), 0.5, 0.005);
  EXPECT_NEAR(mean_at(0.95, 1), 0.95, 0.005);  // pauses of half a cycle on average
}

TEST(WeightedArrivals, EveryHostHasItsOwnLoad) {
  IdVector<HostId, Chance> loads(hosts);
  for (std::size_t i = 0; i < hosts; ++i)
    loads[HostId(i)] = chance(i % 4 == 3 ? 0 : 0.1 * static_cast<double>(i % 4 + 1));
  const WeightedArrivals arrivals(Lengths("2", Bytes{8}), loads);
  for (std::size_t i = 0; i < 8; ++i) {
    const double expected = loads[HostId(i)].value() / 2 * window;
    EXPECT_NEAR(counts_of(arrivals, i, i + 1).mean, expected, 4 * std::sqrt(expected / windows))
        << i;
  }
}

}  // namespace
}  // namespace weft::sim
