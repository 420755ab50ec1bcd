// SPDX-License-Identifier: Apache-2.0
// Rules of Open MPI's tuned collectives: which algorithm from which size on, by number of ranks.
// The file is named by --mca coll_tuned_dynamic_rules_filename.
#pragma once
#include <string>
#include <vector>

#include "lab/program/compare.hpp"

namespace weft {

/// The names of compared algorithms that Open MPI does not have. Throws Error where no rules can be
/// made of the comparison: Open MPI has fewer than one of them, does not choose this collective by
/// size, or could not tell two placements apart.
std::vector<std::string> without_open_mpi_counterpart(const AlgorithmComparison& compared);

/// The file for the fastest of the algorithms that Open MPI has, as it reads them since 4.1. Throws
/// Error as above.
std::string open_mpi_rules(const AlgorithmComparison& compared);

}  // namespace weft
