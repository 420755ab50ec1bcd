// SPDX-License-Identifier: Apache-2.0
// How packets decide between their own route and a detour (UGAL: Singh, 2005): what ugal, ugal_g
// and par have in common.
#pragma once
#include <vector>

#include "base/params.hpp"
#include "plan/route/algorithms/two_phases.hpp"

namespace weft {

/// The parameters threshold, weights and draws.
std::vector<Param> decision_params();

/// Has packets start undecided, in a phase whose columns are those to hosts, and decide by these
/// queues.
void decide_at_start(TwoPhases& phases, const Params& params, DetourDecision::Queue queue);

}  // namespace weft
