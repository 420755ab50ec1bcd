// SPDX-License-Identifier: Apache-2.0
// IntermediateDraws: which intermediate destinations a packet may draw, by the rule of its choice
// tables. The checks, the flit simulator and texts of routes ask it.
#pragma once
#include <vector>

#include "fabric/distances.hpp"
#include "fabric/tables.hpp"

namespace weft {

class IntermediateDraws {
 public:
  IntermediateDraws(const Fabric& fabric, const ChoiceTables& choices);
  /// Of packets between these two switches only.
  IntermediateDraws(const Fabric& fabric, const ChoiceTables& choices, SwitchId from, SwitchId to);

  /// Intermediate destinations are numbered in the order of their columns.
  std::size_t count() const { return ends_.size(); }
  ColumnId column(std::size_t intermediate) const {
    return choices_.intermediates.columns[intermediate];
  }
  /// Switches of a group draw alike; groups are numbered from 0.
  std::size_t groups() const { return groups_; }
  std::size_t group(SwitchId s) const { return group_[s]; }

  /// Whether packets from switches of a group to those of another may draw it.
  bool may_draw(std::size_t from, std::size_t to, std::size_t intermediate) const;
  /// Where a packet goes that has drawn one: there, or (rule up_to_last) to its last switch.
  std::size_t settled(std::size_t from, std::size_t to, std::size_t intermediate) const;
  /// All that they may draw, settled, each equally likely: some more than once.
  std::vector<std::size_t> drawn(std::size_t from, std::size_t to) const;
  /// Whether packets between two switches have no use for a detour: they stay within a region that
  /// others leave.
  bool within_region(SwitchId from, SwitchId to) const {
    return rule_ == IntermediateRule::elsewhere && group_[from] == group_[to];
  }

 private:
  void measure(SwitchId from) { links_[from] = distances(fabric_, from); }
  bool is_between(SwitchId from, SwitchId to, SwitchId via) const;
  bool is_aligned(SwitchId from, SwitchId to, SwitchId via) const;

  const Fabric& fabric_;
  const ChoiceTables& choices_;
  IntermediateRule rule_;
  std::vector<SwitchId> ends_;  ///< the first switch where each ends, if there is one
  std::size_t groups_ = 1;
  IdVector<SwitchId, std::size_t> group_;
  /// To all switches, from those of packets (rule between).
  IdVector<SwitchId, IdVector<SwitchId, std::uint32_t>> links_;
};

}  // namespace weft
