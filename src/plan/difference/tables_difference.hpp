// SPDX-License-Identifier: Apache-2.0
// The differences of two tables of one fabric: entries, routes, loads, and the change from one to
// the other.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/check/survey.hpp"
#include "plan/difference/update_order.hpp"

namespace weft {

struct TablesDifference {
  std::uint64_t entries = 0;  ///< of each of the tables: switches times destinations
  std::uint64_t changed_entries = 0;
  IdVector<SwitchId, std::uint64_t> by_switch;     ///< changed entries of each switch
  IdVector<HostId, std::uint64_t> by_destination;  ///< changed entries towards each host
  /// Ordered pairs of computers whose routes take other ports, to first LIDs and to further ones.
  std::uint64_t changed_pairs = 0, changed_further = 0;
  Survey before, after;  ///< of routes between computers
  UpdateVerdict transition;
};

/// Tables that share columns among hosts count them once for each host.
TablesDifference compare_tables(const Fabric& fabric, const Tables& before, const Tables& after);

/// An entry that differs; in source routes, the route from a switch.
struct ChangedEntry {
  SwitchId at;
  HostId to;
  /// Ports, the alternatives of each; {{no_port}}: there is no entry.
  std::vector<std::vector<PortNumber>> before, after;
};

/// The first ones, by destination (its first LID) and then switch; `most` of them.
std::vector<ChangedEntry> changed_entries(const Fabric& fabric, const Tables& before,
                                          const Tables& after, std::size_t most);

}  // namespace weft
