// SPDX-License-Identifier: Apache-2.0
// What still works of a column whose entries were made for other links: which switches it leads to
// its destination, and the broken entries that the others, the orphans, run into.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/column_tree.hpp"

namespace weft {

class KeptColumn {
 public:
  explicit KeptColumn(const Fabric& fabric);
  /// `next` are the entries, `to` is the switch where the column ends.
  void load(std::span<const PortNumber> next, SwitchId to);

  /// Switches with an entry that leads on; each comes before the switch it sends to.
  std::span<const SwitchId> order() const { return tree_.order(); }
  /// none: the destination, a broken entry, or the one entry of a loop where it is cut.
  ChannelId out(SwitchId s) const { return tree_.out(s); }
  /// Switches on the route to the destination; 0 for orphans.
  std::uint32_t depth(SwitchId s) const { return depth_[s]; }
  /// Switches, other than the destination, whose entry is broken or where a loop is cut.
  std::span<const SwitchId> roots() const { return roots_; }
  /// The root that the route of an orphan ends at.
  SwitchId root(SwitchId s) const { return root_[s]; }
  /// The channel that an entry names, also where a loop is cut.
  ChannelId entry(SwitchId s) const { return fabric_.channel_at(s, entries_[s.index()]); }
  bool cut(SwitchId s) const { return !out(s).valid() && s != to_ && entry(s).valid(); }

 private:
  void cut_loops();
  SwitchId place_of_cut(SwitchId on_loop) const;

  const Fabric& fabric_;
  ColumnTree tree_;
  SwitchId to_{};
  std::vector<PortNumber> entries_, open_;  ///< as loaded; without those where loops are cut
  IdVector<SwitchId, std::uint32_t> depth_;
  IdVector<SwitchId, SwitchId> root_;
  IdVector<SwitchId, std::uint8_t> seen_;
  std::vector<SwitchId> roots_;
};

}  // namespace weft
