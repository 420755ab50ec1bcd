// SPDX-License-Identifier: Apache-2.0
// Switches of InfiniBand answer to management, by their own entries.
#pragma once
#include "fabric/tables.hpp"

namespace weft {

/// Destination tables in which switches without hosts, which engines may leave out of the routes to
/// some of them, have entries all the same. No packet of a host comes by these: no entry that was
/// there leads to such a switch.
Tables with_answering_switches(const Fabric& fabric, Tables tables);

}  // namespace weft
