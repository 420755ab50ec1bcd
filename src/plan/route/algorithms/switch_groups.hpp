// SPDX-License-Identifier: Apache-2.0
// SwitchGroups: a dragonfly as it is found in the graph, whoever made it: groups of switches, all
// joined to each other within a group, and every two groups joined by at least one link. Or a
// dragonfly+: the switches of a group are leaves with hosts, all joined to spines without hosts,
// which have the links to other groups.
#pragma once
#include <cstdint>
#include <optional>
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
  /// The same where it is no dragonfly+.
  static std::variant<SwitchGroups, Refused> find_with_spines(const Fabric& fabric);

  std::size_t size() const { return count_; }
  bool have_spines() const { return have_spines_; }
  /// Whether no group is twice as large as another: random graphs can have groups by chance.
  bool alike() const;
  std::uint32_t of(SwitchId s) const { return group_[s]; }
  bool is_local(const Fabric& fabric, ChannelId channel) const {
    return group_[fabric.from(channel)] == group_[fabric.to(channel)];
  }
  /// Channels from one group to another, by the switch that they leave.
  std::span<const ChannelId> between(std::uint32_t from, std::uint32_t to) const {
    return global_[from * count_ + to];
  }

 private:
  void take_global_links(const Fabric& fabric);
  std::optional<Refused> unjoined(const Fabric& fabric) const;
  std::optional<Refused> incomplete(const Fabric& fabric) const;

  bool have_spines_ = false;
  std::size_t count_ = 0;
  std::vector<SwitchId> first_;  ///< of each group
  IdVector<SwitchId, std::uint32_t> group_;
  std::vector<std::vector<ChannelId>> global_;  ///< by group and group
};

}  // namespace weft
