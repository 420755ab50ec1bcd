// SPDX-License-Identifier: Apache-2.0
// Frames and axes of charts.
#include "lab/report/chart/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "lab/draw/svg.hpp"

namespace weft::charts {
namespace {

struct PlotExtents {
  AxisExtent x{}, y{};

  explicit PlotExtents(const Chart& chart) {
    for (const ChartSeries& series : chart.series) add(series.points);
    for (const ChartBand& band : chart.bands) {
      add(band.low);
      add(band.high);
    }
    if (chart.x_least_end > 0) x.add(chart.x_least_end);
    y.most = std::min(y.most, chart.y_limit);
  }
  void add(const std::vector<ChartPoint>& points) {
    for (const ChartPoint& point : points) {
      x.add(point.x);
      y.add(point.y);
      if (point.error > 0) y.add(point.y + point.error);
    }
  }
};

ChartAxis x_axis_of(const Chart& chart, AxisExtent extent, double width) {
  if (!chart.x_words.empty())
    return {.low = -0.5, .high = static_cast<double>(chart.x_words.size()) - 0.5};
  if (chart.x_scale == AxisScale::linear)
    return linear_axis(chart.x_least, extent.most, width < 400 ? 5 : 8);
  const auto labels = static_cast<int>(width / 50);
  const ChartAxis axis =
      chart.x_scale == AxisScale::log ? log_axis(extent) : byte_axis(extent, labels);
  return extent.has_zero ? with_zero(axis) : axis;
}

/// Stretches of the x axis that have text.
class TakenRoom {
 public:
  /// Whether there was room for it.
  bool take(double from, double to) {
    for (const auto& [begin, end] : taken_)
      if (from < end + 4 && begin < to + 4) return false;
    taken_.emplace_back(from, to);
    return true;
  }

 private:
  std::vector<std::pair<double, double>> taken_{};
};

void write_x_numbers(std::ostream& out, const ChartFrame& frame) {
  TakenRoom room;
  for (const bool major : {true, false})
    for (const AxisTick& tick : frame.x.ticks) {
      if (tick.major != major) continue;
      const double x = frame.across(tick.value), half = svg::width_of(tick.text) / 2;
      write_rule(out, "axis", {x, frame.floor()}, {x, frame.floor() + 5});
      const double centre = std::min(x, frame.end() + right_margin - half);
      if (room.take(centre - half, centre + half))
        svg::write_text(out, {centre, frame.floor() + 20, "soft", "middle"}, tick.text);
    }
}

}  // namespace

ChartFrame frame_of(const Chart& chart, double left, double top, double width) {
  const PlotExtents extents(chart);
  ChartFrame frame{left, top, width};
  frame.x = x_axis_of(chart, extents.x, width);
  frame.y =
      chart.log_y && extents.y.has_positive() ? log_axis(extents.y) : rising_axis(extents.y.most);
  if (!chart.x_words.empty())
    frame.words.emplace(chart.x_words, left, width / static_cast<double>(chart.x_words.size()),
                        left - left_margin);
  return frame;
}

void write_rule(std::ostream& out, std::string_view look, ChartPoint from, ChartPoint to) {
  out << fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", look,
                     svg::pixels(from.x), svg::pixels(from.y), svg::pixels(to.x),
                     svg::pixels(to.y));
}

void write_y_axis(std::ostream& out, const ChartFrame& frame, const std::string& name) {
  for (const AxisTick& tick : frame.y.ticks) {
    const double y = frame.up(tick.value);
    write_rule(out, &tick == &frame.y.ticks.front() ? "axis" : "grid", {frame.left, y},
               {frame.end(), y});
    svg::write_text(out, {frame.left - 8, y + 4.5, "soft", "end"}, tick.text);
  }
  if (svg::letters_in(name) <= 6)
    return svg::write_text(out, {frame.left - 8, frame.top - 12, "soft", "end"}, name);
  constexpr double before = 44;  // a long one begins above the numbers
  svg::write_text(out, {frame.left - before, frame.top - 12, "soft", "start"},
                  svg::cut(name, svg::letters_within(before + frame.width + right_margin)));
}

void write_x_axis(std::ostream& out, const ChartFrame& frame, const std::string& name) {
  if (frame.words)
    frame.words->write(out, frame.floor() + 4);
  else
    write_x_numbers(out, frame);
  svg::write_text(out, {frame.left + frame.width / 2, frame.lower_edge() - 12, "soft", "middle"},
                  svg::cut(name, svg::letters_within(frame.width + 2 * right_margin)));
}

void write_marks(std::ostream& out, const ChartFrame& frame, const std::vector<ChartMark>& marks) {
  TakenRoom room;  // words that would lie on each other are left out
  for (const ChartMark& mark : marks) {
    if (!std::isfinite(mark.x)) continue;
    const double x = frame.across(mark.x);
    write_rule(out, "axis", {x, frame.floor()}, {x, frame.top});
    const std::string word = svg::cut(mark.word, svg::letters_within(frame.width / 2));
    const double width = svg::width_of(word);
    const bool before = x + 4 + width > frame.end() + right_margin;
    const double from = before ? x - 4 - width : x + 4;
    if (room.take(from, from + width))
      svg::write_text(
          out, {before ? x - 4 : from, frame.top + 10, "soft", before ? "end" : "start"}, word);
  }
}

}  // namespace weft::charts
