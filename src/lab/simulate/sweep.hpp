// SPDX-License-Identifier: Apache-2.0
// A sweep: many simulations on all cores, of all combinations of values or towards saturation.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/progress.hpp"
#include "lab/simulate/experiment.hpp"
#include "lab/simulate/journal.hpp"

namespace weft {

/// A sweep in the user's words.
struct SweepSpec {
  SimulationSpec simulation;         ///< brackets in its values make the sweep: brackets.hpp
  bool saturation = false;           ///< find the highest steady load of every combination
  std::string resolution = "0.005";  ///< of that load
};

/// The same typed: one request for every combination, in the order of brackets.hpp.
struct SweepRequest {
  SweepSpec spec{};
  std::vector<SimulationRequest> points{};
};
/// Throws Error that names the field when something is wrong.
SweepRequest request_of(const SweepSpec& spec);

/// What its results depend on: fields, files, revision.
SweepIdentity identity_of(const SweepRequest& request);

/// And resolved: points share their networks and could be run as they are.
struct SweepExperiment {
  SweepSpec spec{};
  std::vector<SimulationExperiment> points{};
};
/// Throws Error when something in one of the points is wrong; quick, as nothing is simulated.
SweepExperiment resolve(const SweepRequest& request);

struct SweepRow {
  SimulationResult result;
  /// Where it was looked for: the highest steady load of this combination; "0" when there is none.
  std::string saturation{};
};

using Simulate = std::function<SimulationResult(const SimulationExperiment&)>;

struct SweepOptions {
  std::uint64_t jobs = 0;      ///< simulations at a time; 0: one a core
  Journal* journal = nullptr;  ///< results are taken from it and added to it
  Progress progress{};         ///< called by one thread at a time
};

/// The rows in the order of the points; towards saturation all that were tried, by load. They do
/// not depend on jobs and journal. Throws Error when `simulate` does; then a journal that has
/// nothing from before is removed.
std::vector<SweepRow> run_sweep(const SweepExperiment& sweep, const Simulate& simulate,
                                const SweepOptions& options = {});

}  // namespace weft
