// SPDX-License-Identifier: Apache-2.0
// Tables that keep as much as they can of others which were made when the fabric had other links,
// switches or hosts: for a subnet that carries traffic while its tables change. Unlike TableRepair,
// which looks for shortest detours and tries many failures, it changes few entries, serves all
// forms of lanes, and takes any difference between the fabric then and now.
#pragma once
#include <cstdint>
#include <variant>

#include "base/error.hpp"
#include "fabric/tables.hpp"

namespace weft {

struct StickyTables {
  Tables tables;              ///< free of deadlock; every pair of hosts that links join is reached
  std::uint64_t entries = 0;  ///< of all switches, one for each LID that has a column
  std::uint64_t changed = 0;  ///< entries that differ from those before
  std::uint64_t fewest = 0;   ///< that any tables must change, a proven lower bound
  /// Ordered pairs of hosts, by each LID, that have another service level; new hosts do not count.
  std::uint64_t changed_levels = 0;
};

/// `before` is in the ids of `fabric`, as tables_without() and rematch() give it; its entries may
/// lead nowhere, or in loops, and hosts and switches may have no column. Where it has columns to
/// switches, these are to reach, and to be reached by, everybody, too, by packets that block
/// nobody. Refused where routes that work can deadlock already, and where none is found that leads
/// on without closing a cycle: then a routing engine has to begin anew.
std::variant<StickyTables, Refused> sticky_tables(const Fabric& fabric, const Tables& before);

}  // namespace weft
