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

/// What a result has where it is asked for.
struct ResultDetails {
  bool links = false;      ///< the use of every link and lane
  bool latencies = false;  ///< their histogram
};

SimulationResult result_of(const SimulationSpec& spec, const MeasuredRun& run,
                           const ResultDetails& details);

}  // namespace weft
