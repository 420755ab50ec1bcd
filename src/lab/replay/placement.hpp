// SPDX-License-Identifier: Apache-2.0
// Placement: on which host each rank runs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// How ranks are placed on hosts; `rule` is one of placement_rules(), or the path of a file with
/// the name of a host on each line, in the order of ranks. What is said of hosts and of ranks on
/// each of them holds for the file, too.
struct PlacementRequest {
  std::string rule{"by_switch"};
  std::vector<HostId> hosts{};  ///< that may be used, in this order
  int ranks_per_host = 1;
  std::uint64_t seed = 1;  ///< of "random"
};

/// by_switch fills one host after the other, those of a switch first; round_robin deals ranks to
/// switches in turn, and hosts their second ranks when all have one; random fills hosts in a random
/// order.
std::vector<std::string_view> placement_rules();

/// The hosts of so many ranks. Throws Error when there are too few, and for a wrong rule or file.
std::vector<HostId> place_ranks(const Fabric& fabric, const PlacementRequest& request,
                                std::size_t ranks);

}  // namespace weft
