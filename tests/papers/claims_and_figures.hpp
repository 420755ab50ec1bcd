// SPDX-License-Identifier: Apache-2.0
// What holds for the claims and the figures of every page.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "papers/catalog.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers {

/// Every claim is judged on some of the cases that it names, at least.
inline void expect_judged_cases(const Page& page) {
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      if (answer.stated.kind != StatementKind::claim) continue;
      EXPECT_GE(answer.cases, 1U) << answer.stated.id;
      EXPECT_LE(answer.cases, answer.stated.cases) << answer.stated.id;
      EXPECT_EQ(answer.holds, answer.held == answer.cases) << answer.stated.id;
    }
}

inline std::vector<Chart> charts_of(const PaperFigure& figure) {
  if (const auto* chart = std::get_if<Chart>(&figure.chart)) return {*chart};
  if (const auto* sheet = std::get_if<ChartSheet>(&figure.chart)) return sheet->charts;
  return {};
}

/// Every chart has a curve of ours and named axes; published points are what the paper states.
inline void expect_drawn(const PaperFigure& figure, const std::vector<Stated>& stated) {
  for (const Chart& chart : charts_of(figure)) {
    EXPECT_FALSE(chart.title.empty() || chart.x_name.empty() || chart.y_name.empty())
        << figure.name;
    EXPECT_FALSE(chart.series.empty() || chart.series.front().published) << figure.name;
    for (const ChartSeries& series : chart.series) {
      EXPECT_FALSE(series.points.empty()) << figure.name << ' ' << series.name;
      for (const ChartPoint& point : series.points) {
        EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y)) << figure.name;
        EXPECT_TRUE(!series.published ||
                    std::any_of(stated.begin(), stated.end(),
                                [&](const Stated& each) { return each.value == point.y; }))
            << figure.name << ": nobody states " << point.y;
      }
    }
  }
}

/// The answers of an experiment with the seeds of a repetition.
inline std::string repeated_answers(const std::string& request, std::uint64_t repetition) {
  const Page page = reproduce(request, {.quick = true, .repetition = repetition, .threads = 2});
  std::string out;
  for (const Comparison& answer : page.sections.at(0).answers)
    out += our_answer(answer) + ": " + reason_of(answer) + "\n";
  return out;
}

/// The page has these figures, in this order.
inline void expect_figures(const Page& page, const std::vector<std::string>& names,
                           const std::vector<Stated>& stated) {
  std::vector<std::string> found;
  for (const Section& section : page.sections)
    for (const PaperFigure& figure : section.figures) {
      found.push_back(figure.name);
      EXPECT_FALSE(charts_of(figure).empty()) << figure.name;
      expect_drawn(figure, stated);
    }
  EXPECT_EQ(found, names);
}

}  // namespace weft::papers
