// SPDX-License-Identifier: Apache-2.0
// Counterexamples that can be read: of all that packets may block, a set that is small and whole.
#pragma once
#include <vector>

#include "plan/check/choice/elimination.hpp"
#include "plan/check/choice/worms.hpp"

namespace weft {

/// Some of the lanes that an elimination has left over, a state in each: all candidates of these
/// are lanes of the set. None can be left out, nor can any choice of states in the others do
/// without it, unless that takes too long to find out. Each is followed, where that is possible, by
/// one whose lane it waits for.
std::vector<WaitingStates::StateId> small_blocked_set(const WaitingStates& states,
                                                      const Elimination& found);

/// Without packets that the others do not need, and without last lanes that nobody waits for.
BlockedWorms trimmed(const WaitingStates& states, BlockedWorms blocked);

}  // namespace weft
