// SPDX-License-Identifier: Apache-2.0
// The search for packets that block each other, each of which holds several lanes.
#pragma once
#include <optional>

#include "plan/check/choice/worms.hpp"

namespace weft {

/// Few packets of few lanes each; nothing: none are found with limited effort, which proves
/// nothing.
std::optional<BlockedWorms> find_blocked_worms(const WaitingStates& states);

}  // namespace weft
