// SPDX-License-Identifier: Apache-2.0
// FatTree: the levels, pods and rails of a fabric, found from its graph alone, whatever the order
// and the names of its switches and whatever is missing. Tree routing, up*/down*, multicast and
// reports use it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/fabric.hpp"

namespace weft {

inline constexpr std::uint32_t no_level = 0xFFFF'FFFF;

/// Switches in levels, every link between neighbouring ones; nearly all hosts on level 0, the
/// leaves. A pod of height h is a part of the fabric that stays connected when only the switches of
/// levels 0 to h are left. A rail is the same seen from above: switches of one level that only
/// higher switches join, one of every pod.
class FatTree {
 public:
  /// Refused when the fabric is no tree, with the reason.
  static std::variant<FatTree, Refused> find(const Fabric& fabric);

  /// Links to a leaf below; `no_level` in parts of the fabric without hosts.
  std::uint32_t level(SwitchId s) const { return level_[s]; }
  /// How many levels there are.
  std::uint32_t levels() const { return static_cast<std::uint32_t>(pod_.size()); }
  /// All leaves by position: those of a pod side by side.
  std::span<const SwitchId> leaves() const { return leaves_; }
  /// The pod of height `height` that a switch of this or a lower level belongs to, by position.
  std::uint32_t pod(SwitchId s, std::uint32_t height) const { return pod_[height][s]; }
  /// How many pods of this height there are.
  std::uint32_t pods(std::uint32_t height) const { return pod_count_[height]; }
  /// The number of a switch inside its pod, the same for switches that are alike in other pods.
  std::uint32_t rail(SwitchId s) const { return rail_[s]; }
  /// Channels to parents by rail: the first link to each parent, then the second, and so on.
  std::span<const ChannelId> up(SwitchId s) const { return up_[s]; }
  /// Whether a switch, or one above it, joins leaves that no lower switch joins. Routes upwards
  /// to other switches lead nowhere.
  bool joins(SwitchId s) const { return joins_[s]; }
  /// Whether routes up and then down join every two hosts of the tree that a switch belongs to. In
  /// damaged trees, and with hosts on several top switches, they may not.
  bool complete(SwitchId s) const { return complete_[pod(s, levels() - 1)]; }
  /// In words, such as "3 levels: 16 leaves, 16 middle switches in 4 pods, 16 tops".
  const std::string& describe() const { return words_; }

 private:
  void find_pods(const Fabric& fabric);
  void order_leaves(const Fabric& fabric);
  void find_rails(const Fabric& fabric);
  void order_parents(const Fabric& fabric);
  void find_joins(const Fabric& fabric);
  void find_complete(const Fabric& fabric);
  void put_into_words(const Fabric& fabric);

  IdVector<SwitchId, std::uint32_t> level_;
  std::vector<IdVector<SwitchId, std::uint32_t>> pod_;  ///< by height
  std::vector<std::uint32_t> pod_count_;
  std::vector<SwitchId> leaves_;
  IdVector<SwitchId, std::uint32_t> rail_;
  IdVector<SwitchId, std::vector<ChannelId>> up_;
  IdVector<SwitchId, bool> joins_;
  std::vector<bool> complete_;  ///< by tree
  std::string words_;
};

}  // namespace weft
