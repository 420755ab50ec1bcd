// SPDX-License-Identifier: Apache-2.0
// The search for a saturation point: the highest steady load of a network and its traffic. Sweeps
// call it once for every combination of values.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/decimal.hpp"
#include "lab/simulate/experiment.hpp"

namespace weft {

/// Loads k * resolution with 1 <= k <= count.
struct LoadSteps {
  Decimal step;
  std::int64_t count = 0;

  /// Throws Error unless `resolution` is a number above 0, and 0.5 at most.
  explicit LoadSteps(const std::string& resolution);
  std::string load(std::int64_t k) const { return Decimal{k * step.units, step.places}.text(); }
  /// Simulations of one search, about.
  std::size_t tries() const;
};

using Simulate = std::function<SimulationResult(const SimulationExperiment&)>;

/// Hears, before each simulation, of the one that is needed next and those that may be next then.
using Foresee = std::function<void(const SimulationExperiment& needed,
                                   const std::vector<SimulationExperiment>& others)>;

struct SaturationPoint {
  std::string load{};                     ///< the highest steady one; "0" where none is
  std::vector<SimulationResult> tried{};  ///< the longest simulation of every load, by load
  /// The limit on the work of a simulation made the last ones shorter than the resolution needs.
  bool short_of_resolution = false;
};

/// Bisection: a load is taken to be steady when a higher one is. Where the point's warm-up and
/// cycles are "auto", a simulation is as long as it takes to tell its load from the nearest ones
/// that were judged: short at first, long near saturation. Otherwise it is no longer than they say.
/// In the end both neighbours of the saturation point are judged at full length. Throws Error for
/// traffic that comes to an end. What it finds does not depend on `foresee`.
SaturationPoint find_saturation(const LoadSteps& steps, SimulationExperiment point,
                                const Simulate& simulate, const Foresee& foresee = {});

}  // namespace weft
