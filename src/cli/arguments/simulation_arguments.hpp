// SPDX-License-Identifier: Apache-2.0
// What weft sim and weft sweep have in common on the command line: the fields of a simulation.
#pragma once
#include "cli/arguments/arguments.hpp"
#include "lab/simulate/experiment.hpp"

namespace weft::cli {

/// Adds fabric and tables as positional arguments, and every other field as an option.
void add_fields(Arguments& arguments, SimulationSpec& simulation);

}  // namespace weft::cli
