// SPDX-License-Identifier: Apache-2.0
// The fields of a simulation on the command line.
#include "cli/arguments/simulation_arguments.hpp"

#include "cli/arguments/field_arguments.hpp"

namespace weft::cli {

void add_fields(Arguments& arguments, SimulationSpec& simulation) {
  add_fields(arguments, simulation, simulation_fields(),
             {&SimulationSpec::fabric, &SimulationSpec::tables});
}

}  // namespace weft::cli
