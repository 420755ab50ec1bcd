// SPDX-License-Identifier: Apache-2.0
// Charts on a page, in rows, with a heading above them and a legend beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>

#include "lab/draw/svg.hpp"
#include "lab/report/chart/frame.hpp"
#include "lab/report/chart/heading.hpp"
#include "lab/report/chart/legend.hpp"
#include "lab/report/chart/marker.hpp"
#include "lab/report/chart/series.hpp"

namespace weft {
namespace charts {
namespace {

constexpr double single_width = 860, sheet_width = 1040, least_chart_width = 300;
constexpr double names_height = 36, caption_height = 22;  ///< above a plot

/// The chart without points that have no place on its x axis.
Chart drawable(Chart chart) {
  const double words = static_cast<double>(chart.x_words.size());
  const auto is_outside = [&](const ChartPoint& point) {
    if (!std::isfinite(point.x)) return true;
    if (words > 0) return point.x < -0.5 || point.x > words - 0.5;
    return chart.x_scale == AxisScale::linear && point.x < chart.x_least;
  };
  for (ChartSeries& series : chart.series) std::erase_if(series.points, is_outside);
  for (ChartBand& band : chart.bands) {
    std::erase_if(band.low, is_outside);
    std::erase_if(band.high, is_outside);
  }
  return chart;
}

/// Adds what other charts do not have yet; published series of one name have one entry.
void add_entries(Legend& legend, const Chart& chart) {
  const Legend others = legend;
  for (const ChartSeries& series : chart.series) {
    const Legend& before = series.published ? legend : others;
    if (series.name.empty() || before.has(series.name, series.published)) continue;
    const auto sample = [&series, distinct = chart.distinct](std::ostream& out, double x,
                                                             double y) {
      write_series_sample(out, series, distinct, {x, y});
    };
    legend.entries.push_back({series.name, sample, series.published});
  }
  for (const ChartBand& band : chart.bands)
    if (!band.name.empty() && !legend.has(band.name))
      legend.entries.push_back({band.name, [](std::ostream& out, double x, double y) {
                                  write_band_sample(out, {x, y});
                                }});
}

/// Frames of charts in rows.
struct SheetLayout {
  double chart_width;
  double height;  ///< up to the lower edge of the last row
  std::vector<ChartFrame> frames{};

  void add_row(std::span<const Chart> charts) {
    const bool captioned = std::any_of(charts.begin(), charts.end(),
                                       [](const Chart& chart) { return !chart.title.empty(); });
    const double top = height + names_height + (captioned ? caption_height : 0);
    double left = left_margin;
    for (const Chart& chart : charts) {
      frames.push_back(frame_of(chart, left, top, chart_width - left_margin - right_margin));
      height = std::max(height, frames.back().lower_edge());
      left += chart_width;
    }
  }
};

void write_chart(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  if (!chart.title.empty())
    svg::write_text(out, {frame.left - 44, frame.top - names_height, "ink caption", "start"},
                    svg::cut(chart.title, svg::letters_within(frame.width + 44)));
  write_y_axis(out, frame, chart.y_name);
  write_x_axis(out, frame, chart.x_name);
  write_marks(out, frame, chart.marks);
  write_plot(out, chart, frame);
}

/// The page is as wide as `least_width`, or as its charts need.
void write_page(std::ostream& out, const ChartSheet& sheet, double least_width) {
  std::vector<Chart> charts;
  for (const Chart& chart : sheet.charts) charts.push_back(drawable(chart));
  Legend legend;
  for (const Chart& chart : charts) add_entries(legend, chart);
  const std::size_t columns = std::max<std::size_t>(
      1, sheet.columns == 0 ? charts.size() : std::min(sheet.columns, charts.size()));
  const double each =
      std::max((least_width - legend.width()) / static_cast<double>(columns), least_chart_width);
  const double width = each * static_cast<double>(columns) + legend.width();

  const Heading heading(sheet.title, sheet.note, width);
  SheetLayout layout{each, heading.bottom()};
  for (std::size_t i = 0; i < charts.size(); i += columns)
    layout.add_row(std::span(charts).subspan(i, std::min(columns, charts.size() - i)));

  svg::begin(out, {width, layout.height, sheet.title}, chart_style);
  heading.write(out);
  for (std::size_t i = 0; i < charts.size(); ++i) write_chart(out, charts[i], layout.frames[i]);
  if (!layout.frames.empty())
    legend.write(out, width - legend.width() - right_margin / 2, layout.frames[0].top,
                 layout.frames.back().floor() - layout.frames[0].top);
  svg::end(out);
}

}  // namespace
}  // namespace charts

void write_svg(std::ostream& out, const Chart& chart) {
  Chart untitled = chart;
  untitled.title.clear();
  charts::write_page(out, {chart.title, chart.note, {std::move(untitled)}}, charts::single_width);
}

void write_svg(std::ostream& out, const ChartSheet& sheet) {
  charts::write_page(out, sheet, charts::sheet_width);
}

}  // namespace weft
