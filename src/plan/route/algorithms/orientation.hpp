// SPDX-License-Identifier: Apache-2.0
// An orientation gives every switch a rank, the root 0; a channel to a smaller rank leads up.
#pragma once
#include <cstdint>
#include <vector>

#include "base/params.hpp"
#include "fabric/distances.hpp"
#include "fabric/fabric.hpp"
#include "fabric/fat_tree.hpp"

namespace weft {

struct Orientation {
  IdVector<SwitchId, std::uint32_t> rank;  ///< all different
  bool up(const Fabric& fabric, ChannelId c) const {
    return rank[fabric.to(c)] < rank[fabric.from(c)];
  }
};

/// Ranks by (level, id) of a breadth-first search (Autonet; Schroeder et al., 1991). Components
/// without `root` start from their lowest switch.
Orientation bfs_orientation(const Fabric& fabric, SwitchId root);

/// Ranks by the order of a depth-first search that prefers switches with most links into the tree,
/// then those farthest on average, then the lowest (Sancho, Robles and Duato, 2004).
Orientation dfs_orientation(const Fabric& fabric, SwitchId root);

/// Ranks by level from the top, so that every top switch of a fat tree is a root.
Orientation tops_orientation(const Fabric& fabric, const FatTree& tree);

/// The same, but a tree in which routes up and then down do not join all hosts is ranked by the
/// distance from one of its leaves: that joins them, and a whole tree keeps its shortest routes.
Orientation tree_orientation(const Fabric& fabric, const FatTree& tree);

/// Parameters `tree` and `root` of the engines that orient the fabric.
std::vector<Param> orientation_params();
Orientation orientation_from(const Fabric& fabric, const Params& params);

}  // namespace weft
