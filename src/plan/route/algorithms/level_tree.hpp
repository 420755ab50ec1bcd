// SPDX-License-Identifier: Apache-2.0
// Fat trees: their levels, and the routes up and then down to one leaf.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/distances.hpp"
#include "fabric/tables.hpp"

namespace weft {

inline constexpr std::uint32_t no_level = 0xFFFF'FFFF;

/// The fabric as levels of switches, those with hosts at level 0.
class LevelTree {
 public:
  static std::variant<LevelTree, Refused> find(const Fabric& fabric);

  std::uint32_t level(SwitchId s) const { return level_[s]; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(divisor_.size()); }
  /// Ports to parents: the first link to each parent, then the second, and so on.
  std::span<const ChannelId> up(SwitchId s) const { return up_[s]; }
  /// What the destination's number is divided by before it chooses a parent at this level.
  std::uint64_t divisor(std::uint32_t level) const { return divisor_[level]; }

 private:
  std::optional<Refused> rank(const Fabric& fabric);
  void order_parents(const Fabric& fabric);

  IdVector<SwitchId, std::uint32_t> level_;
  IdVector<SwitchId, std::vector<ChannelId>> up_;
  std::vector<std::uint64_t> divisor_;
};

/// The ports with which each switch may go on towards the hosts of one leaf, on a shortest route up
/// and then down.
class LeafChoices {
 public:
  LeafChoices(const Fabric& fabric, const LevelTree& tree);

  void aim(SwitchId leaf);
  /// None where no route leads up and then down.
  const std::vector<PortNumber>& ports(SwitchId s) const { return ports_[s]; }
  /// Links to the leaf; `unreachable` where there is no route.
  std::uint32_t length(SwitchId s) const { return length_[s]; }
  /// Why no table can be made: a leaf from which the present one is not reached, though links join
  /// them.
  std::optional<Refused> cut_off(SwitchId leaf) const;

 private:
  void add_ports_up(SwitchId s);

  const Fabric& fabric_;
  const LevelTree& tree_;
  IdVector<SwitchId, std::uint32_t> component_;
  std::vector<SwitchId> top_down_;
  IdVector<SwitchId, std::vector<PortNumber>> ports_;
  IdVector<SwitchId, std::uint32_t> length_;
};

}  // namespace weft
