// SPDX-License-Identifier: Apache-2.0
// The levels of the switches of a fat tree, found from the graph and from where the hosts are; for
// fat_tree.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/fabric.hpp"

namespace weft {

using TreeLevels = IdVector<SwitchId, std::uint32_t>;

/// The level of every switch; `no_level` in parts of the fabric without hosts.
std::variant<TreeLevels, Refused> tree_levels(const Fabric& fabric);

/// Which switches join leaves that no switch of a lower level joins: most of the leaves below them
/// to some other, for in a damaged tree a leaf joins a few.
IdVector<SwitchId, bool> joining_switches(const Fabric& fabric, const TreeLevels& level);

/// From which switches routes that go up and then down lead to every host that links lead to.
IdVector<SwitchId, bool> reaching_switches(const Fabric& fabric, const TreeLevels& level);

}  // namespace weft
