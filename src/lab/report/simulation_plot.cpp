// SPDX-License-Identifier: Apache-2.0
// Results of simulations as pictures: load curves of a sweep, latencies and links of one
// simulation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <ostream>

#include "base/words.hpp"
#include "lab/report/chart.hpp"
#include "lab/report/report.hpp"
#include "lab/report/simulation_words.hpp"

namespace weft {
namespace {

/// The rows of one curve, in the order of their loads.
struct LoadCurve {
  std::string name{};
  std::vector<const SweepRow*> rows{};
};

double load_of(const SweepRow& row) { return std::stod(row.result.spec.load); }

bool is_curve_field(const SimulationField& field) {
  return field.text != &SimulationSpec::load && field.text != &SimulationSpec::warmup &&
         field.text != &SimulationSpec::cycles;
}

/// "dor, switch iq:lanes=2": the values that differ between curves.
std::string curve_name(const std::vector<SweepRow>& rows, const SimulationSpec& spec) {
  std::string out;
  for (const SimulationField& field : simulation_fields()) {
    const bool varies = std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
      return row.result.spec.*field.text != rows[0].result.spec.*field.text;
    });
    if (is_curve_field(field) && varies) out += (out.empty() ? "" : ", ") + phrase(field, spec);
  }
  return out;
}

std::vector<LoadCurve> curves_of(const std::vector<SweepRow>& rows) {
  std::vector<LoadCurve> out;
  for (const SweepRow& row : rows) {
    const auto same = [&](const LoadCurve& curve) {
      return same_but_for_load_and_length(curve.rows[0]->result.spec, row.result.spec);
    };
    // Most often it is the last one.
    auto found = !out.empty() && same(out.back()) ? std::prev(out.end())
                                                  : std::find_if(out.begin(), out.end(), same);
    if (found == out.end()) found = out.insert(out.end(), {curve_name(rows, row.result.spec), {}});
    found->rows.push_back(&row);
  }
  for (LoadCurve& curve : out)
    std::stable_sort(
        curve.rows.begin(), curve.rows.end(),
        [](const SweepRow* a, const SweepRow* b) { return load_of(*a) < load_of(*b); });
  return out;
}

bool carries_all(const SweepRow& row) {
  return row.result.outcome == SimulationOutcome::steady ||
         row.result.outcome == SimulationOutcome::complete;
}

bool is_deadlocked(const SweepRow& row) {
  return row.result.outcome == SimulationOutcome::deadlocked;
}

/// Up to the first saturated point: behind it latencies only tell how long was measured.
ChartSeries latency_line(const LoadCurve& curve, std::size_t colour) {
  ChartSeries out{.name = curve.name, .colour = colour, .marked = true};
  for (const SweepRow* row : curve.rows) {
    const bool steady = carries_all(*row);
    if (row->result.packets > 0)
      out.points.push_back({load_of(*row), row->result.mean, steady ? row->result.half_width : 0,
                            !steady, is_deadlocked(*row)});
    if (!steady) break;
  }
  return out;
}

ChartSeries accepted_line(const LoadCurve& curve, std::size_t colour) {
  ChartSeries out{.colour = colour, .marked = true};
  for (const SweepRow* row : curve.rows)
    out.points.push_back({load_of(*row), row->result.accepted,
                          row->seeds ? row->seeds->accepted_half_width : 0, !carries_all(*row),
                          is_deadlocked(*row)});
  return out;
}

std::string fixed_values(const std::vector<SweepRow>& rows) {
  std::vector<SimulationField> varied;
  for (const SimulationField& field : simulation_fields())
    if (field.text == &SimulationSpec::load ||
        std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
          return row.result.spec.*field.text != rows[0].result.spec.*field.text;
        }))
      varied.push_back(field);
  return title(rows[0].result.spec, varied) + seeds_text(rows[0]);
}

/// A limit that leaves room for the curves: what saturated points have depends on the time
/// measured.
double readable_latency(const std::vector<SweepRow>& rows) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const SweepRow& row : rows)
    if (row.result.packets > 0 && carries_all(row)) {
      least = std::min(least, row.result.mean);
      most = std::max(most, row.result.mean);
    }
  return most > 0 ? std::max(4 * least, 1.5 * most) : std::numeric_limits<double>::infinity();
}

