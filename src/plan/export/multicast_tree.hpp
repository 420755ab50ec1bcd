// SPDX-License-Identifier: Apache-2.0
// One tree over all switches for multicast: a group takes the part of it that joins its members, so
// what is proven for all hosts holds for every group. Stock OpenSM lays its trees along the numbers
// of hops in its LID matrix, without looking back: numbers that follow several routes may join two
// branches again, and packets would circulate. Those of a tree cannot.
#pragma once
#include <iosfwd>
#include <optional>
#include <span>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

struct MulticastTree {
  IdVector<SwitchId, ChannelId> up{};  ///< from every switch towards the root; none at roots
};

/// Shortest paths to a switch; parts of the fabric that are not connected get trees of their own.
MulticastTree tree_towards(const Fabric& fabric, SwitchId root);

/// In how many trees the marked switches are.
std::size_t tree_count(const Fabric& fabric, const MulticastTree& tree,
                       const IdVector<SwitchId, bool>& marked);
/// Whether it joins all switches with hosts that links join.
bool joins_all(const Fabric& fabric, const MulticastTree& tree);

/// The part of the tree between the switches that are marked: its channels at each switch.
IdVector<SwitchId, std::vector<ChannelId>> branches_between(const Fabric& fabric,
                                                            const MulticastTree& tree,
                                                            const IdVector<SwitchId, bool>& marked);
/// The group of these hosts along the tree.
Group group_along(const Fabric& fabric, const MulticastTree& tree, std::vector<HostId> members);

/// By what packets of a group choose their lane: none, it is always the same, or their level.
struct GroupLane {
  Lane lane = 0;
  std::optional<std::uint8_t> level{};
};
/// The tables with all hosts as their only groups, whose packets go along the tree, one for each of
/// these ways to choose lanes.
Tables with_groups(Tables tables, const Fabric& fabric, const MulticastTree& tree,
                   std::span<const GroupLane> lanes);

/// A tree whose groups cannot deadlock with the tables, of those towards the switches that are most
/// likely to give one; nullopt if none of them does.
std::optional<MulticastTree> safe_tree(const Fabric& fabric, const Tables& tables,
                                       std::span<const GroupLane> lanes);

/// OpenSM's lid-matrix.dump: for every switch and the LID of every switch, the hops by each port.
/// The fabric has LIDs and GUIDs.
void write_lid_matrix(std::ostream& out, const Fabric& fabric, const MulticastTree& tree);

}  // namespace weft
