// SPDX-License-Identifier: Apache-2.0
// Choice tables made by hand, for tests that need no routing engine.
#pragma once
#include "fabric/tables.hpp"

namespace weft::test {

/// All ports on shortest paths, on one lane: on rings and tori they may deadlock.
Tables shortest_groups(const Fabric& fabric);
/// All ports on shortest paths on lane 1; or the up*/down* port on lane 0, where packets then stay
/// (Duato, 1993).
Tables with_escape(const Fabric& fabric);
/// Up*/down* to a random switch that has hosts on lane 0, then to the host on lane 1.
Tables valiant_tables(const Fabric& fabric);
/// The same, where the first switch decides by its queues whether to send a packet there, or
/// directly on lane 1.
Tables ugal_tables(const Fabric& fabric, const DetourDecision& decision);
/// The destination tables of an engine as sets of one candidate each, which differ in nothing else.
Tables as_choice_tables(const Tables& tables);

}  // namespace weft::test
