// SPDX-License-Identifier: Apache-2.0
// The fields of a simulation on the command line.
#include "cli/simulation_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::cli {

void add_fields(Arguments& arguments, Simulation& simulation) {
  for (const SimulationField& field : simulation_fields()) {
    std::string& value = simulation.*field.value;
    if (field.value == &Simulation::fabric || field.value == &Simulation::tables) {
      arguments.required(field.name, value, field.help);
      continue;
    }
    std::string word = field.name;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    arguments.option(fmt::format("--{} {}", field.name, word), value, field.help);
  }
}

}  // namespace weft::cli