std::string curves_note(const std::vector<SweepRow>& rows) {
  const bool hollow = !std::all_of(rows.begin(), rows.end(), carries_all);
  const std::string bars = fmt::format("bars: 95 % confidence {}",
                                       rows[0].seeds ? "over seeds" : "of one simulation each");
  const bool crossed = std::any_of(rows.begin(), rows.end(), is_deadlocked);
  return (hollow ? "hollow: not steady, and latency without limit; " : "") +
         std::string(crossed ? "crosses: deadlock; " : "") + bars;
}

/// The highest steady load of a curve: what was searched for, or the last one before it is not.
std::optional<double> steady_up_to(const LoadCurve& curve) {
  if (!curve.rows.front()->saturation.empty()) return std::stod(curve.rows.front()->saturation);
  const auto first = std::find_if(curve.rows.begin(), curve.rows.end(),
                                  [](const SweepRow* row) { return !carries_all(*row); });
  if (first == curve.rows.begin() || first == curve.rows.end()) return std::nullopt;
  return load_of(**std::prev(first));
}

/// Curves that end at the same load share a mark.
std::vector<ChartMark> saturation_marks(const std::vector<LoadCurve>& curves) {
  std::map<double, std::string> words;
  for (const LoadCurve& curve : curves)
    if (const auto load = steady_up_to(curve)) {
      std::string& word = words[*load];
      word += (word.empty() ? "" : "; ") + (curve.name.empty() ? "saturation" : curve.name);
    }
  std::vector<ChartMark> out;
  for (const auto& [load, word] : words) out.push_back({load, word});
  return out;
}

/// One line of a chart of distributions: a value of the results, over the loads of a curve.
struct DistributionLine {
  const char* name;
  double SimulationResult::*value;
  bool of_packets = false;  ///< and only up to saturation
};

void add_distribution(Chart& chart, const LoadCurve& curve, std::size_t colour,
                      const std::vector<DistributionLine>& lines) {
  for (const DistributionLine& line : lines) {
    ChartSeries series{.name = (curve.name.empty() ? "" : curve.name + ", ") + line.name,
                       .colour = colour,
                       .dashed = &line != &lines.front(),
                       .marked = true};
    for (const SweepRow* row : curve.rows) {
      if (line.of_packets && !carries_all(*row)) break;
      if (!line.of_packets || row->result.packets > 0)
        series.points.push_back({load_of(*row), row->result.*line.value});
    }
    chart.series.push_back(std::move(series));
  }
}

constexpr const char* offered_load = "offered load, flits per host and cycle";

ChartSheet curves_chart(const std::vector<SweepRow>& rows) {
  Chart latency{.x_name = offered_load, .y_name = "latency, cycles (logarithmic)", .log_y = true};
  Chart accepted{.x_name = offered_load, .y_name = "accepted load, flits per host and cycle"};
  const std::vector<LoadCurve> curves = curves_of(rows);
  double most = 0;
  for (const SweepRow& row : rows) most = std::max(most, load_of(row));
  latency.x_least_end = most;
  latency.y_limit = readable_latency(rows);
  accepted.series.push_back({.points = {{0, 0}, {most, most}}, .colour = 7, .dashed = true});
  for (std::size_t i = 0; i < curves.size(); ++i) {
    latency.series.push_back(latency_line(curves[i], i));
    accepted.series.push_back(accepted_line(curves[i], i));
  }
  return {fixed_values(rows), curves_note(rows), {latency, accepted}};
}

BarChart sweep_bars(const std::vector<SweepRow>& rows) {
  BarChart chart{fixed_values(rows),
                 "load " + rows[0].result.spec.load,
                 {{"latency, cycles", 1, ""}, {"accepted, flits per host and cycle", 4, ""}},
                 {}};
  if (rows[0].result.spec.window != SimulationSpec{}.window) chart.note = "closed loop";
  for (const SweepRow& row : rows) {
    const SimulationResult& result = row.result;
    const bool known = result.packets > 0;
    std::string name = curve_name(rows, result.spec);
    if (!carries_all(row))
      name += (name.empty() ? "" : ": ") + std::string(to_text(result.outcome));
    chart.rows.push_back({std::move(name),
                          {known ? result.mean : std::nan(""), result.accepted},
                          {result.half_width, row.seeds ? row.seeds->accepted_half_width : 0},
                          chart.rows.size()});
  }
  return chart;
}

