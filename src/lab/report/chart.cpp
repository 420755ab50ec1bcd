// SPDX-License-Identifier: Apache-2.0
// Line charts as SVG.
#include "lab/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <string_view>

#include "lab/draw/svg.hpp"

namespace weft {
namespace {

using svg::cut;
using svg::letter_width;
using svg::letters_in;
using svg::palette;
using svg::pixels;
using svg::write_text;

constexpr double chart_width = 860, sheet_width = 1040, chart_height = 420;
constexpr double left_edge = 64, right = 20, top = 64, bottom = 52;
constexpr double legend_sample = 22, legend_line = 20;
constexpr std::size_t most_in_legend = 14, longest_name = 32, longest_title = 84,
                      longest_sheet_title = 104;
constexpr std::string_view marker_style =
    R"(  .open { fill: #ffffff; stroke-width: 1.5 } .dot { stroke-width: 0 }
  .error { fill: none; stroke-width: 1.2 } .area { fill-opacity: 0.25 }
  @media (prefers-color-scheme: dark) { .open { fill: #0d1117 } }
)";

struct AxisTick {
  double value;
  std::string text;
};

/// Where a chart's values lie on paper.
struct ChartFrame {
  double left = left_edge, width = 0;  ///< of the plot
  Ticks x{};
  double x_most = 0;
  std::vector<AxisTick> y_ticks{};  ///< the first is the floor, the last the ceiling
  bool log_y = false;

  double across(double value) const { return left + width * value / x_most; }
  double up(double value) const {
    const double low = y_ticks.front().value, high = y_ticks.back().value;
    const double share = log_y ? std::log(std::max(value, low) / low) / std::log(high / low)
                               : (value - low) / (high - low);
    return chart_height - bottom - (chart_height - top - bottom) * std::min(share, 1.0);
  }
  double floor() const { return up(y_ticks.front().value); }
};

/// The legend's width, with the space before it.
double legend_width(const Chart& chart) {
  std::size_t longest = 0, names = 0;
  for (const ChartSeries& series : chart.series) {
    longest = std::max(longest, letters_in(cut(series.name, longest_name)));
    if (!series.name.empty() && ++names > most_in_legend)
      longest = std::max(longest, std::string_view("and 1000 more").size());
  }
  return longest == 0 ? 0 : 32 + legend_sample + letter_width * static_cast<double>(longest);
}

/// 1, 2 and 5 times powers of ten; over more than three of them, the powers alone.
std::vector<AxisTick> log_ticks(double least, double most) {
  const auto first = static_cast<int>(std::floor(std::log10(least)));
  const auto last = static_cast<int>(std::ceil(std::log10(most)));
  std::vector<AxisTick> all;
  for (int power = first; power <= last; ++power)
    for (const int digit : {1, 2, 5}) {
      if (digit != 1 && (last - first > 3 || power == last)) continue;
      const double value = digit * std::pow(10.0, power);
      all.push_back({value, fmt::format("{:g}", value)});
    }
  // From the last tick that is not above the least value to the first that is not below the most.
  auto begin = all.begin(), end = all.end();
  while (std::next(begin) != end && std::next(begin)->value <= least) ++begin;
  while (std::prev(end, 2) > begin && std::prev(end, 2)->value >= most) --end;
  return {begin, end};
}

std::vector<AxisTick> linear_ticks(double most) {
  const Ticks ticks = Ticks::up_to(most * 1.03, 6);
  std::vector<AxisTick> out;
  for (int i = 0; i <= ticks.count; ++i) out.push_back({ticks.step * i, ticks.text(i)});
  return out;
}

ChartFrame frame_of(const Chart& chart, double left, double width) {
  double x = chart.x_least_end, most = 0, least = std::numeric_limits<double>::infinity();
  for (const ChartSeries& series : chart.series)
    for (const ChartPoint& point : series.points) {
      x = std::max(x, point.x);
      if (!std::isfinite(point.y)) continue;
      most = std::max(most, point.y + std::max(0.0, point.error));
      if (point.y > 0) least = std::min(least, point.y);
    }
  most = std::min(most, chart.y_limit);
  ChartFrame frame;
  frame.left = left;
  frame.width = width;
  frame.x = Ticks::up_to(x, width < 400 ? 5 : 8);
  frame.x_most = x > 0 ? x : 1;
  frame.log_y = chart.log_y && std::isfinite(least);
  frame.y_ticks = frame.log_y ? log_ticks(least, most) : linear_ticks(most);
  return frame;
}

void write_rule(std::ostream& out, std::string_view look, ChartPoint from, ChartPoint to) {
  out << fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", look,
                     pixels(from.x), pixels(from.y), pixels(to.x), pixels(to.y));
}

void write_axes(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  const double floor = frame.floor(), left = frame.left, end = frame.across(frame.x_most);
  for (const AxisTick& tick : frame.y_ticks) {
    const double y = frame.up(tick.value);
    write_rule(out, &tick == &frame.y_ticks.front() ? "axis" : "grid", {left, y}, {end, y});
    write_text(out, {left - 8, y + 4.5, "soft", "end"}, tick.text);
  }
  for (int i = 0; i <= frame.x.count; ++i) {
    const double value = frame.x.step * i;
    if (value > frame.x_most * 1.0001) break;
    write_rule(out, "axis", {frame.across(value), floor}, {frame.across(value), floor + 5});
    write_text(out, {frame.across(value), floor + 20, "soft", "middle"}, frame.x.text(i));
  }
  write_text(out, {(left + end) / 2, chart_height - 12, "soft", "middle"}, chart.x_name);
  const bool is_long = letters_in(chart.y_name) > 6;  // it begins above the numbers then
  write_text(out, {is_long ? left - 44 : left - 8, top - 12, "soft", is_long ? "start" : "end"},
             chart.y_name);
  double word_end = 0;  // words that would lie on each other are left out
  for (const ChartMark& mark : chart.marks) {
    const double x = frame.across(mark.x);
    write_rule(out, "axis", {x, floor}, {x, top});
    if (x < word_end) continue;
    write_text(out, {x + 4, top + 10, "soft", "start"}, mark.word);
    word_end = x + letter_width * static_cast<double>(letters_in(mark.word));
  }
}

/// The path of a line; points on it that change nothing are left out.
std::string path_of(const ChartSeries& series, const ChartFrame& frame) {
  std::string out, at_x, at_y;
  bool drawing = false;
  for (const ChartPoint& point : series.points) {
    const std::string x = pixels(frame.across(point.x));
    const bool ends = !std::isfinite(point.y) || point.open;
    const std::string y = ends ? at_y : pixels(frame.up(point.y));
    if (drawing && series.stepped && (ends || y != at_y)) out += " H" + x;
    if (!ends && !drawing)
      out += fmt::format("{}M{} {}", out.empty() ? "" : " ", x, y);
    else if (!ends && series.stepped && y != at_y)
      out += " V" + y;
    else if (!ends && !series.stepped)
      out += fmt::format(" L{} {}", x, y);
    drawing = !ends;
    at_x = x;
    at_y = y;
  }
  if (drawing && series.stepped) out += " H" + at_x;
  return out;
}

/// The dashed lines to open points.
std::string dashed_path_of(const ChartSeries& series, const ChartFrame& frame) {
  std::string out;
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    const ChartPoint &from = series.points[i - 1], &to = series.points[i];
    if (!to.open || !std::isfinite(from.y) || !std::isfinite(to.y)) continue;
    out +=
        fmt::format("{}M{} {} L{} {}", out.empty() ? "" : " ", pixels(frame.across(from.x)),
                    pixels(frame.up(from.y)), pixels(frame.across(to.x)), pixels(frame.up(to.y)));
  }
  return out;
}

void write_markers(std::ostream& out, const ChartSeries& series, const ChartFrame& frame) {
  const std::string_view colour = palette[series.colour % palette.size()];
  for (const ChartPoint& point : series.points) {
    if (!std::isfinite(point.y)) continue;
    const double x = frame.across(point.x), y = frame.up(point.y);
    if (point.error > 0) {
      const double high = frame.up(point.y + point.error);
      const double low = frame.up(std::max(frame.y_ticks.front().value, point.y - point.error));
      if (low - high > 2)
        out << fmt::format(
            "<path class=\"error\" stroke=\"{0}\" d=\"M{1} {2} h8 m-4 0 V{3} m-4 0 "
            "h8\"/>\n",
            colour, pixels(x - 4), pixels(high), pixels(low));
    }
    if (point.crossed) {
      out << fmt::format("<path class=\"error\" stroke=\"{}\" d=\"M{} {} l7 7 m-7 0 l7 -7\"/>\n",
                         colour, pixels(x - 3.5), pixels(y - 3.5));
      continue;
    }
    if (point.y > frame.y_ticks.back().value) {  // it lies above: an arrow
      out << fmt::format("<path class=\"open\" stroke=\"{}\" d=\"M{} {} l4.5 8 h-9 Z\"/>\n", colour,
                         pixels(x), pixels(y - 4));
      continue;
    }
    out << fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"3.5\" stroke=\"{}\"{}/>\n",
                       point.open ? "open" : "dot", pixels(x), pixels(y), colour,
                       point.open ? "" : fmt::format(" fill=\"{}\"", colour));
  }
}

