// SPDX-License-Identifier: Apache-2.0
// One tree over all switches for OpenSM's multicast, which it lays along the numbers of hops in its
// LID matrix. OpenSM branches by these numbers without looking back: numbers that follow several
// routes may join two branches again, and packets would circulate. Those of a tree cannot.
#pragma once
#include <iosfwd>
#include <optional>

#include "fabric/tables.hpp"

namespace weft {

struct MulticastTree {
  IdVector<SwitchId, ChannelId> up{};  ///< from every switch towards the root; none at roots
};

/// Shortest paths to a switch; parts of the fabric that are not connected get trees of their own.
MulticastTree tree_towards(const Fabric& fabric, SwitchId root);
/// The tables with all hosts as their only group, whose packets go along the tree on one lane.
Tables with_group(Tables tables, const Fabric& fabric, const MulticastTree& tree, Lane lane);

/// A tree that can share this lane with the tables without a deadlock, of those towards the
/// switches that are most likely to give one; nullopt if none of them does.
std::optional<MulticastTree> safe_tree(const Fabric& fabric, const Tables& tables, Lane lane);

/// OpenSM's lid-matrix.dump: for every switch and the LID of every switch, the hops by each port.
/// The fabric has LIDs and GUIDs.
void write_lid_matrix(std::ostream& out, const Fabric& fabric, const MulticastTree& tree);

}  // namespace weft
