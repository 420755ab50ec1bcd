// SPDX-License-Identifier: Apache-2.0
// What packets wait for in the switches of a model, as the check for deadlocks asks.
#pragma once
#include <string>
#include <vector>

#include "lab/cluster/network.hpp"
#include "plan/check/deadlock.hpp"
#include "sim/switch_model.hpp"

namespace weft {

WaitKind waiting_in(const sim::SwitchModel& model);
/// The same of a spec; without one, those of "iq".
WaitKind waiting_in(const std::string& spec);
/// The model with reuse=auto decided for a network: of many switches, by whether packets choose
/// among lanes.
sim::SwitchModel settled(sim::SwitchModel model, const ResolvedNetwork& network);

/// The model of a spec, decided for tables that others own.
sim::SwitchModel settled(const std::string& spec, const Fabric& fabric, const Tables& tables);

/// A sentence where the routes can deadlock in switches of a model; networks of very many switches
/// are not checked.
std::vector<std::string> warnings_about(const ResolvedNetwork& network,
                                        const sim::SwitchModel& model);

}  // namespace weft
