// SPDX-License-Identifier: Apache-2.0
// The routes of one column while it is repaired: which packets take them, and what turns they make.
// Entries are changed on trial; a change that would close a dependency cycle is undone.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/repair/kept_column.hpp"
#include "plan/repair/lane_dependencies.hpp"

namespace weft {

/// Where a column leads.
struct ColumnAim {
  SwitchId to{};
  std::size_t hosts = 0;  ///< that it leads to: packets between hosts take it, and may block
};

/// Another entry for a switch.
struct EntryChange {
  SwitchId at;
  ChannelId by;
};

class ColumnRoutes {
 public:
  /// All must outlive it.
  ColumnRoutes(const Fabric& fabric, const PacketStates& states, LaneDependencies& dependencies);

  void load(const KeptColumn& kept, ColumnId column, const ColumnAim& aim);
  /// Counts the turns of its packets; false when there is no lane for some.
  bool count_turns(const KeptColumn& kept);

  /// none: the destination, or a switch without an entry.
  ChannelId out(SwitchId s) const { return out_[s]; }
  /// Calls `visit` with every switch that sends to this one.
  template <class Visit>
  void for_each_child(SwitchId s, Visit visit) const {
    for (ChannelId leaving : fabric_.out(s))
      if (out_[fabric_.to(leaving)] == reverse(leaving)) visit(fabric_.to(leaving));
  }
  std::vector<SwitchId> children(SwitchId s) const;

  /// Changes the entries of a detour, from the first switch, which has none, to the last, whose new
  /// entry arrives; between two changes it follows entries. At most so many switches are cut off
  /// because their packets may not turn into it. False, and nothing has changed, if packets would
  /// close a cycle. Packets of `other_lanes` have got other service levels.
  bool apply(const std::vector<EntryChange>& changes, std::span<const SwitchId> other_lanes,
             std::size_t losses);
  /// The switches that were cut off by the last detour.
  const std::vector<SwitchId>& lost() const { return lost_; }
  /// Takes the entries of switches away.
  void cut_off(const std::vector<SwitchId>& switches);

  /// Whether the packets of a switch may go on by another entry, at least when they are alone,
  /// except for those of so many that it may lose.
  bool is_possible(const EntryChange& change, std::size_t losses);
  /// Whether packets of a switch may end a detour with a channel, at least when they are alone.
  bool is_possible_end(const EntryChange& change);
  /// About how many dependencies of a detour are new: those of packets into its first channel and
  /// out of its last.
  unsigned unused_turns(const std::vector<EntryChange>& changes) const;

 private:
  struct JournalEntry {
    enum Kind { inserted, erased, out, carried } kind;
    ChannelId in, by;
    SwitchId at;
    StateSet states;
  };

  void mark_affected(SwitchId s);
  bool gather(SwitchId s, std::size_t losses);
  bool send_on(SwitchId s);
  void set_out(SwitchId s, ChannelId by);
  void set_carried(SwitchId s, StateSet states);
  bool insert(ChannelId in, ChannelId by, StateSet states);
  void erase(ChannelId in, ChannelId by, StateSet states);
  void take_out(const std::vector<SwitchId>& switches);
  void commit();
  void roll_back();

  const Fabric& fabric_;
  const PacketStates& states_;
  LaneDependencies& dependencies_;
  ColumnId column_{};
  ColumnAim aim_{};
  IdVector<SwitchId, ChannelId> out_;
  IdVector<SwitchId, StateSet> carried_;  ///< states of packets that leave by out_
  std::vector<SwitchId> affected_, lost_;
  IdVector<SwitchId, std::uint8_t> is_affected_;
  std::vector<JournalEntry> journal_;  ///< of the present trial
};

}  // namespace weft
