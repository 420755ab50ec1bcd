// SPDX-License-Identifier: Apache-2.0
// Figures 6 to 8 of the paper on QsNet: bandwidths and latencies of pings by size, hot spots by the
// number of hosts.
#include "papers/qsnet/experiments.hpp"

namespace weft::papers::qsnet {
namespace {

using Quantity = double (QsnetStudy::*)(const Curve&, std::size_t, bool) const;

/// A curve over sizes.
void add_ping(Chart& chart, const QsnetStudy& study, std::string name, const Curve& of,
              Quantity quantity, bool both) {
  const bool latency = quantity == &QsnetStudy::latency;
  ChartSeries& line = add_curve(chart, std::move(name));
  for (const std::size_t bytes : latency ? study.latency_sizes() : study.bandwidth_sizes())
    line.points.push_back(
        {.x = static_cast<double>(bytes), .y = (study.*quantity)(of, bytes, both)});
}

/// All curves over sizes.
Chart pings(const QsnetStudy& study, const char* title, Quantity quantity, bool both) {
  Chart out = figure_chart(title, "message size (bytes)",
                           quantity == &QsnetStudy::latency ? "latency (us)" : "bandwidth (MB/s)");
  out.x_scale = AxisScale::bytes;
  for (const Curve& each : curves()) add_ping(out, study, each.name, each, quantity, both);
  return out;
}

/// A number that the text has, where it is in the figure.
ChartPoint printed(const QsnetContext& context, std::size_t x, std::string_view id) {
  return {.x = static_cast<double>(x), .y = value_of(context.stated, id)};
}

}  // namespace

PaperFigure drawn_6a(const QsnetContext& context) {
  Chart chart = pings(context.study, "Figure 6(a): unidirectional pings, bandwidth",
                      &QsnetStudy::bandwidth, false);
  std::vector<ChartPoint> points;
  for (const char* id : {"fig6a/Elan-Elan", "fig6a/read", "fig6a/write", "fig6a/MPI"})
    points.push_back(printed(context, QsnetStudy::longest, id));
  add_published(chart, std::move(points));
  return {"fig6a", std::move(chart)};
}

PaperFigure drawn_6b(const QsnetContext& context) {
  Chart chart = pings(context.study, "Figure 6(b): unidirectional pings, latency",
                      &QsnetStudy::latency, false);
  add_published(chart, {printed(context, 0, "fig6b/0 B"), printed(context, 64, "fig6b/64 B"),
                        printed(context, 0, "fig6b/Tports"), printed(context, 0, "fig6b/MPI")});
  return {"fig6b", std::move(chart)};
}

PaperFigure drawn_7a(const QsnetContext& context) {
  Chart chart =
      pings(context.study, "Figure 7(a): bidirectional pings, bandwidth (half of the measured one)",
            &QsnetStudy::bandwidth, true);
  add_published(chart, {printed(context, QsnetStudy::longest, "fig7/main-Elan"),
                        printed(context, QsnetStudy::longest, "fig7/main-main")});
  return {"fig7a", std::move(chart)};
}

PaperFigure drawn_7b(const QsnetContext& context) {
  Chart chart = figure_chart("Figure 7(b): bidirectional pings, latency", "message size (bytes)",
                             "latency (us)");
  chart.x_scale = AxisScale::bytes;
  for (const auto& [name, of] :
       {std::pair{"Elan3lib", "main-main"}, {"Tports", "Tports"}, {"MPI", "MPI"}})
    add_ping(chart, context.study, name, curve(of), &QsnetStudy::latency, true);
  return {"fig7b", std::move(chart)};
}

PaperFigure drawn_8(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Chart chart = figure_chart("Figure 8: read and write hot spots", "SMPs", "bandwidth (MB/s)");
  for (const auto& [name, what] : {std::pair{"global", "aggregate"}, {"per SMP", "per_source"}})
    for (const char* by : {"read", "write"}) {
      ChartSeries& line = add_curve(chart, fmt::format("{}, {}", by, name));
      for (const std::size_t sources : study.source_counts())
        line.points.push_back({.x = static_cast<double>(sources),
                               .y = study.figure(study.hot_spot(by, sources), what)});
    }
  const std::size_t most = study.source_counts().back();
  add_published(chart, {printed(context, most, "fig8/read"), printed(context, most, "fig8/write")});
  return {"fig8", std::move(chart)};
}

}  // namespace weft::papers::qsnet
