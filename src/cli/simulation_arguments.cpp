// SPDX-License-Identifier: Apache-2.0
// The fields of a simulation on the command line.
#include "cli/simulation_arguments.hpp"

#include "cli/field_arguments.hpp"

namespace weft::cli {

void add_fields(Arguments& arguments, Simulation& simulation) {
  add_fields(arguments, simulation, simulation_fields(),
             {&Simulation::fabric, &Simulation::tables});
}

}  // namespace weft::cli
