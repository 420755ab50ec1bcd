// SPDX-License-Identifier: Apache-2.0
// Choice tables from InfiniBand's adaptive forwarding tables.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fabric/infiniband/adaptive_tables.hpp"

namespace weft::infiniband {

/// Tables whose entries are the groups of the switches where those adapt, and the ports of `tables`
/// elsewhere. Sub-groups are preferences. Packets of service levels that a switch does not adapt
/// take its static ports: a switch without a mask of its own (en_sl) has that of opensm.conf
/// (ar_sl_mask), otherwise all levels adapt. Where levels have different masks each has a phase,
/// and routes to further LIDs are left out. Notes say what is odd. Throws Error where switches have
/// several forwarding tables that differ, or groups name ports that they do not have.
NotedTables with_adaptive_groups(const Source& source, const Fabric& fabric, const Tables& tables,
                                 const std::vector<AdaptiveSwitch>& switches,
                                 std::optional<unsigned> level_mask);

}  // namespace weft::infiniband
