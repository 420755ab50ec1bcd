// SPDX-License-Identifier: Apache-2.0
// The fields of a simulation on the command line.
#include "cli/arguments/simulation_arguments.hpp"

#include "cli/arguments/inputs.hpp"

namespace weft::cli {

SimulationSpec SimulationArguments::filled() const {
  SimulationSpec out = spec;
  if (!cluster.empty()) fill_from_cluster(out, cluster);
  return out;
}

std::vector<std::string> SimulationArguments::inputs() const {
  std::vector<std::string> out = texts_of(spec, simulation_fields());
  add_inputs_of_cluster(cluster, out);
  return out;
}

void add_fields(Arguments& arguments, SimulationArguments& simulation) {
  SimulationSpec& spec = simulation.spec;
  spec.switches.clear();  // its default depends on the fabric
  for (const SimulationField& field : simulation_fields()) {
    const bool place =
        field.text == &SimulationSpec::fabric || field.text == &SimulationSpec::tables;
    if (place)
      arguments.optional(field.name, spec.*field.text, field.help);
    else if (field.text == &SimulationSpec::without)
      add_without(arguments, spec.without);
    else
      arguments.named(field.name, spec.*field.text, field.help);
  }
  arguments.option(
      "--cluster CLUSTER", simulation.cluster,
      "cluster file or its name: what is not given of fabric, tables and\nswitches is its "
      "first topology, its first engine, its switches;\na single word may be an engine");
}

}  // namespace weft::cli