void write_filled(std::ostream& out, const ChartSeries& series, const ChartFrame& frame,
                  const std::string& path) {
  out << fmt::format("<path class=\"area\" fill=\"{}\" d=\"{} V{} H{} Z\"/>\n",
                     palette[series.colour % palette.size()], path, pixels(frame.floor()),
                     pixels(frame.across(series.points.front().x)));
}

void write_line(std::ostream& out, const ChartSeries& series, double width,
                const std::string& path) {
  out << fmt::format("<path class=\"line{}\" stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n",
                     series.dashed ? " dashed" : "", palette[series.colour % palette.size()],
                     pixels(width), path);
}

/// A few solid lines without markers get thinner to the top, so that those below are seen where
/// they coincide.
void write_lines(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  constexpr std::ptrdiff_t few = 5;
  auto above = std::count_if(chart.series.begin(), chart.series.end(),
                             [](const ChartSeries& series) { return !series.dashed; });
  const double more = above <= few ? 1 : 0;
  for (const ChartSeries& series : chart.series) {
    if (!series.dashed) --above;
    const std::string path = path_of(series, frame);
    if (series.filled && !path.empty()) write_filled(out, series, frame, path);
    const double wider = series.marked ? 0 : more * static_cast<double>(above);
    if (!path.empty()) write_line(out, series, series.dashed ? 1.5 : 2 + wider, path);
    if (const std::string dashed = dashed_path_of(series, frame); !dashed.empty())
      write_line(out, {.colour = series.colour, .dashed = true}, 1.5, dashed);
    if (series.marked) write_markers(out, series, frame);
  }
}

