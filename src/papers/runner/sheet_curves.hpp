// SPDX-License-Identifier: Apache-2.0
// Curves of a figure from the columns of a sheet, so that figure and table show the same numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {

/// Not a number for text.
inline double number_in(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  return std::numeric_limits<double>::quiet_NaN();
}

/// The first column of this name.
inline std::size_t column_named(const Sheet& sheet, std::string_view name) {
  const auto found = std::find(sheet.columns.begin(), sheet.columns.end(), name);
  invariant(found != sheet.columns.end(), "a figure reads a column that its sheet does not have");
  return static_cast<std::size_t>(found - sheet.columns.begin());
}

/// A curve of column y over the sheet's first column, without rows that have text there.
inline void add_curve(Chart& chart, std::string name, const Sheet& sheet, std::string_view y) {
  ChartSeries& curve = add_curve(chart, std::move(name));
  const std::size_t column = column_named(sheet, y);
  for (const auto& row : sheet.rows)
    if (const double x = number_in(row.front()); !std::isnan(x))
      curve.points.push_back({.x = x, .y = number_in(row[column])});
}

}  // namespace weft::papers
