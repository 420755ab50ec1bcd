// SPDX-License-Identifier: Apache-2.0
// A destination column as a tree.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// One destination column as an in-tree: every switch with its out-channel, far before near.
/// Switches of a routing loop are left out of the order.
class ColumnTree {
 public:
  explicit ColumnTree(const Fabric& fabric);
  void load(std::span<const PortNumber> next);

  /// Switches with an out-channel; each comes before the switch it sends to.
  std::span<const SwitchId> order() const { return order_; }
  /// none: the switch delivers, has no entry, or its port leads to a host or nowhere.
  ChannelId out(SwitchId s) const { return out_[s]; }
  SwitchId next(SwitchId s) const { return fabric_.to(out_[s]); }

 private:
  const Fabric& fabric_;
  IdVector<SwitchId, ChannelId> out_;
  IdVector<SwitchId, std::uint32_t> waiting_;
  std::vector<SwitchId> order_;
};

}  // namespace weft
