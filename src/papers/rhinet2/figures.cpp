// SPDX-License-Identifier: Apache-2.0
// Figures 5 to 10 in the paper's axes. Its text prints no point of them: what it says about their
// curves stands below the titles.
#include <algorithm>
#include <functional>
#include <map>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

/// As the paper's legends have it.
std::string routing_name(const std::string& engine) {
  static const std::map<std::string, std::string> names{{"prefix", "Prefix (1vch)"},
                                                        {"updown1", "Up*/Down* (1vch)"},
                                                        {"updown", "Up*/Down* (2vch)"},
                                                        {"dfs", "DFS Up*/Down* (1vch)"},
                                                        {"sbp", "SBP"},
                                                        {"dl", "DL (2vch)"},
                                                        {"dor", "Dimension-order"}};
  return names.at(engine);
}

/// Colours are those of the routings in all panels.
std::size_t routing_colour(const std::string& engine) {
  const auto all = bandwidth_routings("mesh");
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), engine) - all.begin());
}

/// "(c) mesh 32, bit-reversal" for the third panel.
std::string panel(std::size_t index, const std::string& what) {
  return fmt::format("({}) {}", static_cast<char>('a' + static_cast<char>(index)), what);
}

Chart by_size(std::string title) {
  Chart out = figure_chart(std::move(title), "data size (B)", "bandwidth (MB/s)");
  out.x_scale = AxisScale::bytes;
  return out;
}
Chart by_hops(std::string title, std::string y_name) {
  return figure_chart(std::move(title), "distance (hops)", std::move(y_name));
}

/// The runs of a curve by size.
using RunBySize = std::function<Rhinet2Run(std::int64_t)>;
/// What is drawn of a run.
using Drawn = double HostMeasurement::*;

ChartSeries& add_sizes(Chart& chart, const Rhinet2Study& study, std::string name,
                       const RunBySize& run, Drawn drawn = &HostMeasurement::mean) {
  ChartSeries& curve = add_curve(chart, std::move(name));
  for (const std::int64_t size : sizes(study))
    curve.points.push_back({static_cast<double>(size), study.at(run(size)).*drawn});
  return curve;
}

template <class RunByHops>
void add_hops(Chart& chart, const Rhinet2Study& study, std::string name, RunByHops run) {
  ChartSeries& curve = add_curve(chart, std::move(name));
  for (int hops = 1; hops <= farthest; ++hops)
    curve.points.push_back({static_cast<double>(hops), study.at(run(hops)).mean});
}

/// Figure 5(i): the least and the most of individual hosts.
Chart individual_hosts(const Rhinet2Study& study, std::size_t index) {
  Chart chart = by_size(panel(index, "single hosts, A 32"));
  for (const char* engine : {"dl", "updown"})
    for (const bool most : {true, false}) {
      ChartSeries& curve = add_sizes(
          chart, study, fmt::format("{}, {}", routing_name(engine), most ? "most" : "least"),
          [&](std::int64_t size) { return pushes("A 32", engine, "bit-reversal", size); },
          most ? &HostMeasurement::most : &HostMeasurement::least);
      curve.colour = routing_colour(engine);
      curve.dashed = !most;
    }
  return chart;
}

}  // namespace

PaperFigure draw_fig5(const Rhinet2Context& context) {
  ChartSheet sheet{.title = "Figure 5: routing bandwidth under 32 hosts",
                   .note = fmt::format("the text: DL and SBP up to {} % above up*/down*",
                                       value_of(context.stated, "fig5/gain")),
                   .charts = {},
                   .columns = 3};
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns) {
      Chart chart = by_size(panel(sheet.charts.size(), fmt::format("{}, {}", topology, pattern)));
      for (const std::string& engine : bandwidth_routings(topology))
        add_sizes(chart, context.study, routing_name(engine), [&](std::int64_t size) {
          return pushes(topology, engine, pattern, size);
        }).colour = routing_colour(engine);
      sheet.charts.push_back(std::move(chart));
    }
  sheet.charts.push_back(individual_hosts(context.study, sheet.charts.size()));
  return {"fig5", std::move(sheet)};
}

PaperFigure draw_fig6(const Rhinet2Context& context) {
  ChartSheet sheet{.title = "Figure 6: bandwidth and latency between two hosts",
                   .note = fmt::format("the text: {} MB/s and +{} us per hop",
                                       value_of(context.stated, "fig6/bandwidth"),
                                       value_of(context.stated, "fig6/barrier")),
                   .charts = {by_hops("(a) bandwidth, 229 flits", "bandwidth (MB/s)"),
                              by_hops("(b) barrier", "barrier synchronization (us)")},
                   .columns = 2};
  add_hops(sheet.charts[0], context.study, "ours", pair_pushes);
  add_hops(sheet.charts[1], context.study, "ours", pair_barrier);
  return {"fig6", std::move(sheet)};
}

