// SPDX-License-Identifier: Apache-2.0
// Lines, areas and markers of charts.
#include "lab/report/chart/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "lab/draw/svg.hpp"
#include "lab/report/chart/legend.hpp"
#include "lab/report/chart/marker.hpp"

namespace weft::charts {
namespace {

using svg::pixels;

std::string place(const ChartFrame& frame, const ChartPoint& point) {
  return pixels(frame.across(point.x)) + " " + pixels(frame.up(point.y));
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
    out += fmt::format("{}M{} L{}", out.empty() ? "" : " ", place(frame, from), place(frame, to));
  }
  return out;
}

struct LineLook {
  std::size_t colour = 0;
  bool dashed = false;
  bool distinct = false;  ///< dashes by colour
  double width = 0;
};

void write_line(std::ostream& out, const LineLook& look, const std::string& path) {
  if (path.empty()) return;
  const std::string_view dashes =
      look.distinct && !look.dashed ? dashes_of(look.colour) : std::string_view();
  out << fmt::format("<path class=\"line{}\" stroke=\"{}\" stroke-width=\"{}\"{} d=\"{}\"/>\n",
                     look.dashed ? " dashed" : "", colour_of(look.colour), pixels(look.width),
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes), path);
}

void write_filled(std::ostream& out, const ChartSeries& series, const ChartFrame& frame,
                  const std::string& path) {
  out << fmt::format("<path class=\"{}\" fill=\"{}\" d=\"{} V{} H{} Z\"/>\n",
                     series.opaque ? "stack" : "area", colour_of(series.colour), path,
                     pixels(frame.floor()), pixels(frame.across(series.points.front().x)));
}

bool has_error(const ChartPoint& point) { return point.error > 0 && std::isfinite(point.error); }

std::string tip_of(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
  const auto word = static_cast<std::size_t>(std::lround(std::max(0.0, std::min(point.x, 1e9))));
  return fmt::format(
      "{}{}{:.6g}{} at {}", series.name, series.name.empty() ? "" : ": ", point.y,
      has_error(point) ? fmt::format(" ± {:.3g}", point.error) : "",
      word < chart.x_words.size() ? chart.x_words[word] : fmt::format("{:.6g}", point.x));
}

void write_point(std::ostream& out, const Chart& chart, const ChartFrame& frame,
                 const ChartSeries& series, const ChartPoint& point) {
  const std::string_view colour = colour_of(series.colour);
  const double x = frame.across(point.x), y = frame.up(point.y);
  if (has_error(point))
    write_error_bar(out, {x, frame.up(point.y - point.error), frame.up(point.y + point.error),
                          series.published ? std::string_view() : colour});
  const std::string tip = tip_of(chart, series, point);
  if (series.published) return write_ring(out, {x, y, tip});
  if (point.crossed)
    out << fmt::format("<path class=\"error\" stroke=\"{}\" d=\"M{} {} l7 7 m-7 0 l7 -7\"/>\n",
                       colour, pixels(x - 3.5), pixels(y - 3.5));
  else if (point.y > frame.y.high)  // it lies above: an arrow
    out << fmt::format("<path class=\"open\" stroke=\"{}\" d=\"M{} {} l4.5 8 h-9 Z\"/>\n", colour,
                       pixels(x), pixels(y - 4));
  else
    write_marker(out, {x, y, series.colour, chart.distinct, point.open, tip});
}

void write_points(std::ostream& out, const Chart& chart, const ChartFrame& frame,
                  const ChartSeries& series) {
  for (const ChartPoint& point : series.points)
    if (std::isfinite(point.y)) write_point(out, chart, frame, series, point);
}

void write_band(std::ostream& out, const ChartBand& band, const ChartFrame& frame) {
  std::vector<ChartPoint> outline = band.high;
  outline.insert(outline.end(), band.low.rbegin(), band.low.rend());
  std::string path;
  for (const ChartPoint& point : outline)
    if (std::isfinite(point.y)) path += (path.empty() ? "M" : " L") + place(frame, point);
  if (!path.empty()) out << fmt::format("<path class=\"band\" d=\"{} Z\"/>\n", path);
}

/// A few solid lines without markers get thinner to the top, so that those below are seen where
/// they coincide.
void write_lines(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  constexpr std::ptrdiff_t few = 5;
  auto above = std::count_if(chart.series.begin(), chart.series.end(),
                             [](const ChartSeries& series) { return !series.dashed; });
  const double more = above <= few && !chart.distinct ? 1 : 0;
  for (const ChartSeries& series : chart.series) {
    if (series.published) continue;
    if (!series.dashed) --above;
    if (!series.unlined) {
      const std::string path = path_of(series, frame);
      if (series.filled && !path.empty()) write_filled(out, series, frame, path);
      const double wider = series.marked ? 0 : more * static_cast<double>(above);
      write_line(out,
                 {series.colour, series.dashed, chart.distinct, series.dashed ? 1.5 : 2 + wider},
                 path);
      write_line(out, {.colour = series.colour, .dashed = true, .width = 1.5},
                 dashed_path_of(series, frame));
    }
    if (series.marked || series.unlined) write_points(out, chart, frame, series);
  }
}

}  // namespace

void write_plot(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  for (const ChartBand& band : chart.bands) write_band(out, band, frame);
  write_lines(out, chart, frame);
  for (const ChartSeries& series : chart.series)
    if (series.published) write_points(out, chart, frame, series);
}

void write_series_sample(std::ostream& out, const ChartSeries& series, bool distinct,
                         ChartPoint from) {
  const double middle = from.x + Legend::sample_width / 2;
  if (series.published) return write_ring(out, {middle, from.y});
  if (!series.unlined)
    write_line(out,
               {series.colour, series.dashed, distinct,
                series.dashed ? 1.5
                : distinct    ? 2
                              : 3},
               fmt::format("M{} {} h{}", pixels(from.x), pixels(from.y), Legend::sample_width));
  if (series.unlined || (distinct && series.marked))
    write_marker(out, {middle, from.y, series.colour, distinct});
}

void write_band_sample(std::ostream& out, ChartPoint from) {
  out << fmt::format("<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/>\n",
                     pixels(from.x), pixels(from.y - 6), Legend::sample_width);
}

}  // namespace weft::charts