void write_legend(std::ostream& out, const Chart& chart, double x) {
  double y = top + 6;
  std::size_t shown = 0, hidden = 0;
  for (const ChartSeries& series : chart.series) {
    if (series.name.empty()) continue;
    if (++shown > most_in_legend) {
      ++hidden;
      continue;
    }
    write_line(out, series, series.dashed ? 1.5 : 3,
               fmt::format("M{} {} h{}", pixels(x), pixels(y - 4), legend_sample));
    write_text(out, {x + legend_sample + 8, y, "ink", "start"}, cut(series.name, longest_name));
    y += legend_line;
  }
  if (hidden > 0)
    write_text(out, {x + legend_sample + 8, y, "soft", "start"},
               fmt::format("and {} more", hidden));
}

}  // namespace

Ticks Ticks::up_to(double most, int about) {
  Ticks out;
  if (!(most > 0) || !std::isfinite(most)) return out;
  const double power = std::pow(10.0, std::floor(std::log10(most / about)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    out.step = step * power;
    if (most / out.step <= about) break;
  }
  out.count = std::max(1, static_cast<int>(std::ceil(most / out.step - 1e-9)));
  out.places = std::max(0, -static_cast<int>(std::floor(std::log10(out.step) + 1e-9)));
  return out;
}

std::string Ticks::text(int index) const { return fmt::format("{:.{}f}", step * index, places); }

void write_svg(std::ostream& out, const Chart& chart) {
  const ChartFrame frame =
      frame_of(chart, left_edge, chart_width - left_edge - right - legend_width(chart));
  svg::begin(out, {chart_width, chart_height, chart.title}, marker_style);
  write_text(out, {left_edge, 24, "ink title", "start"}, cut(chart.title, longest_title));
  write_text(out, {left_edge, 42, "soft", "start"}, chart.note);
  write_axes(out, chart, frame);
  write_lines(out, chart, frame);
  write_legend(out, chart, left_edge + frame.width + 24);
  svg::end(out);
}

void write_svg(std::ostream& out, const ChartSheet& sheet) {
  const double legend = sheet.charts.empty() ? 0 : legend_width(sheet.charts.front());
  const double each =
      (sheet_width - legend) / static_cast<double>(std::max<std::size_t>(1, sheet.charts.size()));
  constexpr double edge = 20, heading = 18;
  svg::begin(out, {sheet_width, chart_height + heading, sheet.title}, marker_style);
  write_text(out, {edge, 24, "ink title", "start"}, cut(sheet.title, longest_sheet_title));
  write_text(out, {edge, 43, "soft", "start"}, sheet.note);
  out << fmt::format("<g transform=\"translate(0 {})\">\n", heading);
  double x = 0;
  for (const Chart& chart : sheet.charts) {
    const ChartFrame frame = frame_of(chart, x + left_edge, each - left_edge - right);
    write_axes(out, chart, frame);
    write_lines(out, chart, frame);
    x += each;
  }
  if (legend > 0) write_legend(out, sheet.charts.front(), x + 4);
  out << "</g>\n";
  svg::end(out);
}

}  // namespace weft
