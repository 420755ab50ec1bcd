// SPDX-License-Identifier: Apache-2.0
// Detours of damaged fat trees, and of trees with hosts on several tops: where no route goes up and
// then down, one goes down and up again, if that closes no cycle.
#pragma once
#include "fabric/tables.hpp"

namespace weft {

/// Adds the routes to columns of hosts that are missing between hosts which links join. False if
/// one would close a cycle of dependencies; the tables are of no use then.
bool add_detours(const Fabric& fabric, Tables& tables);

}  // namespace weft
