// SPDX-License-Identifier: Apache-2.0
// In which round each switch gets its new entry for a destination, nearest first: after all entries
// that its new route goes on to. Packets that meet a new entry then follow new ones to the end.
#pragma once
#include <vector>

#include "plan/difference/mixed_tables.hpp"

namespace weft {

class UpdateRounds {
 public:
  /// Of entries that no new route takes: packets of old ones may come there until they are gone.
  static constexpr unsigned last = ~0U;

  /// Both must outlive it.
  UpdateRounds(const Fabric& fabric, MixedTables& mixed)
      : fabric_(fabric),
        mixed_(mixed),
        known_(fabric.switch_count(), 0),
        count_(fabric.switch_count(), 0),
        is_set_(fabric.switch_count(), 0) {}

  /// For the destination that the tables are aimed at, whose entries at these switches are set.
  void load(std::vector<SwitchId> switches);
  /// From 1 on: how many entries are set from this switch on, along its new route.
  unsigned round(SwitchId s);

 private:
  bool is_known(SwitchId s) const { return known_[s] == search_; }

  const Fabric& fabric_;
  MixedTables& mixed_;
  std::uint32_t search_ = 0;
  IdVector<SwitchId, std::uint32_t> known_;  ///< the search that has counted
  IdVector<SwitchId, unsigned> count_;       ///< of entries from here on
  IdVector<SwitchId, std::uint8_t> is_set_;
  std::vector<SwitchId> switches_, route_;
};

}  // namespace weft
