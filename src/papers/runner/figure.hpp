// SPDX-License-Identifier: Apache-2.0
// A figure of a paper, drawn anew from our results: in the paper's own axes, with the numbers that
// its text prints.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/report/chart.hpp"

namespace weft::papers {

struct PaperFigure {
  std::string name;  ///< of its file: "fig4a"
  std::variant<Chart, ChartSheet, ColumnChart> chart;
};

/// An empty chart whose series differ in a grey print, too.
inline Chart figure_chart(std::string title, std::string x_name, std::string y_name) {
  Chart out{.title = std::move(title), .x_name = std::move(x_name), .y_name = std::move(y_name)};
  out.distinct = true;
  return out;
}

/// A further curve of ours with a look of its own.
inline ChartSeries& add_curve(Chart& chart, std::string name) {
  chart.series.push_back({.name = std::move(name), .colour = chart.series.size(), .marked = true});
  return chart.series.back();
}

/// Gives series of one name the same look in all panels, and those of different names different
/// ones.
inline void look_by_name(ChartSheet& sheet) {
  std::vector<std::string> names;
  for (Chart& chart : sheet.charts)
    for (ChartSeries& series : chart.series) {
      auto found = std::find(names.begin(), names.end(), series.name);
      if (found == names.end()) found = names.insert(found, series.name);
      series.colour = static_cast<std::size_t>(found - names.begin());
      series.dashed = false;
    }
}

/// Numbers that the paper prints.
inline void add_published(Chart& chart, std::vector<ChartPoint> points) {
  ChartSeries& series = add_curve(chart, "paper");
  series.points = std::move(points);
  series.published = true;
}

}  // namespace weft::papers
