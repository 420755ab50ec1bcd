// SPDX-License-Identifier: Apache-2.0
// SwitchGroups: a dragonfly as it is found in the graph, whoever made it: groups of switches, all
// joined to each other within a group, and every two groups joined by at least one link.
#pragma once
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/fabric.hpp"

namespace weft {

class SwitchGroups {
 public:
  /// Refused, with what is missing, where a fabric is no dragonfly.
  static std::variant<SwitchGroups, Refused> find(const Fabric& fabric);

  std::size_t size() const { return count_; }
  std::uint32_t of(SwitchId s) const { return group_[s]; }
  bool is_local(const Fabric& fabric, ChannelId channel) const {
    return group_[fabric.from(channel)] == group_[fabric.to(channel)];
  }
  /// Channels from one group to another, by the switch that they leave.
  std::span<const ChannelId> between(std::uint32_t from, std::uint32_t to) const {
    return global_[from * count_ + to];
  }

 private:
  std::size_t count_ = 0;
  IdVector<SwitchId, std::uint32_t> group_;
  std::vector<std::vector<ChannelId>> global_;  ///< by group and group
};

}  // namespace weft
