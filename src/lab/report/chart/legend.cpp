// SPDX-License-Identifier: Apache-2.0
// Legends of charts.
#include "lab/report/chart/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "lab/draw/svg.hpp"

namespace weft::charts {
namespace {

constexpr double legend_line = 20, before_legend = 24, after_sample = 8;
constexpr std::size_t longest_name = 32, all_shown = 14;

std::string hidden_text(std::size_t hidden) { return fmt::format("and {} more", hidden); }

}  // namespace

bool Legend::has(const std::string& name, bool published) const {
  return std::any_of(entries.begin(), entries.end(), [&](const LegendEntry& entry) {
    return entry.name == name && entry.published == published;
  });
}

double Legend::width() const {
  if (entries.empty()) return 0;
  double text = entries.size() > all_shown ? svg::width_of(hidden_text(entries.size())) : 0;
  for (const LegendEntry& entry : entries)
    text = std::max(text, svg::width_of(svg::cut(entry.name, longest_name)));
  return before_legend + sample_width + after_sample + text;
}

void Legend::write(std::ostream& out, double x, double top, double height) const {
  const auto lines = static_cast<std::size_t>(height / legend_line);
  const std::size_t shown = entries.size() < lines ? entries.size() : lines - 1;
  double y = top + 6;
  for (std::size_t i = 0; i < shown; ++i, y += legend_line) {
    entries[i].write_sample(out, x + before_legend, y - 4);
    svg::write_text(out, {x + before_legend + sample_width + after_sample, y, "ink", "start"},
                    svg::cut(entries[i].name, longest_name));
  }
  if (shown < entries.size())
    svg::write_text(out, {x + before_legend + sample_width + after_sample, y, "soft", "start"},
                    hidden_text(entries.size() - shown));
}

}  // namespace weft::charts
