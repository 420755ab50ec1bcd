// SPDX-License-Identifier: Apache-2.0
// The runner of a paper's experiments, the same for all papers. A paper has a study (its machines,
// and the results of runs on them) and a table of experiments; each experiment names the runs it
// needs and reads their results.
//
// A study has: a type Run; prepare(runs), which simulates them; declared(), what the cluster file
// says; seed(). Where its runs are host programs, program_row(run) makes a row of the list of them.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/params.hpp"
#include "papers/runner/expected.hpp"
#include "papers/runner/paper.hpp"

namespace weft::papers {

/// For experiments that depend on a seed.
inline constexpr bool drawn_at_random = true;

/// What the cluster file declares: some of its keys, then the parameters of its section [paper].
inline Declared with_params(Declared out, const Params& params, std::span<const Param> rows) {
  for (const Param& param : rows) out.emplace_back(param.name, params.written(param.name));
  return out;
}

/// What an experiment works with: the study, with the experiment's runs simulated, and what the
/// paper states.
template <class Study>
struct ExperimentContext {
  const Study& study;
  const std::vector<Stated>& stated;
};

template <class Study>
struct ExperimentRow {
  Experiment experiment;
  Section (*run)(const ExperimentContext<Study>&);
  /// The runs whose results it reads.
  std::vector<typename Study::Run> (*needs)(const Study&) = [](const Study&) {
    return std::vector<typename Study::Run>();
  };
};

template <class Study>
using ExperimentRows = std::vector<ExperimentRow<Study>>;

template <class Study>
std::vector<Experiment> experiments_of(const ExperimentRows<Study>& rows) {
  std::vector<Experiment> out;
  for (const auto& row : rows) out.push_back(row.experiment);
  return out;
}

/// The runs of an experiment as commands that run them again.
template <class Study>
Sheet sheet_of_runs(const Study& study, const ExperimentRow<Study>& row) {
  Sheet sheet{std::string(row.experiment.name) + "-runs",
              "every run",
              {"command", "ended", "microseconds", "messages"}};
  sheet.printed = false;
  for (const auto& run : row.needs(study)) sheet.rows.push_back(study.program_row(run));
  return sheet;
}

/// Data by column: a name stands for one.
inline void require_unique_columns(const Section& section) {
  for (const Sheet& sheet : section.sheets)
    for (auto column = sheet.columns.begin(); column != sheet.columns.end(); ++column)
      invariant(std::find(sheet.columns.begin(), column, *column) == column,
                fmt::format("the sheet {} has two columns {}", sheet.name, *column).c_str());
}

/// Simulates what the lab's experiments need, then runs them in the paper's order.
template <class Study>
Page run_experiments(const Lab& lab, std::string_view paper, Study& study,
                     const ExperimentRows<Study>& rows) {
  std::vector<const ExperimentRow<Study>*> wanted;
  std::vector<typename Study::Run> needed;
  for (const auto& row : rows) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    wanted.push_back(&row);
    for (auto& run : row.needs(study)) needed.push_back(std::move(run));
  }
  study.prepare(needed);
  const std::vector<Stated> stated = stated_by(paper);
  Page page{.declared = study.declared(), .seed = study.seed()};
  for (const auto* row : wanted) {
    if (needed.empty())  // then the experiments are what takes time
      lab.progress(static_cast<double>(page.sections.size()) / static_cast<double>(wanted.size()),
                   std::string(row->experiment.name));
    Section section = row->run({study, stated});
    section.about = row->experiment.about;
    if constexpr (requires(typename Study::Run run) { study.program_row(run); })
      if (Sheet runs = sheet_of_runs(study, *row); !runs.rows.empty())
        section.sheets.push_back(std::move(runs));
    require_unique_columns(section);
    page.sections.push_back(std::move(section));
  }
  return page;
}

}  // namespace weft::papers
