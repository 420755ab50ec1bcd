// SPDX-License-Identifier: Apache-2.0
// Vertical bars in groups as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>

#include "lab/draw/svg.hpp"
#include "lab/report/chart/frame.hpp"
#include "lab/report/chart/heading.hpp"
#include "lab/report/chart/legend.hpp"
#include "lab/report/chart/marker.hpp"

namespace weft {
namespace charts {
namespace {

constexpr double columns_width = 860, between_groups = 14, least_column = 8, widest_column = 60;
constexpr std::string_view column_style =
    R"(  .hatch { fill: none; stroke: #ffffff; stroke-width: 1.6 }
  @media (prefers-color-scheme: dark) { .hatch { stroke: #0d1117 } }
)";

/// Lines in the colour of paper within a square of 6 pixels, one pattern a series.
constexpr std::array<std::string_view, 8> hatches{"",
                                                  "M-1 1 l2 -2 M0 6 l6 -6 M5 7 l2 -2",
                                                  "M0 3 h6",
                                                  "M-1 5 l2 2 M0 0 l6 6 M5 -1 l2 2",
                                                  "M3 0 v6",
                                                  "M0 3 h6 M3 0 v6",
                                                  "M0 0 l6 6 M0 6 l6 -6",
                                                  "M1.5 1.5 h2.4"};

double value_at(const std::vector<double>& values, std::size_t group) {
  return group < values.size() ? values[group] : std::numeric_limits<double>::quiet_NaN();
}

bool has_published(const ColumnChart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), [](const ColumnSeries& series) {
    return std::any_of(series.published.begin(), series.published.end(),
                       [](double value) { return std::isfinite(value); });
  });
}

/// Patterns with the same number are the same in all files: pages may have several of them.
std::string pattern_of(std::size_t series) {
  return fmt::format("weft-column-{}", series % hatches.size());
}

void write_patterns(std::ostream& out, std::size_t series) {
  out << "<defs>\n";
  for (std::size_t i = 0; i < std::min(series, hatches.size()); ++i)
    out << fmt::format(
        "<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
        "width=\"6\" height=\"6\" fill=\"{}\"/><path class=\"hatch\" d=\"{}\"/></pattern>\n",
        pattern_of(i), colour_of(i), hatches[i]);
  out << "</defs>\n";
}

struct ColumnFrame {
  ChartFrame plot;
  double slot, column;  ///< widths of a group and of a bar

  ColumnFrame(const ColumnChart& chart, double top, double width)
      : plot{left_margin, top, width},
        slot(width / static_cast<double>(std::max<std::size_t>(1, chart.groups.size()))),
        column(std::min(widest_column,
                        (slot - std::max(between_groups, slot / 6)) /
                            static_cast<double>(std::max<std::size_t>(1, chart.series.size())))) {
    AxisExtent extent;
    for (const ColumnSeries& series : chart.series)
      for (std::size_t i = 0; i < chart.groups.size(); ++i) {
        const double error = value_at(series.errors, i);
        extent.add(value_at(series.values, i) + (error > 0 ? error : 0));
        extent.add(value_at(series.values, i));
        extent.add(value_at(series.published, i));
      }
    plot.y = rising_axis(extent.most);
    if (!chart.groups.empty()) plot.words.emplace(chart.groups, plot.left, slot, 0);
  }
  /// The left edge of a bar.
  double left_of(const ColumnChart& chart, std::size_t series, std::size_t group) const {
    const double first =
        plot.words->centre(group) - column * static_cast<double>(chart.series.size()) / 2;
    return first + column * static_cast<double>(series);
  }
};

struct ColumnLook {
  double x, y, width, height;
  std::size_t series;
};

void write_column(std::ostream& out, const ColumnLook& look, const std::string& tip) {
  out << fmt::format(
      "<rect class=\"column\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#{})\" "
      "stroke=\"{}\">{}</rect>\n",
      svg::pixels(look.x), svg::pixels(look.y), svg::pixels(look.width), svg::pixels(look.height),
      pattern_of(look.series), colour_of(look.series),
      tip.empty() ? "" : fmt::format("<title>{}</title>", svg::escaped(tip)));
}

std::string column_tip(const ColumnChart& chart, const ColumnSeries& series, std::size_t group,
                       double value) {
  return fmt::format("{}, {}: {:.6g}", series.name, chart.groups[group], value);
}

void write_columns(std::ostream& out, const ColumnChart& chart, const ColumnFrame& frame,
                   std::size_t series) {
  const ColumnSeries& of = chart.series[series];
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    const double value = value_at(of.values, group), error = value_at(of.errors, group);
    if (!std::isfinite(value)) continue;
    const bool has_error = error > 0 && std::isfinite(error);
    const double left = frame.left_of(chart, series, group), y = frame.plot.up(value);
    std::string tip = column_tip(chart, of, group, value);
    if (has_error) tip += fmt::format(" ± {:.3g}", error);
    write_column(out, {left, y, frame.column - 1, frame.plot.floor() - y, series}, tip);
    if (has_error)
      write_error_bar(out, {left + frame.column / 2, frame.plot.up(value - error),
                            frame.plot.up(value + error)});
  }
}

void write_column_rings(std::ostream& out, const ColumnChart& chart, const ColumnFrame& frame,
                        std::size_t series) {
  const ColumnSeries& of = chart.series[series];
  for (std::size_t group = 0; group < chart.groups.size(); ++group)
    if (const double value = value_at(of.published, group); std::isfinite(value))
      write_ring(out, {frame.left_of(chart, series, group) + frame.column / 2, frame.plot.up(value),
                       column_tip(chart, of, group, value) + " as published",
                       std::clamp(frame.column / 2, 3.5, 6.0)});
}

Legend legend_of(const ColumnChart& chart) {
  Legend legend;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    if (!chart.series[i].name.empty())
      legend.entries.push_back({chart.series[i].name, [i](std::ostream& out, double x, double y) {
                                  write_column(out, {x, y - 6, Legend::sample_width, 12, i}, "");
                                }});
  if (has_published(chart))
    legend.entries.push_back({"as published", [](std::ostream& out, double x, double y) {
                                write_ring(out, {x + Legend::sample_width / 2, y});
                              }});
  return legend;
}

}  // namespace
}  // namespace charts

void write_svg(std::ostream& out, const ColumnChart& chart) {
  using namespace charts;
  const Legend legend = legend_of(chart);
  const double group = least_column * static_cast<double>(chart.series.size()) + between_groups;
  const double plot = std::max(columns_width - left_margin - right_margin - legend.width(),
                               group * static_cast<double>(chart.groups.size()));
  const double width = left_margin + plot + right_margin + legend.width();
  const Heading heading(chart.title, chart.note, width);
  const ColumnFrame frame(chart, heading.bottom() + 36, plot);

  constexpr double unnamed = 16;  // there is no name below the words
  svg::begin(out, {width, frame.plot.lower_edge() - unnamed, chart.title},
             std::string(chart_style) + std::string(column_style));
  write_patterns(out, chart.series.size());
  heading.write(out);
  write_y_axis(out, frame.plot, chart.y_name);
  write_x_axis(out, frame.plot, "");
  for (std::size_t i = 0; i < chart.series.size(); ++i) write_columns(out, chart, frame, i);
  for (std::size_t i = 0; i < chart.series.size(); ++i) write_column_rings(out, chart, frame, i);
  legend.write(out, frame.plot.end() + right_margin / 2, frame.plot.top, plot_height);
  svg::end(out);
}

}  // namespace weft
