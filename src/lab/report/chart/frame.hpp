// SPDX-License-Identifier: Apache-2.0
// Where a chart's values lie on paper, and the axes around them.
#pragma once
#include <iosfwd>
#include <optional>
#include <string_view>

#include "lab/report/chart/axis.hpp"
#include "lab/report/chart/words.hpp"

namespace weft::charts {

inline constexpr double left_margin = 64, right_margin = 30;  ///< of a plot, with its numbers
inline constexpr double plot_height = 304;

struct ChartFrame {
  double left = 0, top = 0, width = 0;  ///< of the plot
  ChartAxis x{}, y{};
  std::optional<AxisWords> words{};  ///< instead of numbers on the x axis

  double across(double value) const { return left + width * x.share(value); }
  double up(double value) const { return floor() - plot_height * y.share(value); }
  double floor() const { return top + plot_height; }
  double end() const { return left + width; }
  /// The lower edge of what is written below it.
  double lower_edge() const { return floor() + 36 + (words ? words->height() : 16); }
};

/// The frame of a chart whose plot begins at `left` and `top`.
ChartFrame frame_of(const Chart& chart, double left, double top, double width);

void write_rule(std::ostream& out, std::string_view look, ChartPoint from, ChartPoint to);
void write_y_axis(std::ostream& out, const ChartFrame& frame, const std::string& name);
void write_x_axis(std::ostream& out, const ChartFrame& frame, const std::string& name);
void write_marks(std::ostream& out, const ChartFrame& frame, const std::vector<ChartMark>& marks);

}  // namespace weft::charts
