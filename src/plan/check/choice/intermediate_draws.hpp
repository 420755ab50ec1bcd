// SPDX-License-Identifier: Apache-2.0
// Which intermediate destinations a packet may draw, by the rule of its tables.
#pragma once
#include <vector>

#include "fabric/distances.hpp"
#include "fabric/tables.hpp"

namespace weft {

class IntermediateDraws {
 public:
  IntermediateDraws(const Fabric& fabric, const ChoiceTables& choices);

  std::size_t count() const { return via_.size(); }
  /// Switches of a group draw alike; groups are numbered from 0.
  std::size_t groups() const { return groups_; }
  std::size_t group(SwitchId s) const { return group_[s]; }
  /// Whether packets from switches of a group to those of another may draw an intermediate
  /// destination, by its number.
  bool may_draw(std::size_t from, std::size_t to, std::size_t intermediate) const;
  /// All that they may draw.
  std::vector<std::size_t> drawn(std::size_t from, std::size_t to) const;

 private:
  bool is_between(std::size_t from, std::size_t to, std::size_t via) const;
  bool is_aligned(SwitchId from, SwitchId to, SwitchId via) const;

  const Fabric& fabric_;
  IntermediateRule rule_;
  std::vector<SwitchId> via_;  ///< a switch of each intermediate destination
  std::size_t groups_ = 1;
  IdVector<SwitchId, std::size_t> group_;
  std::vector<IdVector<SwitchId, std::uint32_t>> links_;  ///< between switches, where they count
};

}  // namespace weft
