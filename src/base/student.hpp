// SPDX-License-Identifier: Apache-2.0
// Student's t for confidence intervals of 95 % (two-sided): the mean of n values is known to
// t(n - 1) standard errors.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace weft {

/// In thousandths; for more than 31 degrees of freedom by the expansion of Fisher and Cornish
/// (1960), which is right to the last of these digits.
inline std::uint64_t student_thousandths(std::uint64_t freedom) {
  constexpr std::array<std::uint64_t, 31> table{12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306,
                                                2262,  2228, 2201, 2179, 2160, 2145, 2131, 2120,
                                                2110,  2101, 2093, 2086, 2080, 2074, 2069, 2064,
                                                2060,  2056, 2052, 2048, 2045, 2042, 2040};
  if (freedom == 0) return 0;
  if (freedom <= table.size()) return table[freedom - 1];
  constexpr double z = 1.959963984540054;  // of the normal distribution
  const auto n = static_cast<double>(freedom);
  const double t = z + (z * z * z + z) / (4 * n) +
                   (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * n * n);
  return static_cast<std::uint64_t>(std::llround(1000 * t));
}

/// The mean of some values, and half the width of its confidence interval.
struct MeanOfValues {
  double mean = 0;        ///< not a number where there are no values
  double half_width = 0;  ///< not a number for fewer than two

  explicit MeanOfValues(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    mean = sum / n;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double error = std::sqrt(squares / (n * (n - 1)));
    const std::uint64_t t = values.size() < 2 ? 0 : student_thousandths(values.size() - 1);
    half_width = values.size() < 2 ? std::nan("") : static_cast<double>(t) / 1000 * error;
  }
};

}  // namespace weft
