// SPDX-License-Identifier: Apache-2.0
// viabarrier: Gupta, Tipparaju, Nieplocha and Panda, Efficient Barrier using Remote Memory
// Operations on VIA-Based Clusters. Three clusters; five constants are fitted to five published
// times (clusters/viabarrier*.toml say which), everything else is predicted.
#include "papers/parts/viabarrier.hpp"

#include <algorithm>

#include "papers/parts/expected.hpp"
#include "papers/rows.hpp"

namespace weft::papers {
namespace {

struct ViabarrierRow {
  Experiment experiment;
  Section (*run)(const via::Context&);
  /// What of the study it needs.
  std::vector<via::Run> (*needs)(const via::Study&) = [](const via::Study&) {
    return std::vector<via::Run>();
  };
};

const std::vector<ViabarrierRow>& viabarrier_rows() {
  static const std::vector<ViabarrierRow> all{
      {{"fig4a", "cluster 1, powers of two (7.1)"}, via::figure_4a, via::runs_4a},
      {{"fig4b", "cluster 2, powers of two (7.1)"}, via::figure_4b, via::runs_4b},
      {{"fig4c", "cluster 3, powers of two, one task a host (7.1)"}, via::figure_4c, via::runs_4c},
      {{"fig5", "clusters 1 and 2, every number of hosts (7.1)"}, via::figure_5, via::runs_5},
      {{"notify", "how a write is noticed, and when memory is registered (4)"},
       via::notify,
       via::notify_runs},
      {{"shm", "barriers within a host (3, 5.2)"}, via::shared_memory, via::shared_memory_runs},
      {{"fig6", "cluster 3, one and two tasks a host (7.2)"}, via::figure_6, via::runs_6},
      {{"overlap", "barriers in a row with a slow host (6.4)"}, via::overlap, via::overlap_runs},
      {{"fit", "the constants of the cluster files, from the calibration points"}, via::fit},
  };
  return all;
}

std::vector<std::pair<std::string, std::string>> declared(const via::Study& study) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const int number : {1, 2, 3})
    out.emplace_back(study.name(number), study.cluster(number).topologies.front());
  out.emplace_back("iterations", std::to_string(study.iterations()));
  out.emplace_back("interrupt", study.interrupt());
  return out;
}

/// Every run of an experiment as it can be run again.
Sheet all_runs(const via::Study& study, const ViabarrierRow& row) {
  Sheet sheet{std::string(row.experiment.name) + "-runs",
              "every run",
              {"command", "ended", "microseconds", "messages"}};
  sheet.for_people = false;
  for (const via::Run& run : row.needs(study)) {
    const ProgramResult& result = study.at(run);
    sheet.rows.push_back({command_of(result.run), std::string(weft::to_text(result.ended)),
                          study.microseconds(run), static_cast<std::int64_t>(result.messages)});
  }
  return sheet;
}

}  // namespace

std::vector<Experiment> viabarrier_experiments() {
  std::vector<Experiment> out;
  for (const ViabarrierRow& row : viabarrier_rows()) out.push_back(row.experiment);
  return out;
}

Page viabarrier(const Lab& lab) {
  via::Study study(lab);
  std::vector<const ViabarrierRow*> wanted;
  std::vector<via::Run> needed;
  for (const ViabarrierRow& row : viabarrier_rows()) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    wanted.push_back(&row);
    for (const via::Run& run : row.needs(study)) needed.push_back(run);
  }
  study.prepare(needed);
  const via::Context context{study, stated_by("viabarrier")};
  Page page{.declared = declared(study)};
  for (const ViabarrierRow* row : wanted) {
    page.sections.push_back(row->run(context));
    Sheet runs = all_runs(study, *row);
    if (!runs.rows.empty()) page.sections.back().sheets.push_back(std::move(runs));
    page.sections.back().about = row->experiment.about;
  }
  return page;
}

}  // namespace weft::papers
