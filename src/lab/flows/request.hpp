// SPDX-License-Identifier: Apache-2.0
// The request for a run of a scenario: its flows and the machine, first as text, then typed.
#pragma once
#include <string>
#include <vector>

#include "lab/cluster/machine.hpp"
#include "lab/fields.hpp"
#include "lab/flows/scenario.hpp"

namespace weft {

/// What is run, every part as the user writes it; an empty part is the scenario's, or the
/// cluster's.
struct ScenarioSpec {
  std::string scenario{};            ///< a file, or the name of one
  std::string cluster{};             ///< the same
  std::string topology{};            ///< path or spec; otherwise the cluster's first
  std::string engine{};              ///< or a file of tables; otherwise the cluster's first
  std::string switches{};            ///< sim/switch_model.hpp
  std::string nic{};                 ///< sim/nics/nic.hpp
  std::string policy{};              ///< equal or max-min
  std::string rate_control = "yes";  ///< no: no managers, and NICs send packets in turn
};

/// The same spec parsed into types.
struct ScenarioRequest {
  ScenarioSpec spec{};  ///< with every part filled in
  Scenario scenario{};
  bool controlled = true;  ///< whether managers set rates
  MachineRequest machine{};
};

using ScenarioField = Field<ScenarioSpec, ScenarioRequest>;
/// The fields, in the order of --help.
const std::vector<ScenarioField>& scenario_fields();

/// Throws Error that names the field when one is wrong, and for a NIC that cannot distinguish
/// flows.
ScenarioRequest request_of(const ScenarioSpec& spec);

/// The command that reproduces this result.
std::string command_of(const ScenarioSpec& spec);

}  // namespace weft
