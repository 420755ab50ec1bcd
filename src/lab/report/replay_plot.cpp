// SPDX-License-Identifier: Apache-2.0
// Pictures of a replay: what ranks spent their time on, and the load of links over time.
#include <algorithm>
#include <ostream>

#include "lab/report/chart.hpp"
#include "lab/report/replay_items.hpp"
#include "lab/report/replay_report.hpp"

namespace weft {
namespace {

/// Items on top of each other, the first at the bottom.
Chart items_by_rank(const ReplayResult& result) {
  Chart chart{.title = "what ranks spent their time on", .x_name = "rank", .y_name = "us"};
  std::vector<const JobResult*> jobs;
  for (const JobResult& job : result.jobs) jobs.push_back(&job);
  const std::vector<ReplayItem> spent = spent_items(jobs);
  for (std::size_t item = spent.size(); item-- > 0;) {
    ChartSeries series{.name = std::string(spent[item].words),
                       .colour = item,
                       .stepped = true,
                       .filled = true,
                       .opaque = true};
    double x = 0;
    for (const JobResult& job : result.jobs)
      for (const RankItems& rank : job.by_rank) {
        Duration sum{};
        for (std::size_t below = 0; below <= item; ++below) sum += rank.*spent[below].of;
        series.points.push_back({x++, microseconds_of(sum)});
      }
    if (!series.points.empty()) series.points.push_back({x, series.points.back().y});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// In colours from `colour` on.
Chart loads_over_time(const Fabric& fabric, const LinkTimes& times, std::size_t colour) {
  constexpr std::size_t most_links = 2;
  Chart chart{.title = "load of links", .x_name = "virtual time, us", .y_name = "load"};
  const auto point = [&](std::size_t sample, double load) {
    return ChartPoint{microseconds_of(times.sample) * static_cast<double>(sample), load};
  };
  std::vector<std::pair<double, std::size_t>> busiest;
  ChartSeries mean{
      .name = "mean of links in use", .colour = colour, .stepped = true, .filled = true};
  const std::size_t samples = times.loads.empty() ? 0 : times.loads[0].size();
  std::vector<double> sums(samples);
  for (std::size_t link = 0; link < times.links.size(); ++link) {
    double sum = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      sum += times.loads[link][sample];
      sums[sample] += times.loads[link][sample];
    }
    busiest.emplace_back(-sum, link);
  }
  for (std::size_t sample = 0; sample < samples; ++sample)
    mean.points.push_back(point(sample, sums[sample] / static_cast<double>(times.links.size())));
  chart.series.push_back(std::move(mean));
  std::sort(busiest.begin(), busiest.end());
  for (std::size_t i = 0; i < std::min(busiest.size(), most_links); ++i) {
    const std::size_t link = busiest[i].second;
    ChartSeries series{.name = direction_text(fabric, times.links[link]),
                       .colour = colour + 1 + i,
                       .stepped = true};
    for (std::size_t sample = 0; sample < samples; ++sample)
      series.points.push_back(point(sample, times.loads[link][sample]));
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

ChartSheet chart_of(const Fabric& fabric, const ReplayResult& result) {
  std::vector<Chart> charts{items_by_rank(result)};
  if (!result.links.links.empty())
    charts.push_back(loads_over_time(fabric, result.links, charts[0].series.size()));
  std::string times;
  for (const JobResult& job : result.jobs)
    times += fmt::format("{}{}: {}", times.empty() ? "" : "; ", file_name_of(job.trace),
                         job.has_finished ? time_text(job.time) : "not finished");
  const ReplaySpec& spec = result.spec;
  return {fmt::format("{}, {}, placed {}", spec.topology, spec.engine, spec.placement), times,
          charts};
}

}  // namespace weft
