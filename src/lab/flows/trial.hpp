// SPDX-License-Identifier: Apache-2.0
// Whether flows can use the promises that they ask for: each is tried before the managers are
// asked.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lab/flows/flows.hpp"

namespace weft {

/// Runs the flows of a trial.
using TrialRunner = std::function<FlowsFound(const FlowsPlan& trial)>;

/// By flow: why it cannot use the promise that it asks for, and how much it could. Nothing if it
/// can, or asks for none. Flows that are alike are tried once.
std::vector<std::string> inabilities(const Machine& machine, const FlowsPlan& plan,
                                     const TrialRunner& run);

}  // namespace weft
