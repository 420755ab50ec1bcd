// SPDX-License-Identifier: Apache-2.0
// What weft sim and weft import booksim --run have in common.
#pragma once
#include <cstdint>
#include <iosfwd>

#include "lab/simulate/request.hpp"

namespace weft::cli {

/// Runs a simulation with so many seeds, prints the result, and returns the exit code.
int simulate_and_print(const SimulationSpec& spec, std::uint64_t seeds, std::ostream& human_output);

}  // namespace weft::cli
