// SPDX-License-Identifier: Apache-2.0
// Routes of choice tables in words, and the intermediate destinations that a packet may draw.
#pragma once
#include <string>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// The intermediate destinations that packets from one switch to another may draw.
std::vector<ColumnId> drawn_intermediates(const Fabric& fabric, const ChoiceTables& choices,
                                          SwitchId from, SwitchId to);

/// All routes of a pair in one line, as "h0 -> s0:3|4 lane 0 -> s4, s6:1 lane 1 -> s1:2 -> h3", or
/// one that does not arrive; then those by intermediate destinations, of which the first is an
/// example.
std::string choice_route_text(const Fabric& fabric, const Tables& tables, HostId from, HostId to);

}  // namespace weft
