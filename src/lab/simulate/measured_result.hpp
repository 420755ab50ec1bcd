// SPDX-License-Identifier: Apache-2.0
// From the counters of a simulated network to the result that is reported.
#pragma once
#include "lab/simulate/result.hpp"
#include "sim/workload/measurement.hpp"

namespace weft {

/// A simulation that has ended.
struct MeasuredRun {
  const sim::Network& network;
  const sim::Meter& meter;
  const sim::Measured& measured;
};

/// The result of a run, with the use of every link and lane if `links`.
SimulationResult result_of(const SimulationSpec& spec, const MeasuredRun& run, bool links);

}  // namespace weft
