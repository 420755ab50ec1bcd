// SPDX-License-Identifier: Apache-2.0
// The ports of shortest routes up and then down to one leaf of a fat tree, for nca.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "fabric/distances.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/tables.hpp"

namespace weft {

/// The ports with which each switch may go on towards the hosts of one leaf, on a shortest route up
/// and then down.
class LeafChoices {
 public:
  LeafChoices(const Fabric& fabric, const FatTree& tree);

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
  const FatTree& tree_;
  IdVector<SwitchId, std::uint32_t> component_;
  std::vector<SwitchId> top_down_;
  IdVector<SwitchId, std::vector<PortNumber>> ports_;
  IdVector<SwitchId, std::uint32_t> length_;
};

}  // namespace weft
