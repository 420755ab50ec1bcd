// SPDX-License-Identifier: Apache-2.0
// Sweeps of host programs as tables and as pictures: every run, and the fastest algorithms.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "lab/program/compare.hpp"
#include "lab/programs/shared/values.hpp"
#include "lab/report/chart.hpp"
#include "lab/report/report.hpp"
#include "lab/report/run_table.hpp"

namespace weft {
namespace {

std::string us_or_dash(const ProgramResult& run, Duration time) {
  return run.finished() && time.count() > 0 ? fmt::format("{:.3f}", microseconds_of(time)) : "-";
}

void write_runs(std::ostream& out, const std::vector<ProgramResult>& runs) {
  RunTable table(runs.size());
  table.add(varied_values(runs));
  table.add("mean us", false,
            [&](std::size_t i) { return us_or_dash(runs[i], runs[i].iteration.mean); });
  table.add("slowest us", false,
            [&](std::size_t i) { return us_or_dash(runs[i], runs[i].slowest.mean); });
  table.add("outcome", true, [&](std::size_t i) { return outcome_of(runs[i]); });
  table.write(out);
}

/// "ring 12 %": the fastest, and how much longer the next one takes.
std::string best_text(const AlgorithmComparison& all, std::size_t size, std::size_t at) {
  const std::vector<AlgorithmTime> ranking = all.ranking(size, at);
  if (ranking.empty()) return "-";
  const std::string& name = all.algorithms[ranking[0].algorithm].name;
  if (ranking.size() < 2 || ranking[0].time.count() == 0) return name;
  const double longer = microseconds_of(ranking[1].time) / microseconds_of(ranking[0].time) - 1;
  return fmt::format("{} {:.0f} %", name, 100 * longer);
}

void write_best(std::ostream& out, const AlgorithmComparison& all) {
  const bool sized = all.sizes.back().count > 0;
  Columns layout{std::vector<bool>(all.placements.size() + 1, true)};
  layout.left[0] = false;
  std::vector<Cells> lines{{sized ? "bytes" : ""}};
  for (const RankPlacement& at : all.placements) lines[0].push_back(at.text());
  for (std::size_t size = 0; size < all.sizes.size(); ++size) {
    Cells& line = lines.emplace_back();
    line.push_back(sized ? to_text(all.sizes[size]) : "");
    for (std::size_t at = 0; at < all.placements.size(); ++at)
      line.push_back(best_text(all, size, at));
  }
  out << "\nfastest by the slowest rank's time, and how much longer the next one takes\n\n";
  write_lines(out, std::move(layout), lines);
}

Chart times_chart(const std::string& title) {
  return {
      .title = title, .y_name = "slowest rank, us (logarithmic)", .log_y = true, .distinct = true};
}

ChartSeries line_of(const AlgorithmComparison& all, std::size_t algorithm) {
  return {.name = all.algorithms[algorithm].name, .colour = algorithm, .marked = true};
}

/// A chart for every placement.
std::vector<Chart> charts_over_sizes(const AlgorithmComparison& all) {
  std::vector<Chart> out;
  for (std::size_t at = 0; at < all.placements.size(); ++at) {
    Chart& chart = out.emplace_back(times_chart(all.placements[at].text()));
    chart.x_name = "bytes";
    chart.x_scale = AxisScale::bytes;
    for (std::size_t i = 0; i < all.algorithms.size(); ++i) {
      ChartSeries& line = chart.series.emplace_back(line_of(all, i));
      for (std::size_t size = 0; size < all.sizes.size(); ++size)
        if (const auto time = all.time(i, size, at))
          line.points.push_back(
              {static_cast<double>(all.sizes[size].count), microseconds_of(*time)});
    }
  }
  return out;
}

Chart chart_over_ranks(const AlgorithmComparison& all) {
  Chart out = times_chart("");
  out.x_name = "ranks";
  out.x_scale = AxisScale::log;
  for (std::size_t i = 0; i < all.algorithms.size(); ++i) {
    ChartSeries& line = out.series.emplace_back(line_of(all, i));
    for (std::size_t at = 0; at < all.placements.size(); ++at)
      if (const auto time = all.time(i, 0, at))
        line.points.push_back(
            {static_cast<double>(all.placements[at].in_all), microseconds_of(*time)});
  }
  return out;
}

BarChart bars_of(const std::vector<ProgramResult>& runs) {
  const std::vector<VariedValue> varied = varied_values(runs);
  BarChart chart{common_title(runs), "", {{"slowest rank, us", 3, ""}}, {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string name;
    for (const VariedValue& value : varied)
      name += fmt::format("{}{} {}", name.empty() ? "" : ", ", value.name, value.values[i]);
    const double time = runs[i].finished() ? microseconds_of(runs[i].slowest.mean) : std::nan("");
    chart.rows.push_back({name, {time}, {}, i, runs[i].finished() ? "" : outcome_of(runs[i])});
  }
  return chart;
}

}  // namespace

void write_table(std::ostream& out, const std::vector<ProgramResult>& results) {
  if (results.empty()) return;
  out << common_title(results) << "\n\n";
  write_runs(out, results);
  if (const auto compared = compare_algorithms(results)) write_best(out, *compared);
}

AnyChart chart_of(const std::vector<ProgramResult>& results) {
  if (results.empty()) return ChartSheet{};
  const auto compared = compare_algorithms(results);
  constexpr std::size_t charts_in_a_row = 3;
  if (compared && compared->sizes.size() > 1)
    return ChartSheet{common_title(results), "", charts_over_sizes(*compared),
                      std::min(charts_in_a_row, compared->placements.size())};
  if (compared && compared->placements.size() > 1)
    return ChartSheet{common_title(results), "", {chart_over_ranks(*compared)}};
  return bars_of(results);
}

}  // namespace weft
