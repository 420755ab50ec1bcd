// SPDX-License-Identifier: Apache-2.0
// The ping-pong curves of the machines, and how many of them are met.
#include <algorithm>
#include <cmath>

#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

std::string id_of(const PublishedMachine& machine, std::string_view what) {
  return fmt::format("{}/{}", machine.name, what);
}

const Stated& find_stated(const HardwareContext& context, const PublishedMachine& machine,
                          std::string_view what) {
  const std::string id = id_of(machine, what);
  const auto found = std::find_if(context.stated.begin(), context.stated.end(),
                                  [&](const Stated& each) { return each.id == id; });
  invariant(found != context.stated.end(), "a point that nobody published");
  return *found;
}

bool has_stream(const std::vector<Stated>& stated, const PublishedMachine& machine) {
  return value_of(stated, id_of(machine, "osu_bw")) > 0;
}

Sheet sheet_of(const PublishedMachine& machine, const std::vector<PingPoint>& points) {
  Sheet sheet{std::string(machine.name),
              "half a round trip, and the bandwidth derived from it",
              {"size", "kind", "published us", "ours us", "us off %", "published GB/s", "ours GB/s",
               "GB/s off %"}};
  for (const PingPoint& point : points) {
    std::vector<Cell> row{std::string(point.size->name),
                          std::string(point.calibrated ? "cal" : "prediction"), point.published,
                          point.ours, 100 * (point.ours / point.published - 1)};
    if (point.is_bandwidth()) {
      row.emplace_back(gigabytes_per_second(point.size->bytes, point.published));
      row.emplace_back(gigabytes_per_second(point.size->bytes, point.ours));
      row.emplace_back(100 * point.deviation());
    } else {
      row.insert(row.end(), 3, std::string());
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

Chart chart_of(const PublishedMachine& machine, const std::vector<PingPoint>& points) {
  Chart chart =
      figure_chart(std::string(machine.about), "message size (bytes)", "half a round trip (us)");
  chart.x_scale = AxisScale::bytes;
  chart.log_y = true;
  ChartSeries& ours = add_curve(chart, "ours");
  std::vector<ChartPoint> published;
  for (const PingPoint& point : points) {
    const auto bytes = static_cast<double>(point.size->bytes);
    ours.points.push_back({.x = bytes, .y = point.ours});
    published.push_back({.x = bytes, .y = point.published});
  }
  add_published(chart, std::move(published));
  return chart;
}

/// How many points of a machine that set nothing are within their limits.
struct PointCount {
  int met = 0, all = 0;
  void add(bool within) {
    ++all;
    met += within ? 1 : 0;
  }
  bool complete() const { return met == all; }
  std::string text() const { return fmt::format("{} of {}", met, all); }
};

struct MachineCounts {
  PointCount latency, bandwidth;
};
MachineCounts counts_of(const std::vector<PingPoint>& points) {
  MachineCounts out;
  for (const PingPoint& point : points)
    if (!point.calibrated) (point.is_bandwidth() ? out.bandwidth : out.latency).add(point.within());
  return out;
}

}  // namespace

bool PingPoint::within() const {
  return std::abs(deviation()) <= (is_bandwidth() ? bandwidth_limit : latency_limit);
}

std::vector<ProgramSpec> runs_of(const HardwareStudy& study, const PublishedMachine& machine) {
  std::vector<ProgramSpec> out;
  for (const MessageSize& size : curve_sizes) out.push_back(study.ping(machine, size.bytes));
  if (has_stream(stated_by("hardware"), machine)) out.push_back(study.stream(machine));
  return out;
}

std::vector<PingPoint> points_of(const HardwareContext& context, const PublishedMachine& machine) {
  std::vector<PingPoint> out;
  for (const MessageSize& size : curve_sizes) {
    const Stated& stated = find_stated(context, machine, size.name);
    out.push_back({&size, stated.kind == StatementKind::calibration, stated.value,
                   context.study.half_trip(context.study.ping(machine, size.bytes))});
  }
  return out;
}

Section curve_of(const HardwareContext& context, const PublishedMachine& machine) {
  const std::vector<PingPoint> points = points_of(context, machine);
  Answers answers(context.stated, machine.name);
  for (const PingPoint& point : points)
    answers.number(point.size->name, point.ours,
                   point.calibrated || point.within() ? "" : std::string(machine.why));
  if (has_stream(context.stated, machine)) {
    const double ours = context.study.rate(context.study.stream(machine));
    const Stated& stated = find_stated(context, machine, "osu_bw");
    const bool near = std::abs(ours / stated.value - 1) <= bandwidth_limit;
    answers.number("osu_bw", ours, near ? "" : std::string(machine.why));
  }
  return {.id = std::string(machine.name),
          .about = {},
          .sheets = {sheet_of(machine, points)},
          .answers = std::move(answers).done(),
          .figures = {{std::string(machine.name), chart_of(machine, points)}}};
}

std::vector<ProgramSpec> overview_runs(const HardwareStudy& study) {
  std::vector<ProgramSpec> out = dissemination_runs(study);
  for (const PublishedMachine& machine : machines)
    for (ProgramSpec& run : runs_of(study, machine)) out.push_back(std::move(run));
  return out;
}

Section overview(const HardwareContext& context) {
  Answers answers(context.stated, "summary");
  Sheet sheet{"summary",
              "points that set nothing within their limits: 10 % up to 8 KiB, 5 % of the bandwidth "
              "from 64 KiB on",
              {"machine", "latency", "bandwidth", "worst %", "at"}};
  Cases latency, bandwidth, both;
  std::vector<std::string> notes;
  for (const PublishedMachine& machine : machines) {
    const std::vector<PingPoint> points = points_of(context, machine);
    const MachineCounts counts = counts_of(points);
    const bool met = counts.latency.complete() && counts.bandwidth.complete();
    latency.add(counts.latency.complete(), std::string(machine.name));
    bandwidth.add(counts.bandwidth.complete(), std::string(machine.name));
    both.add(met, std::string(machine.name));
    const PingPoint& worst =
        *std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
          return std::abs(a.deviation()) < std::abs(b.deviation());
        });
    sheet.rows.push_back({std::string(machine.name), counts.latency.text(), counts.bandwidth.text(),
                          100 * worst.deviation(), std::string(worst.size->name)});
    if (!met) notes.push_back(fmt::format("{}: {}", machine.name, machine.why));
  }
  notes.insert(notes.begin(),
               fmt::format("all sizes within their limits: {} of {} machines; the others, and why:",
                           both.held(), both.all()));
  Cases exchanges;
  for (const ExchangePoint& point : exchange_points(context))
    exchanges.add(std::abs(point.ours / point.published - 1) <= exchange_limit,
                  exchange_name(point));
  answers.claim("latency", latency);
  answers.claim("bandwidth", bandwidth);
  answers.claim("dissemination", exchanges);
  return {.id = "summary",
          .about = {},
          .notes = std::move(notes),
          .sheets = {sheet},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::hardware
