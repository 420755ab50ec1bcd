// SPDX-License-Identifier: Apache-2.0
// The scatter of a page: every published number against ours.
#include <algorithm>
#include <cmath>

#include "papers/runner/page.hpp"

namespace weft::papers {
namespace {

struct ScatterKind {
  StatementKind kind;
  const char* name;
};
constexpr ScatterKind scatter_kinds[] = {{StatementKind::prediction, "predictions"},
                                         {StatementKind::derived, "derived"},
                                         {StatementKind::calibration, "cal"}};

/// The tolerance around the diagonal, from the least to the most published number.
ChartBand band(double least, double most) {
  ChartBand out{.name = fmt::format("within {:.0f} %", 100 * tolerance)};
  for (const double x : {least, most}) {
    out.low.push_back({.x = x, .y = x * (1 - tolerance)});
    out.high.push_back({.x = x, .y = x * (1 + tolerance)});
  }
  return out;
}

}  // namespace

Chart scatter(const Page& page) {
  Chart out{.title = fmt::format("{}: published numbers and ours", page.name),
            .note = "on logarithmic scales, whatever their units",
            .x_name = "paper",
            .y_name = "ours"};
  out.x_scale = AxisScale::log;
  out.log_y = out.distinct = true;
  double least = 1e300, most = 0;
  for (const ScatterKind& kind : scatter_kinds) {
    ChartSeries series{.name = kind.name, .colour = out.series.size(), .marked = true};
    series.unlined = true;
    for (const Section& section : page.sections)
      for (const Comparison& answer : section.answers) {
        if (answer.form != AnswerForm::number || answer.stated.kind != kind.kind) continue;
        const double sign = answer.stated.value < 0 ? -1 : 1;
        const double x = sign * answer.stated.value, y = sign * answer.value;
        least = std::min(least, x);
        most = std::max(most, x);
        series.points.push_back({.x = x, .y = y, .error = answer.half_width});
      }
    if (!series.points.empty()) out.series.push_back(std::move(series));
  }
  if (most > 0) out.bands.push_back(band(least, most));
  return out;
}

}  // namespace weft::papers
