// SPDX-License-Identifier: Apache-2.0
// IntermediateDraw: draws an intermediate destination for a packet, by the rule of its choice
// tables.
#pragma once
#include <vector>

#include "sim/flit/draws.hpp"
#include "sim/flit/layout.hpp"

namespace weft::sim {

class IntermediateDraw {
 public:
  IntermediateDraw(const Fabric& fabric, const ChoiceTables& tables);

  /// The column of an intermediate destination for a packet from a switch to another, each that
  /// may be drawn equally likely; nothing: there is none.
  Index operator()(Draws& draws, Index first, Index last) const;
  /// Whether packets between two switches have no use for a detour: they stay within a region that
  /// others leave.
  bool within_region(Index first, Index last) const {
    return rule_ == IntermediateRule::elsewhere && region_[first] == region_[last];
  }

 private:
  bool may_be(Index end, Index first, Index last) const;
  void measure(const Fabric& fabric);
  std::uint32_t hops(Index a, Index b) const { return hops_[a * switches_ + b]; }

  const Fabric& fabric_;
  IntermediateRule rule_;
  std::size_t switches_;
  std::vector<Index> columns_, ends_;  ///< that have an end, and (the first one) where it is
  std::vector<Index> region_;          ///< by switch
  std::vector<std::uint16_t> hops_;    ///< by two switches
};

}  // namespace weft::sim
