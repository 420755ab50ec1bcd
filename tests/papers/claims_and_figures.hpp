// SPDX-License-Identifier: Apache-2.0
// What holds for the claims and the figures of every page.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "papers/catalog.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers {

/// Every claim is judged on one of the cases that it names at least; in whole studies, which are
/// not tests, on all of them.
inline void expect_judged_cases(const Page& page) {
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      if (answer.stated.kind != StatementKind::claim) continue;
      EXPECT_GE(answer.cases, 1U) << answer.stated.id;
      EXPECT_LE(answer.cases, answer.stated.cases) << answer.stated.id;
      EXPECT_EQ(answer.holds, answer.held == answer.cases) << answer.stated.id;
    }
}

/// The line charts of a figure, panels one by one.
inline std::vector<Chart> charts_of(const PaperFigure& figure) {
  if (const auto* chart = std::get_if<Chart>(&figure.chart)) return {*chart};
  if (const auto* sheet = std::get_if<ChartSheet>(&figure.chart)) return sheet->charts;
  return {};
}

/// The chart has a curve of ours, named axes, and points that can be drawn.
inline void expect_drawable(const Chart& chart) {
  EXPECT_FALSE(chart.title.empty() || chart.x_name.empty() || chart.y_name.empty()) << chart.title;
  EXPECT_FALSE(chart.series.empty() || chart.series.front().published) << chart.title;
  for (const ChartSeries& series : chart.series) {
    EXPECT_FALSE(series.points.empty()) << chart.title << ' ' << series.name;
    for (const ChartPoint& point : series.points)
      EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y)) << chart.title;
  }
}

inline void expect_drawable(const ColumnChart& chart) {
  EXPECT_FALSE(chart.series.empty()) << chart.title;
  for (const ColumnSeries& series : chart.series) {
    EXPECT_EQ(series.values.size(), chart.groups.size()) << chart.title;
    for (const double value : series.values) EXPECT_TRUE(std::isfinite(value)) << chart.title;
  }
}

/// The page has these figures, in this order, and all can be drawn.
inline void expect_figures(const Page& page, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const Section& section : page.sections)
    for (const PaperFigure& figure : section.figures) {
      found.push_back(figure.name);
      for (const Chart& chart : charts_of(figure)) expect_drawable(chart);
      if (const auto* columns = std::get_if<ColumnChart>(&figure.chart)) expect_drawable(*columns);
    }
  EXPECT_EQ(found, names);
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

/// What figures show as published is what the paper states.
inline void expect_published_is_stated(const Page& page, const std::vector<Stated>& stated) {
  for (const Section& section : page.sections)
    for (const PaperFigure& figure : section.figures)
      for (const double value : published_in(page, figure.name))
        EXPECT_TRUE(std::any_of(stated.begin(), stated.end(),
                                [&](const Stated& each) { return each.value == value; }))
            << figure.name << ": nobody states " << value;
}

/// The answers of an experiment with the seeds of a repetition.
inline std::string repeated_answers(const std::string& request, std::uint64_t repetition) {
  const Page page = reproduce(request, {.quick = true, .repetition = repetition, .threads = 2});
  std::string out;
  for (const Comparison& answer : page.sections.at(0).answers)
    out += our_answer(answer) + ": " + reason_of(answer) + "\n";
  return out;
}

}  // namespace weft::papers
