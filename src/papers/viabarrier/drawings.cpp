// SPDX-License-Identifier: Apache-2.0
// The figures of the VIA barrier paper: latency by hosts, as the paper's curves are named.
#include "papers/viabarrier/drawings.hpp"

#include "papers/runner/sheet_curves.hpp"

namespace weft::papers::viabarrier {
namespace {

/// A number that the paper prints, at so many hosts.
struct PrintedTime {
  const char* id;
  int hosts;
};

Chart latency_chart(std::string title) {
  Chart out = figure_chart(std::move(title), "hosts", "barrier latency (us)");
  out.x_scale = AxisScale::bytes;
  return out;
}

void publish(Chart& chart, const std::vector<Stated>& stated,
             const std::vector<PrintedTime>& printed) {
  std::vector<ChartPoint> points;
  for (const PrintedTime& each : printed)
    points.push_back({.x = static_cast<double>(each.hosts), .y = value_of(stated, each.id)});
  if (!points.empty()) add_published(chart, std::move(points));
}

void add_schemes(Chart& chart, const Sheet& sheet) {
  add_curve(chart, "Message Passing", sheet, "send/recv");
  add_curve(chart, "RDMA", sheet, "RDMA");
}

const std::vector<PrintedTime> printed_1{{"fig4a/send-recv", 8}, {"fig4a/rdma", 8}};
const std::vector<PrintedTime> printed_2{
    {"fig4b/send-recv", 8}, {"fig4b/rdma", 8}, {"fig4b/send-recv-16", 16}, {"fig4b/rdma-16", 16}};

}  // namespace

PaperFigure drawing_4(const std::vector<Stated>& stated, const Sheet& sheet) {
  const char panel = sheet.name.back();
  Chart chart = latency_chart(fmt::format(
      "Figure 4({}): barrier latency for powers of two, cluster {}", panel, panel - 'a' + 1));
  add_schemes(chart, sheet);
  if (panel == 'a') publish(chart, stated, printed_1);
  if (panel == 'b') publish(chart, stated, printed_2);
  if (panel == 'c')
    chart.note = fmt::format("paper: up to {} % less with RDMA at 16 and 32 hosts",
                             human_readable(value_of(stated, "fig4c/gain")));
  return {sheet.name, std::move(chart)};
}

PaperFigure drawing_5(const std::vector<Stated>& stated, const Sheet& first, const Sheet& second) {
  ChartSheet out{.title = "Figure 5: barrier latency for all numbers of hosts"};
  for (const Sheet* sheet : {&first, &second}) {
    const bool one = sheet == &first;
    Chart& chart = out.charts.emplace_back(latency_chart(one ? "(a) cluster 1" : "(b) cluster 2"));
    chart.x_scale = AxisScale::linear;
    add_schemes(chart, *sheet);
    publish(chart, stated, one ? printed_1 : printed_2);
  }
  return {"fig5", std::move(out)};
}

PaperFigure drawing_6(const std::vector<Stated>& stated, const Sheet& sheet) {
  Chart chart = latency_chart("Figure 6: MPI and RDMA barrier, one and two tasks a host");
  for (const char* name : {"MPI-1", "MPI-2", "RDMA-1", "RDMA-2"})
    add_curve(chart, name, sheet, name);
  publish(chart, stated, {{"fig6/send-recv", 32}, {"fig6/rdma", 32}});
  return {"fig6", std::move(chart)};
}

}  // namespace weft::papers::viabarrier
