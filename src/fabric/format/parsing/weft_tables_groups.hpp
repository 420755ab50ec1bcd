// SPDX-License-Identifier: Apache-2.0
// The lines of weft's tables that describe multicast groups: "group", and "up" and "out" below it.
// weft_tables_read.cpp calls each when it has read the keyword.
#pragma once
#include <cstddef>
#include <unordered_set>
#include <vector>

#include "fabric/format/parsing/weft_tables_words.hpp"
#include "fabric/tables.hpp"

namespace weft::weft_tables {

/// Without levels, the number of those of the tables is 0.
Group read_group(FabricWords& words, int lane_count, unsigned level_count);
/// Adds ports to the last of the groups.
void read_up(FabricWords& words, std::vector<Group>& groups);
/// The same; `switches` are those whose ports were added to it so far.
void read_out(FabricWords& words, std::vector<Group>& groups,
              std::unordered_set<std::size_t>& switches);

}  // namespace weft::weft_tables
