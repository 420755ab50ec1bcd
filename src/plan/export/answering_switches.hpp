// SPDX-License-Identifier: Apache-2.0
// Switches of InfiniBand answer to management, by their own entries.
#pragma once
#include "fabric/tables.hpp"

namespace weft {

/// Destination tables in which all switches have entries that lead to all hosts, as far as cables
/// do, though engines may leave some out of all routes of hosts to a host. Only these get entries:
/// no packet of a host comes to them. Their own packets are few, and count for nobody as ones that
/// others wait for.
Tables with_answering_switches(const Fabric& fabric, Tables tables);

}  // namespace weft
