// SPDX-License-Identifier: Apache-2.0
// qsnet: Petrini, Feng, Hoisie, Coll and Frachtenberg, The Quadrics Network: High-Performance
// Clustering Technology. Six published numbers calibrate clusters/qsnet.toml, everything else is
// predicted.
#include "papers/parts/qsnet.hpp"

#include <algorithm>

#include "papers/parts/expected.hpp"
#include "papers/rows.hpp"

namespace weft::papers {
namespace {

struct QsnetRow {
  Experiment experiment;
  Section (*run)(const qs::Context&);
  /// What of the study it needs.
  std::vector<ProgramRun> (*needs)(const qs::Study&) = [](const qs::Study&) {
    return std::vector<ProgramRun>();
  };
};

const std::vector<QsnetRow>& qsnet_rows() {
  static const std::vector<QsnetRow> all{
      {{"fattree", "quaternary fat trees of Elites (figure 2)"}, qs::fat_tree},
      {{"vm", "global virtual memory (figure 3)"}, qs::virtual_memory},
      {{"fault", "faults of links, Elites and bits"}, qs::faults},
      {{"fig6a", "bandwidth of pings"}, qs::figure_6a, qs::runs_6a},
      {{"fig6b", "latency of pings"}, qs::figure_6b, qs::runs_6b},
      {{"fig7", "bandwidth of pings both ways at once"}, qs::figure_7, qs::runs_7},
      {{"fig7b", "latency of pings both ways at once"}, qs::figure_7b, qs::runs_7b},
      {{"fig8", "hot spots"}, qs::figure_8, qs::runs_8},
      {{"bottlenecks", "the part that is busy behind each of these numbers"},
       qs::bottlenecks,
       qs::bottleneck_runs},
      {{"bcast", "hardware broadcast to a contiguous range"}, qs::broadcasts, qs::broadcast_runs},
      {{"scale", "hot spot, broadcast and barrier on up to 4,096 hosts; not in the paper"},
       qs::scale,
       qs::scale_runs},
      {{"fit", "the constants of the cluster file, from the calibration points"}, qs::fit},
  };
  return all;
}

/// Every run of an experiment as it can be run again.
Sheet runs_of(const qs::Study& study, const QsnetRow& row) {
  Sheet sheet{std::string(row.experiment.name) + "-runs",
              "every run",
              {"command", "ended", "microseconds", "messages"}};
  sheet.for_people = false;
  for (const ProgramRun& run : row.needs(study))
    sheet.rows.push_back({command_of(run), std::string(weft::to_text(study.at(run).ended)),
                          study.mean_us(run), static_cast<std::int64_t>(study.at(run).messages)});
  return sheet;
}

}  // namespace

std::vector<Experiment> qsnet_experiments() {
  std::vector<Experiment> out;
  for (const QsnetRow& row : qsnet_rows()) out.push_back(row.experiment);
  return out;
}

Page qsnet(const Lab& lab) {
  qs::Study study(lab);
  std::vector<const QsnetRow*> wanted;
  std::vector<ProgramRun> needed;
  for (const QsnetRow& row : qsnet_rows()) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    wanted.push_back(&row);
    for (ProgramRun& run : row.needs(study)) needed.push_back(std::move(run));
  }
  study.prepare(needed);
  const qs::Context context{study, stated_by("qsnet")};
  Page page{.declared = {{"switches", study.cluster().model},
                         {"nic", study.cluster().nic},
                         {"library", study.cluster().library},
                         {"trials", std::to_string(study.trials())}}};
  for (const QsnetRow* row : wanted) {
    page.sections.push_back(row->run(context));
    Sheet runs = runs_of(study, *row);
    if (!runs.rows.empty()) page.sections.back().sheets.push_back(std::move(runs));
    page.sections.back().about = row->experiment.about;
  }
  return page;
}

}  // namespace weft::papers
