// SPDX-License-Identifier: Apache-2.0
// Lanes of tables as InfiniBand has them: a service level for every pair of ports, and by it a lane
// at every turn of a switch. Stock OpenSM sets the same lanes at all switches; its plugin sets all.
#pragma once
#include <cstdint>
#include <optional>
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
  std::vector<std::size_t> row_to_further{};      ///< by the tables' column to a further LID
  bool by_host = false;                           ///< sources are hosts, not switches
  unsigned count = 1;                             ///< levels are below this number
  std::size_t source(const Fabric& fabric, HostId from) const {
    return by_host ? from.index() : fabric[from].on.index();
  }
  std::uint8_t level(const Fabric& fabric, HostId from, HostId to) const {
    return rows[row_to[to]][source(fabric, from)];
  }
};

/// Refused where lanes depend on anything else, or there are too many.
std::variant<PairLevels, Refused> pair_levels(const Fabric& fabric, const Tables& tables);

/// The lane of a level at all turns towards switches; nullopt where they differ.
std::optional<Lane> uniform_lane(const Fabric& fabric, const Tables& tables, unsigned level);
/// The lanes by level, where all turns of all switches have the same; refused otherwise, and where
/// the levels to the LIDs of one host differ: stock OpenSM cannot set these.
std::variant<std::vector<Lane>, Refused> lanes_of_levels(const Fabric& fabric, const Tables& tables,
                                                         const PairLevels& levels);

}  // namespace weft
