// SPDX-License-Identifier: Apache-2.0
// A lower bound for the entries of a column that any working tables must change, whatever the
// dependencies: a route may follow entries that it finds for nothing, and every other step is a
// change.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "plan/repair/kept_column.hpp"

namespace weft {

class FewestChanges {
 public:
  explicit FewestChanges(const Fabric& fabric);
  /// `sources` are the switches that must reach the destination if links join them with it.
  std::uint64_t operator()(const KeptColumn& column, const std::vector<bool>& sources);

 private:
  enum class Goal { outside_own_tree, destination };
  void search(const KeptColumn& column, Goal goal);
  void count_branches(const KeptColumn& column, const std::vector<bool>& sources);
  void offer(SwitchId s, std::uint32_t changes, bool first);

  static constexpr std::uint32_t unreached = 0xFFFF'FFFF;
  const Fabric& fabric_;
  IdVector<SwitchId, std::uint32_t> changes_;   ///< of the best route found from a switch
  IdVector<SwitchId, std::uint32_t> most_;      ///< by root
  IdVector<SwitchId, std::uint32_t> branches_;  ///< by root
  IdVector<SwitchId, std::uint8_t> behind_;     ///< it is a source, or sources send through it
  std::vector<SwitchId> orphans_;               ///< sources among them
  std::deque<SwitchId> queue_;
};

}  // namespace weft
