// SPDX-License-Identifier: Apache-2.0
// Figures 8 to 16 of the InfiniBand mesh paper: completion times by packet size, small and large
// sizes apart; three figures of a case, with one, two and four lanes.
#include <array>

#include "papers/ibamesh/experiments.hpp"

namespace weft::papers::ibamesh {
namespace {

struct CaseFigures {
  TrafficCase what;
  int first;  ///< its number
  std::string_view about;
};
constexpr std::array<CaseFigures, 3> figures_of_cases{{{one_source, 8, "one source"},
                                                       {multi_source, 11, "40 % of the hosts"},
                                                       {all_source, 14, "all hosts"}}};
constexpr std::array<int, 3> lane_counts{1, 2, 4};

Chart panel(const IbameshStudy& study, const TrafficCase& what, int lanes, bool large) {
  Chart chart = figure_chart(large ? "(b) large data sizes" : "(a) small data sizes",
                             "packet size (bytes)", "completion time (us)");
  chart.x_scale = AxisScale::bytes;
  for (const Scheme scheme : {Scheme::unicast, Scheme::multicast})
    for (std::size_t setting = 0; setting < lane_settings.size(); ++setting) {
      const LaneSetting& of = lane_settings[setting];
      if (of.lanes != lanes) continue;
      const char* kind = lanes == 1 ? "" : of.tied ? ", tied lanes" : ", free lanes";
      ChartSeries& curve = add_curve(chart, to_text(scheme) + kind);
      for (const std::int64_t size : study.sizes())
        if ((size > largest_small) == large)
          curve.points.push_back({.x = static_cast<double>(size),
                                  .y = study.microseconds({what, size, setting, scheme})});
    }
  return chart;
}

}  // namespace

std::vector<PaperFigure> case_figures(const IbameshStudy& study, const TrafficCase& what) {
  std::vector<PaperFigure> out;
  for (const CaseFigures& of : figures_of_cases) {
    if (of.what != what) continue;
    for (std::size_t i = 0; i < lane_counts.size(); ++i) {
      const int number = of.first + static_cast<int>(i), lanes = lane_counts[i];
      ChartSheet sheet{.title = fmt::format("Figure {}: multicast from {}, {} virtual lane{}",
                                            number, of.about, lanes, lanes == 1 ? "" : "s")};
      for (const bool large : {false, true})
        sheet.charts.push_back(panel(study, what, lanes, large));
      out.push_back({fmt::format("fig{}", number), std::move(sheet)});
    }
  }
  return out;
}

}  // namespace weft::papers::ibamesh
