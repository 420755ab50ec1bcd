// SPDX-License-Identifier: Apache-2.0
// hardware: measurements of machines of today, published as data (De Sensi et al., cloud noise
// data; converged-computing, performance study; EESSI; PICO; ARCHER2), held against their models.
// The cluster files say which few points set parameters; everything else is predicted.
#include "papers/hardware/paper.hpp"

#include <utility>

#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

template <std::size_t index>
ExperimentRow<HardwareStudy> curve_row() {
  return {{machines[index].name, machines[index].about},
          [](const HardwareContext& context) { return curve_of(context, machines[index]); },
          [](const HardwareStudy& study) { return runs_of(study, machines[index]); }};
}

template <std::size_t... indexes>
ExperimentRows<HardwareStudy> curve_rows(std::index_sequence<indexes...>) {
  return {curve_row<indexes>()...};
}

template <std::size_t... indexes>
ExperimentRows<HardwareStudy> collective_rows(std::index_sequence<indexes...>) {
  return {ExperimentRow<HardwareStudy>{
      {collective_machines[indexes].name, collective_machines[indexes].about},
      [](const HardwareContext& context) {
        return collectives_of(context, collective_machines[indexes]);
      },
      [](const HardwareStudy& study) {
        return collective_runs(study, collective_machines[indexes]);
      }}...};
}

const ExperimentRows<HardwareStudy>& rows() {
  static const ExperimentRows<HardwareStudy> all = [] {
    auto out = curve_rows(std::make_index_sequence<machines.size()>());
    out.push_back({{"loggp", "HBv2 and HC44rs by their LogGP rows alone"}, from_loggp});
    out.push_back({{"dissemination", "exchanges of 16 B in log2 n steps, by hosts"},
                   dissemination,
                   dissemination_runs});
    for (auto& row : collective_rows(std::make_index_sequence<collective_machines.size()>()))
      out.push_back(std::move(row));
    out.push_back(
        {{"missing",
          "ours, not predictions: what would explain 4 to 64 KiB, and what is not modelled"},
         missing,
         missing_runs});
    out.push_back({{"fit", "the constants of the cluster files, from the calibration points"},
                   fit,
                   fit_runs});
    out.push_back({{"summary", "how many machines are met"}, overview, overview_runs});
    return out;
  }();
  return all;
}

Page reproduce(const Lab& lab) {
  HardwareStudy study(lab);
  return run_experiments(lab, "hardware", study, rows());
}

}  // namespace

Paper paper() {
  return {"hardware", "Published measurements of machines of today: ping-pongs and collectives",
          experiments_of(rows()), first_cluster, reproduce};
}

}  // namespace weft::papers::hardware
