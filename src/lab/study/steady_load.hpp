// SPDX-License-Identifier: Apache-2.0
// The highest steady load, to a twentieth of it and by few simulations, all of the length that the
// experiment has: enough to compare engines in a study. lab/simulate/saturation.hpp finds it as
// exactly as it is asked to, by simulations that are as long as that takes.
#pragma once
#include "lab/simulate/saturation.hpp"

namespace weft {

struct SteadyLoad {
  double load = 0;           ///< 0: none that was tried
  double most_accepted = 0;  ///< at any load that was tried
};

/// The search begins at what `full`, the result at full load, accepts: most networks saturate near
/// it, those that collapse above it.
SteadyLoad highest_steady_load(const SimulationExperiment& point, const SimulationResult& full,
                               const Simulate& simulate);

}  // namespace weft
