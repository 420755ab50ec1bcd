// SPDX-License-Identifier: Apache-2.0
// Lanes of tables as stock OpenSM can set them: a service level for every pair of ports, and one
// lane for every level, the same at all switches.
#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/tables.hpp"

namespace weft {

/// Data lanes (VLs) that adapters and switches have; the standard would allow 15.
inline constexpr int usual_lanes = 8;
inline constexpr int most_service_levels = 16;

struct PairLevels {
  std::vector<std::vector<std::uint8_t>> rows{};  ///< unlike ones, by source
  IdVector<HostId, std::size_t> row_to{};         ///< by destination
  bool by_host = false;                           ///< sources are hosts, not switches
  std::vector<Lane> lane_of{};                    ///< by level
  std::size_t source(const Fabric& fabric, HostId from) const {
    return by_host ? from.index() : fabric[from].on.index();
  }
  std::uint8_t level(const Fabric& fabric, HostId from, HostId to) const {
    return rows[row_to[to]][source(fabric, from)];
  }
  /// Whether there is a choice: otherwise OpenSM needs no policy.
  bool several() const { return lane_of.size() > 1; }
};

/// Refused where lanes depend on anything else, or there are too many.
std::variant<PairLevels, Refused> pair_levels(const Fabric& fabric, const Tables& tables);

}  // namespace weft
