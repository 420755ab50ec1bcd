// SPDX-License-Identifier: Apache-2.0
// The lines of weft's tables that say on which lanes packets travel: "turns" and "turn", "levels"
// and "map". weft_tables_read.cpp calls each when it has read the keyword.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "fabric/format/parsing/weft_tables_words.hpp"
#include "fabric/tables.hpp"

namespace weft::weft_tables {

/// At most one of the two; without both, everything travels on lane 0.
struct LaneRule {
  std::optional<TurnLanes> turns{};
  std::optional<ServiceLanes> service{};
  std::unordered_set<std::uint64_t> read{};  ///< switch, in-port and out-port of the lines so far
};

TurnLanes read_turns(FabricWords& words, int lane_count);
void read_turn(FabricWords& words, int lane_count, LaneRule& rule);
ServiceLanes read_levels(FabricWords& words, int lane_count);
void read_map(FabricWords& words, int lane_count, LaneRule& rule);

}  // namespace weft::weft_tables