/// Fifty steps from 0 to where all but a thousandth of the packets have arrived.
Chart latency_histogram(const SimulationResult& result) {
  constexpr std::uint64_t bins = 50;
  Chart chart{.note = "the slowest 0.1 % left out",
              .x_name = "latency, cycles",
              .y_name = "share of the packets, %"};
  if (!result.latencies || result.packets == 0) return chart;
  const sim::Histogram& latencies = *result.latencies;
  const sim::Cycle width = std::max<sim::Cycle>(1, (latencies.quantile(999) + bins) / bins);
  ChartSeries series{.stepped = true, .filled = true};
  std::uint64_t before = 0;
  const auto all = static_cast<double>(latencies.count());
  for (sim::Cycle from = 0; from <= latencies.quantile(999); from += width) {
    const std::uint64_t below = latencies.below(from + width);
    series.points.push_back(
        {static_cast<double>(from), 100 * static_cast<double>(below - before) / all});
    before = below;
  }
  series.points.push_back(
      {series.points.back().x + static_cast<double>(width), series.points.back().y});
  chart.series.push_back(std::move(series));
  for (const auto& [word, value] :
       {std::pair{"p50", result.p50}, {"p95", result.p95}, {"p99", result.p99}})
    chart.marks.push_back({value, word});
  return chart;
}

/// The links between switches from the busiest to the idlest.
Chart link_chart(const SimulationResult& result) {
  Chart chart{.x_name = "links between switches, the busiest first", .y_name = "flits per cycle"};
  std::vector<double> uses;
  for (const LinkUse& link : result.links)
    if (link.lane < 0 && link.channel.valid()) uses.push_back(link.use);
  std::sort(uses.begin(), uses.end(), std::greater<>());
  ChartSeries series{.colour = 1, .stepped = true, .filled = true};
  for (const double use : uses)
    series.points.push_back({static_cast<double>(series.points.size()), use});
  if (!uses.empty()) series.points.push_back({static_cast<double>(uses.size()), uses.back()});
  chart.series.push_back(std::move(series));
  return chart;
}

}  // namespace

bool has_curves(const std::vector<SweepRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return row.result.spec.load != rows[0].result.spec.load;
  });
}

AnyChart chart_of(const std::vector<SweepRow>& rows) {
  if (rows.empty()) return ChartSheet{};
  if (has_curves(rows)) return curves_chart(rows);
  return sweep_bars(rows);
}

ChartSheet distributions_chart(const std::vector<SweepRow>& rows) {
  using R = SimulationResult;
  const std::vector<LoadCurve> curves = curves_of(rows);
  Chart latency{.title = "latency of packets",
                .note = "vertical lines: the last load that is steady",
                .x_name = offered_load,
                .y_name = "cycles",
                .log_y = true,
                .marks = saturation_marks(curves)};
  Chart hosts{.title = "throughput of single hosts",
              .x_name = offered_load,
              .y_name = "accepted, flits per cycle"};
  Chart links{.title = "use of links between switches",
              .x_name = offered_load,
              .y_name = "flits per cycle and direction"};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    add_distribution(latency, curves[i], i,
                     {{"p50", &R::p50, true}, {"p95", &R::p95, true}, {"p99", &R::p99, true}});
    add_distribution(
        hosts, curves[i], i,
        {{"median", &R::median_host}, {"least", &R::least_host}, {"most", &R::most_host}});
    add_distribution(links, curves[i], i,
                     {{"p50", &R::link_p50},
                      {"p10", &R::link_p10},
                      {"p90", &R::link_p90},
                      {"maximum", &R::most_link}});
  }
  return {.title = "spread over packets, hosts and links", .charts = {latency, hosts, links}};
}

ChartSheet chart_of(const SweepRow& row) {
  const SimulationResult& result = row.result;
  const std::string latency =
      result.packets == 0 ? "no packet was measured"
                          : fmt::format("latency {:.2f} cycles on average, {} packets measured",
                                        result.mean, result.packets);
  return {title(result.spec) + seeds_text(row),
          fmt::format("{}: {:.4f} of {:.4f} flits per host and cycle arrive; {}",
                      to_text(result.outcome), result.accepted, result.offered, latency),
          {latency_histogram(result), link_chart(result)}};
}

}  // namespace weft
