// SPDX-License-Identifier: Apache-2.0
// Axes of charts: where a value lies on an axis, and which values are labelled.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "lab/report/chart.hpp"

namespace weft::charts {

struct AxisTick {
  double value;
  std::string text;
  bool major = true;  ///< its text goes before those of others where there is no room for all
};

/// The values that an axis has to show.
struct AxisExtent {
  double least_positive = std::numeric_limits<double>::infinity();
  double most = 0;
  bool has_zero = false;  ///< or less

  void add(double value);
  bool has_positive() const { return most > 0; }
};

struct ChartAxis {
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1;  ///< the ends; of a logarithmic axis, those of its positive part
  double zero_share = 0;     ///< how much of a logarithmic axis lies between 0 and `low`
  std::vector<AxisTick> ticks{};

  /// From 0, at the beginning of the axis, to 1; what lies beyond an end lies on it.
  double share(double value) const;
};

/// It ends at `high`, with about so many round values.
ChartAxis linear_axis(double low, double high, int about);
/// From 0 to a round value above `most`.
ChartAxis rising_axis(double most);
/// 1, 2 and 5 times powers of ten; over more than three of them, the powers alone. An extent with
/// nothing positive has an axis, too.
ChartAxis log_axis(const AxisExtent& extent);
/// Powers of two, about so many of them labelled.
ChartAxis byte_axis(const AxisExtent& extent, int about);
/// Leaves room for 0 before the positive part.
ChartAxis with_zero(ChartAxis axis);

}  // namespace weft::charts
