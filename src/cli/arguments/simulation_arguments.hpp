// SPDX-License-Identifier: Apache-2.0
// What weft sim and weft sweep have in common on the command line: the fields of a simulation.
#pragma once
#include "cli/arguments/arguments.hpp"
#include "lab/simulate/experiment.hpp"

namespace weft::cli {

/// A simulation as it is given on the command line.
struct SimulationArguments {
  SimulationSpec spec{};
  std::string cluster{};

  /// What is not given is the cluster's, where there is one.
  SimulationSpec filled() const;
  /// Every text that may name a file to read.
  std::vector<std::string> inputs() const;
};
/// Adds fabric and tables as positional arguments, and every other field as an option.
void add_fields(Arguments& arguments, SimulationArguments& simulation);

}  // namespace weft::cli
