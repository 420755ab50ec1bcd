// SPDX-License-Identifier: Apache-2.0
// The NAS benchmarks of the paper: traces, and what their compute times are multiplied by.
//
// The traces are runs of NPB 3.3.1 on another machine (tests/recorded/npb); the paper ran 2.3.
// Compute times are scaled to the column "Comp." of table VIII, which calibrates them. Benchmarks
// and classes that are not there have the factor of the same benchmark, and LU, which is not there
// at all, the mean of the others.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace weft::papers::rhinet2 {

/// A line of table VIII.
struct ItemizedRun {
  const char *topology, *engine, *benchmark;  ///< "CG.A.16"
};
const std::vector<ItemizedRun>& itemized_runs();

/// The trace of a benchmark such as "CG.S.16": of those with short intervals between calls, the
/// least of five runs.
trace::Trace nas_trace(const std::string& benchmark);

/// The column "Comp." of table VIII for a benchmark that it has.
using ComputedSeconds = std::function<double(const std::string& benchmark)>;
/// The factor of compute times.
double compute_factor(const std::string& benchmark, const ComputedSeconds& computed);

/// How MPICH 1.2, on which MPICH-SCore is based, carried out collectives.
std::vector<std::string> mpich1_collectives();

}  // namespace weft::papers::rhinet2
