// SPDX-License-Identifier: Apache-2.0
// The fields of a machine, which requests for programs and for scenarios have in common.
#pragma once
#include <vector>

#include "lab/cluster/machine.hpp"
#include "lab/fields.hpp"

namespace weft {

/// Returns the fields before the machine's, the machine's, and those after them.
template <class Text, class Request>
std::vector<Field<Text, Request>> with_machine_fields(
    std::vector<Field<Text, Request>> before, const std::vector<Field<Text, Request>>& after) {
  std::vector<Field<Text, Request>> out = std::move(before);
  out.push_back(
      {"topology", &Text::topology, "fabric file or topology; otherwise the cluster's first"});
  out.push_back({"engine", &Text::engine,
                 "routing engine or file of tables; otherwise the cluster's\nfirst"});
  out.push_back({"switch", &Text::switches, "how switches work; weft list switches"});
  out.push_back({"nic", &Text::nic, "how hosts and their NICs work; weft list nics"});
  out.insert(out.end(), after.begin(), after.end());
  return out;
}

/// Writes the parts of a filled machine into the spec that names it.
template <class Text>
void assign_machine(Text& spec, const MachineSpec& machine) {
  spec.topology = machine.topology;
  spec.engine = machine.engine;
  spec.switches = machine.switches;
  spec.nic = machine.nic;
}

}  // namespace weft