PaperFigure draw_fig7(const Rhinet2Context& context) {
  ChartSheet sheet{.title = "Figure 7: bandwidth of path selection algorithms",
                   .note = fmt::format("the text: up to {} % between the two",
                                       value_of(context.stated, "fig7/gain")),
                   .charts = {},
                   .columns = 4};
  for (const std::string& pattern : patterns)
    for (const std::string& topology : four_topologies) {
      Chart chart = by_size(panel(sheet.charts.size(), fmt::format("{}, {}", topology, pattern)));
      for (const std::string& engine : selecting)
        for (const bool low : {false, true}) {
          ChartSeries& curve =
              add_sizes(chart, context.study,
                        fmt::format("{}, {}", routing_name(engine),
                                    low ? "low port first" : "well-distributed"),
                        [&](std::int64_t size) {
                          return pushes(topology, low ? engine + " low" : engine, pattern, size);
                        });
          curve.colour = routing_colour(engine);
          curve.dashed = low;
        }
      sheet.charts.push_back(std::move(chart));
    }
  return {"fig7", std::move(sheet)};
}

PaperFigure draw_fig8(const Rhinet2Context& context) {
  Chart chart = by_size("Figure 8: routing bandwidth under MPI level, bit-reversal, Topology A");
  chart.note =
      fmt::format("the text: DL {} % above up*/down*", value_of(context.stated, "fig8/gain"));
  for (const char* engine : {"dl", "updown"})
    add_sizes(chart, context.study, routing_name(engine), [&](std::int64_t size) {
      return mpi_messages(engine, size);
    }).colour = routing_colour(engine);
  return {"fig8", std::move(chart)};
}

PaperFigure draw_fig9(const Rhinet2Context& context) {
  ChartSheet sheet{.title = "Figure 9: topology bandwidth",
                   .note = fmt::format("the text: the torus up to {} % above Topology A",
                                       value_of(context.stated, "fig9/gain")),
                   .charts = {},
                   .columns = 2};
  for (const std::string& pattern : topology_patterns) {
    Chart chart = by_size(panel(sheet.charts.size(), pattern));
    for (const std::string& topology : nine_topologies)
      add_sizes(chart, context.study, topology, [&](std::int64_t size) {
        return pushes(topology, usual_engine(topology), pattern, size);
      });
    sheet.charts.push_back(std::move(chart));
  }
  return {"fig9", std::move(sheet)};
}

namespace {

struct RunCondition {
  MachineVariant setting;
  bool waits;
  const char* name;
};

/// Both routings under some conditions on topology A.
Chart conditions(const Rhinet2Study& study, std::string title, const std::string& pattern,
                 const std::vector<RunCondition>& all) {
  Chart chart = by_size(std::move(title));
  for (const std::string& engine : machine_routings)
    for (const RunCondition& one : all)
      add_sizes(chart, study, fmt::format("{}, {}", routing_name(engine), one.name),
                [&](std::int64_t size) {
                  const Rhinet2Run run = on_variant(one.setting, engine, {"A 32", pattern, size});
                  return one.waits ? run : without_waiting(study, run);
                });
  return chart;
}

}  // namespace

PaperFigure draw_fig10(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  ChartSheet sheet{
      .title = "Figure 10: bandwidth of various buffer sizes, link speed, and ack protocols",
      .note = fmt::format("Topology A; the text: 8 Gbps {} % above 6 Gbps, DL {} % above up*/down* "
                          "without waiting",
                          value_of(context.stated, "fig10/8Gb"),
                          value_of(context.stated, "fig10/no-ack-gain")),
      .charts = {},
      .columns = 3};
  for (const std::string& pattern : patterns)
    sheet.charts.push_back(conditions(study, panel(sheet.charts.size(), pattern), pattern,
                                      {{MachineVariant::usual, true, "VCT"},
                                       {MachineVariant::wormhole, true, "Stop,Go=1"},
                                       {MachineVariant::fast_links, true, "8Gbps"}}));
  Chart two = by_hops(panel(sheet.charts.size(), "two hosts, 229 flits"), "bandwidth (MB/s)");
  add_hops(two, study, "Ack-Wait", pair_pushes);
  add_hops(two, study, "No-Ack-Wait",
           [&](int hops) { return without_waiting(study, pair_pushes(hops)); });
  sheet.charts.push_back(std::move(two));
  for (const std::string& pattern : patterns)
    sheet.charts.push_back(conditions(study, panel(sheet.charts.size(), pattern + ", acks"),
                                      pattern,
                                      {{MachineVariant::usual, true, "Ack-Wait"},
                                       {MachineVariant::usual, false, "No-Ack-Wait"}}));
  look_by_name(sheet);
  return {"fig10", std::move(sheet)};
}

}  // namespace weft::papers::rhinet2
