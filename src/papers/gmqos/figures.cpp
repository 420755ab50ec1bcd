// SPDX-License-Identifier: Apache-2.0
// The figures of chapter 5 of the study of rate control, in its axes.
#include "papers/gmqos/figures.hpp"

#include <limits>

#include "papers/runner/expected.hpp"
#include "papers/runner/sheet_curves.hpp"

namespace weft::papers::gmqos {
namespace {

constexpr const char* in_ticks = "IDT (ticks of 0.5 us)";
constexpr const char* bandwidth_axis = "bandwidth (MB/s)";

PaperFigure by_size(const char* number, std::string title, std::string y_name, const Sheet& sheet) {
  Chart chart = figure_chart(fmt::format("Figure {}: {}", number, title), "message size (bytes)",
                             std::move(y_name));
  chart.x_scale = AxisScale::bytes;
  add_curve(chart, "GM", sheet, "stock");
  add_curve(chart, "GM with rate control", sheet, "rated");
  return {fmt::format("fig{}", number), std::move(chart)};
}

}  // namespace

PaperFigure drawing_51(const Sheet& sheet) {
  return by_size("5.1", "effect of rate control on bandwidth", bandwidth_axis, sheet);
}

PaperFigure drawing_52(const Sheet& sheet) {
  return by_size("5.2", "effect of rate control on round-trip latency", "round trip (us)", sheet);
}

PaperFigure drawing_53(const std::vector<Stated>& stated, const Sheet& sheet) {
  Chart chart =
      figure_chart("Figure 5.3: effect of the IDT on bandwidth", in_ticks, bandwidth_axis);
  add_curve(chart, "achieved", sheet, "achieved");
  const double t = value_of(stated, "fig5.3/T");
  chart.marks.push_back({t, fmt::format("T = {:.0f} (paper)", t)});
  return {"fig5.3", std::move(chart)};
}

PaperFigure drawing_54(const std::vector<Stated>& stated, const Sheet& sheet) {
  Chart chart = figure_chart("Figure 5.4: what goes out of a host while packets come in",
                             "IDT of the incoming flow (ticks of 0.5 us)", bandwidth_axis);
  add_curve(chart, "incoming", sheet, "in");
  add_curve(chart, "outgoing, most", sheet, "out");
  add_curve(chart, "sum", sheet, "sum");
  add_published(chart, {{.x = 500, .y = value_of(stated, "fig5.4/out")},
                        {.x = 500, .y = value_of(stated, "fig5.8/in")}});
  return {"fig5.4", std::move(chart)};
}

PaperFigure drawing_59(const std::vector<Stated>& stated, const Sheet& sheet) {
  Chart chart = figure_chart("Figure 5.9: effect of the IDT on bandwidth under MPI", in_ticks,
                             bandwidth_axis);
  add_curve(chart, "GM", sheet, "GM");
  add_curve(chart, "MPI", sheet, "MPI");
  std::vector<ChartPoint> printed;  // one number for every IDT less than 140
  for (const ChartPoint& point : chart.series.back().points)
    if (point.x < 140) printed.push_back({.x = point.x, .y = value_of(stated, "fig5.9/bandwidth")});
  add_published(chart, std::move(printed));
  return {"fig5.9", std::move(chart)};
}

PaperFigure drawing_of_packets(const std::string& number, const std::string& title,
                               const Sheet& sheet, const std::vector<PrintedRate>& printed) {
  Chart chart =
      figure_chart(fmt::format("Figure {}: packet dispatch frequencies, {}", number, title),
                   "time (ms)", "packets in 1000 ticks");
  chart.note = "the paper's MB/s as packets of 4 KiB";
  for (std::size_t i = 1; i < sheet.columns.size(); ++i) {
    add_curve(chart, sheet.columns[i], sheet, sheet.columns[i]);
    chart.series.back().stepped = true;
    chart.series.back().marked = false;
  }
  std::vector<ChartPoint> points;
  for (const PrintedRate& each : printed) points.push_back({.x = each.at, .y = each.packets});
  add_published(chart, std::move(points));
  return {fmt::format("fig{}", number), std::move(chart)};
}

PaperFigure drawing_of_shares(const std::string& number, const std::string& title,
                              const std::vector<std::string>& flows,
                              const std::vector<FlowBars>& bars) {
  ColumnChart chart{.title = fmt::format("Figure {}: {}", number, title),
                    .note = "by IDTs",
                    .y_name = bandwidth_axis};
  for (const FlowBars& each : bars) chart.groups.push_back(each.setting);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ColumnSeries& series = chart.series.emplace_back();
    series.name = flows[i];
    for (const FlowBars& each : bars) {
      series.values.push_back(each.got[i]);
      series.published.push_back(each.printed.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                      : each.printed[i]);
    }
  }
  return {fmt::format("fig{}", number), std::move(chart)};
}

}  // namespace weft::papers::gmqos
