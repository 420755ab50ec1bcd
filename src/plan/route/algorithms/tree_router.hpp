// SPDX-License-Identifier: Apache-2.0
// Routes of fat trees, whole or damaged: one host after the other gets a way down from the tops
// over the links that fewest others use, and all switches aim at it.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/distances.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/tables.hpp"
#include "plan/route/algorithms/columns.hpp"

namespace weft {

/// A destination's trunk is one chain of switches from its own up to a top switch. A switch that is
/// not above the destination goes up to the nearest switch of the trunk if it can, and otherwise to
/// the least loaded of the nearest switches above the destination. All routes go up and then down
/// in the orientation of the tree, hence need one lane.
///
/// Routes that share a link should share all that they can: they get no less by it, and others stay
/// free of them. So equally loaded links are chosen by how many hosts a trunk newly meets on them;
/// of several links to the same parent, those that go on by one link take one; and hosts left over
/// when all links of their switch have equally many take the same rail wherever they are.
class TreeRouter {
 public:
  TreeRouter(const Fabric& fabric, const FatTree& tree, Orientation orientation);

  /// Makes the column of a host. Among equally loaded links the digits of `number` choose: on a
  /// whole tree that is destination mod k. Counts the column.
  void route(HostId to, std::uint64_t number, std::span<PortNumber> column);

 private:
  /// A channel from a child to a switch, as the switch sees it; those of a child lie side by side.
  struct FromChild {
    SwitchId child;
    ChannelId channel;
    std::uint32_t links;  ///< how many the child has to this switch
  };

  using TrunkCost = std::array<std::uint64_t, 4>;

  void order_links();
  void aim(SwitchId to);
  void find_ancestors();
  void find_lengths();
  void fill_usual();
  TrunkCost trunk_cost(ChannelId up) const;
  void choose_trunk(std::uint64_t number);
  void count_trunk(SwitchId s);
  void descend(std::uint64_t number);
  void climb_to_trunk(std::uint64_t number);
  void climb_elsewhere();
  void mark_needed();
  void add_flow(const std::vector<SwitchId>& from);

  bool leads_on(SwitchId from, SwitchId to) const {
    return tree_.level(to) < tree_.level(from) || tree_.joins(to);
  }
  /// Whether fewer links lead up from a switch than to it from below.
  bool narrows(SwitchId s) const { return !up_[s].empty() && up_[s].size() < children_[s].size(); }
  std::size_t first_choice(SwitchId s, std::uint64_t number, std::size_t choices) const {
    return number / divisor_[tree_.level(s)] % choices;
  }
  bool shortest(SwitchId s, ChannelId c) const {
    const std::uint32_t next = length_[fabric_.to(c)];
    return next != unreachable && next + 1 == length_[s];
  }
  std::uint64_t route_load(SwitchId s) const;
  ChannelId least_loaded_up(SwitchId s) const;

  const Fabric& fabric_;
  const FatTree& tree_;
  Orientation orientation_;
  std::vector<SwitchId> by_rank_;  ///< roots first
  IdVector<SwitchId, std::vector<ChannelId>> up_;
  IdVector<SwitchId, std::vector<FromChild>> children_;
  /// Of a channel up: its place among all of its switch; of one down: among those to the same
  /// child.
  IdVector<ChannelId, std::uint32_t> place_;
  std::vector<std::uint64_t> divisor_;  ///< by level
  IdVector<SwitchId, std::uint64_t> hosts_;
  Loads loads_;
  IdVector<ChannelId, std::vector<HostId>> trunks_;      ///< hosts whose trunk comes down here
  std::vector<std::vector<std::uint64_t>> rail_trunks_;  ///< by level and rail

  // Towards one switch.
  SwitchId to_{};
  IdVector<SwitchId, std::uint32_t> length_;
  IdVector<SwitchId, char> above_;  ///< whether the destination is below
  std::vector<SwitchId> ancestors_;
  IdVector<SwitchId, std::vector<ChannelId>> down_;  ///< the choices of an ancestor
  std::vector<SwitchId> by_length_;                  ///< without the destination's own
  std::vector<PortNumber> usual_;
  std::uint64_t sources_ = 0;

  // Towards one host.
  HostId host_{};
  IdVector<HostId, HostId> met_by_;  ///< the last whose trunk has a link of this host's
  std::vector<SwitchId> aimed_;      ///< on the trunk, or going up to it
  IdVector<SwitchId, char> is_aimed_;
  IdVector<SwitchId, char> needed_;  ///< routes of others come through here
  IdVector<SwitchId, ChannelId> next_;
  IdVector<SwitchId, std::uint64_t> flow_;
};

}  // namespace weft
