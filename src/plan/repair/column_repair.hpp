// SPDX-License-Identifier: Apache-2.0
// Repairs one column at a time with few changed entries. The orphans behind a broken entry, its
// tree, are led out by a detour: some of them, the owner of the broken entry first, get another
// entry, and all others keep theirs. No turn of packets may close a dependency cycle; a switch
// whose packets may not turn into the detour is cut off, and led out by a detour of its own.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "plan/repair/column_routes.hpp"

namespace weft {

class ColumnRepair {
 public:
  /// Sources are switches that must reach the destinations which links join with them. All must
  /// outlive it; entries and service levels of the tables are changed.
  ColumnRepair(Tables& tables, const std::vector<bool>& sources, const PacketStates& states,
               LaneDependencies& dependencies, const Fabric& fabric);

  void load(ColumnId column, const ColumnAim& aim);
  const KeptColumn& kept() const { return kept_; }
  /// Whether sources run into broken entries.
  bool is_broken() const;
  /// Counts the turns of its packets; false when there is no lane for some.
  bool count_turns() { return routes_.count_turns(kept_); }
  /// Leads all sources to the destination; nullopt, or a source for which there is no route. The
  /// column has been loaded, and its turns have been counted.
  std::optional<SwitchId> repair();
  /// So many detours have been tried, in all columns, that only cheap ones are looked for now.
  bool is_tired() const { return effort_left_ <= 0; }

 private:
  struct DetourOption {
    /// The best first: whether entries are new, dependencies that nobody has so far, columns that
    /// moved to the first channel, length.
    std::tuple<bool, unsigned, std::uint32_t, std::uint32_t> key;
    std::vector<EntryChange> changes;
  };
  struct LevelBefore {
    std::size_t place;  ///< of a source, in the levels of the column
    std::uint8_t level;
  };
  using Offer = std::tuple<bool, std::uint32_t, SwitchId>;  ///< not by its entry, depth, root

  SwitchId source_of(SwitchId root) const;
  void find_sources_behind();
  void add_root(SwitchId s);
  void offer_neighbours(SwitchId s);
  void offer(SwitchId root, SwitchId by);
  bool accepts(SwitchId root) const;
  void take_offers();
  bool escalate();
  bool attach_one_of(const std::vector<SwitchId>& roots, std::size_t losses);
  bool is_waiting(SwitchId s) const { return is_root_[s] != 0 && needed(s); }
  bool needed(SwitchId root) const { return behind_[root] != 0 && joined_[root] != 0; }
  void find_joined();

  bool attach(SwitchId root, std::size_t changes, std::size_t losses);
  void find_tree(SwitchId root);
  void find_distances();
  void extend(SwitchId at, std::size_t left);
  void add_option(ChannelId by);
  void settle(SwitchId first);
  bool change_levels(SwitchId root);
  void dissolve_column();
  void split(SwitchId root);
  void write_entries();

  const Fabric& fabric_;
  Tables& tables_;
  const std::vector<bool>& sources_;
  KeptColumn kept_;
  ColumnRoutes routes_;
  IdVector<ChannelId, std::uint32_t> moved_;  ///< columns that moved to a channel

  // The present column.
  ColumnId column_{};
  ColumnAim aim_{};
  IdVector<SwitchId, std::uint32_t> depth_;   ///< switches on the route; 0: it does not arrive
  IdVector<SwitchId, std::uint8_t> behind_;   ///< it is a source, or sources send through it
  IdVector<SwitchId, std::uint8_t> joined_;   ///< links join it with the destination
  IdVector<SwitchId, std::uint8_t> is_root_;  ///< it has no entry yet
  std::vector<SwitchId> roots_;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers_;
  bool any_root_ = false;  ///< roots that no source needs may be attached, for others to pass
  bool dissolved_ = false;
  std::size_t waiting_ = 0;                  ///< roots that are needed
  std::uint32_t settled_ = 1;                ///< counts detours that were found
  IdVector<SwitchId, std::uint32_t> tried_;  ///< by root: settled_ when it was last tried

  // The present detour.
  std::vector<SwitchId> tree_;
  IdVector<SwitchId, std::uint8_t> in_tree_, on_detour_;
  IdVector<SwitchId, std::uint32_t> distance_;  ///< changes that lead a switch out of the tree
  std::vector<EntryChange> changes_;
  std::vector<DetourOption> options_;
  std::size_t steps_left_ = 0;               ///< of the search for options
  std::int64_t effort_left_;                 ///< for all columns, in steps
  std::span<const SwitchId> other_lanes_{};  ///< switches whose packets change their lanes
  std::size_t losses_ = 0;                   ///< that are allowed
};

}  // namespace weft
