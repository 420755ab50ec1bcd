// SPDX-License-Identifier: Apache-2.0
// OpenSM's QoS policy: the service level of every pair.
#pragma once
#include <iosfwd>

#include "plan/export/opensm_levels.hpp"

namespace weft {

/// Groups of ports and rules between them: sources with the same levels to all are one group, and
/// so are destinations with the same levels from all. Pairs of level 0 need no rule.
void write_policy(std::ostream& out, const Fabric& fabric, const PairLevels& levels);

}  // namespace weft
