// SPDX-License-Identifier: Apache-2.0
// Bar charts as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "lab/draw/svg.hpp"
#include "lab/report/chart.hpp"

namespace weft {
namespace {

constexpr double bars_width = 860, bars_top = 84, bar_row = 22, bar_height = 13, bars_edge = 20;
constexpr std::size_t longest_bar_name = 44, most_bar_rows = 400;

/// Where the columns of bars lie.
struct BarsFrame {
  double names = 0;   ///< width of the names
  double column = 0;  ///< of each column, with the room for its numbers
  std::vector<double> most{};
  double numbers = 86;

  BarsFrame(const BarChart& chart) : most(chart.columns.size(), 0) {
    std::size_t longest = 0;
    for (const BarRow& row : chart.rows) {
      if (!row.errors.empty()) numbers = 150;
      if (!row.values.empty() || !row.remark.empty())
        longest = std::max(longest, svg::letters_in(svg::cut(row.name, longest_bar_name)));
      for (std::size_t i = 0; i < row.values.size(); ++i)
        if (std::isfinite(row.values[i])) most[i] = std::max(most[i], row.values[i]);
    }
    names = svg::letter_width * static_cast<double>(longest) + 24;
    column = (bars_width - 2 * bars_edge - names) /
             static_cast<double>(std::max<std::size_t>(1, chart.columns.size()));
  }
  double left(std::size_t i) const { return bars_edge + names + column * static_cast<double>(i); }
  double length(std::size_t i, double value) const {
    return most[i] > 0 ? (column - numbers) * value / most[i] : 0;
  }
};

void write_bar(std::ostream& out, const BarChart& chart, const BarsFrame& frame, const BarRow& row,
               std::size_t i, double y) {
  const double value = row.values[i];
  if (!std::isfinite(value)) return;
  const BarColumn& column = chart.columns[i];
  const std::string_view colour = svg::palette[row.colour % svg::palette.size()];
  const double end = frame.left(i) + frame.length(i, value);
  out << fmt::format(
      "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
      svg::pixels(frame.left(i)), svg::pixels(y), svg::pixels(frame.length(i, value)), bar_height,
      colour);
  std::string text = fmt::format("{:.{}f}{}", value, column.places, column.unit);
  double after = end + 6;
  if (i < row.errors.size() && row.errors[i] > 0) {
    const double half = frame.length(i, row.errors[i]);
    out << fmt::format("<path class=\"axis\" d=\"M{} {} h{}\"/>\n", svg::pixels(end - half),
                       svg::pixels(y + bar_height / 2), svg::pixels(2 * half));
    text += fmt::format(" ± {:.{}f}", row.errors[i], column.places);
    after += half;
  }
  svg::write_text(out, {after, y + 11, "soft", "start"}, text);
}

void write_row(std::ostream& out, const BarChart& chart, const BarsFrame& frame, const BarRow& row,
               double y) {
  const bool is_heading = row.values.empty() && row.remark.empty();
  const std::string name = svg::cut(row.name, is_heading ? 100 : longest_bar_name);
  if (is_heading) return svg::write_text(out, {bars_edge, y + 11, "ink group", "start"}, name);
  svg::write_text(out, {bars_edge + 8, y + 11, "ink", "start"}, name);
  if (!row.remark.empty())
    svg::write_text(out, {frame.left(0), y + 11, "soft", "start"}, svg::cut(row.remark, 88));
  for (std::size_t i = 0; i < row.values.size(); ++i) write_bar(out, chart, frame, row, i, y);
}

}  // namespace

void write_svg(std::ostream& out, const BarChart& chart) {
  const BarsFrame frame(chart);
  const std::size_t shown = std::min(chart.rows.size(), most_bar_rows);
  const double height = bars_top + bar_row * static_cast<double>(shown + 2);
  svg::begin(out, {bars_width, height, chart.title}, "  .group { font-weight: 600 }\n");
  svg::write_text(out, {bars_edge, 26, "ink title", "start"}, svg::cut(chart.title, 88));
  svg::write_text(out, {bars_edge, 45, "soft", "start"},
                  svg::cut(chart.note, svg::letters_within(bars_width - 2 * bars_edge)));
  for (std::size_t i = 0; i < chart.columns.size(); ++i)
    svg::write_text(out, {frame.left(i), bars_top - 10, "soft", "start"}, chart.columns[i].name);
  double y = bars_top;
  for (std::size_t i = 0; i < shown; ++i, y += bar_row)
    write_row(out, chart, frame, chart.rows[i], y);
  if (shown < chart.rows.size())
    svg::write_text(out, {bars_edge + 8, y + 11, "soft", "start"},
                    fmt::format("and {} more", chart.rows.size() - shown));
  svg::end(out);
}

}  // namespace weft
