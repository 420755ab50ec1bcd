// SPDX-License-Identifier: Apache-2.0
// What tests ask of a page's figures: curves with finite points, and the numbers that the paper
// prints.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "papers/runner/page.hpp"

namespace weft::papers {

/// Those of a figure that are no panels.
inline std::vector<Chart> charts_of(const PaperFigure& figure) {
  if (const auto* sheet = std::get_if<ChartSheet>(&figure.chart)) return sheet->charts;
  if (const auto* chart = std::get_if<Chart>(&figure.chart)) return {*chart};
  return {};
}

inline std::set<std::string> figure_names(const Page& page) {
  std::set<std::string> out;
  for (const Section& section : page.sections)
    for (const PaperFigure& figure : section.figures) out.insert(figure.name);
  return out;
}

/// Every figure has curves or columns of ours, and all their points are finite.
inline void expect_drawable(const Page& page) {
  for (const Section& section : page.sections)
    for (const PaperFigure& figure : section.figures) {
      std::size_t curves = 0;
      for (const Chart& chart : charts_of(figure))
        for (const ChartSeries& series : chart.series) {
          curves += series.published ? 0 : 1;
          EXPECT_FALSE(series.points.empty()) << figure.name << ' ' << series.name;
          for (const ChartPoint& point : series.points)
            EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y)) << figure.name;
        }
      if (const auto* columns = std::get_if<ColumnChart>(&figure.chart))
        for (const ColumnSeries& series : columns->series) {
          ++curves;
          EXPECT_EQ(series.values.size(), columns->groups.size()) << figure.name;
          for (const double value : series.values) EXPECT_TRUE(std::isfinite(value)) << figure.name;
        }
      EXPECT_GE(curves, 1U) << figure.name;
    }
}

/// The numbers that a figure shows as the paper's, in any order.
inline std::multiset<double> published_in(const Page& page, const std::string& name) {
  std::multiset<double> out;
  for (const Section& section : page.sections)
    for (const PaperFigure& figure : section.figures) {
      if (figure.name != name) continue;
      for (const Chart& chart : charts_of(figure))
        for (const ChartSeries& series : chart.series)
          for (const ChartPoint& point : series.points)
            if (series.published) out.insert(point.y);
      if (const auto* columns = std::get_if<ColumnChart>(&figure.chart))
        for (const ColumnSeries& series : columns->series)
          for (const double value : series.published)
            if (!std::isnan(value)) out.insert(value);
    }
  return out;
}

/// A claim is judged on at least one and at most the cases that it names.
inline void expect_cases_within(const Page& page) {
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      if (answer.stated.kind != StatementKind::claim) continue;
      EXPECT_GE(answer.cases, 1U) << answer.stated.id;
      EXPECT_LE(answer.cases, answer.stated.cases) << answer.stated.id;
    }
}

}  // namespace weft::papers
