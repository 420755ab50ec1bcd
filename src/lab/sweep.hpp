// SPDX-License-Identifier: Apache-2.0
// A sweep: many simulations on all cores, of all combinations of values or towards saturation.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/journal.hpp"
#include "lab/progress.hpp"
#include "lab/simulation.hpp"

namespace weft {

struct SweepRequest {
  Simulation simulation;             ///< brackets in its values make the sweep: lab/brackets.hpp
  bool saturation = false;           ///< find the highest steady load of every combination
  std::string resolution = "0.005";  ///< of that load
};

struct SweepRow {
  SimulationResult result;
  /// Where it was looked for: the highest steady load of this combination; "0" when there is none.
  std::string saturation{};
};

using Simulate = std::function<SimulationResult(const Simulation&)>;

struct SweepOptions {
  std::uint64_t jobs = 0;      ///< simulations at a time; 0: one a core
  Journal* journal = nullptr;  ///< results are taken from it and added to it
  Progress progress{};         ///< told by one thread at a time
};

/// What its results depend on: fields, files, revision.
SweepIdentity identity_of(const SweepRequest& request);

/// The rows in the order of lab/brackets.hpp; towards saturation all that were tried, by load. They
/// do not depend on jobs and journal. Throws Error when something in the request is wrong; then a
/// journal that has nothing from before is removed.
std::vector<SweepRow> run_sweep(const SweepRequest& request, const Simulate& simulate,
                                const SweepOptions& options = {});

}  // namespace weft
