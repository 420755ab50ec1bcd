// SPDX-License-Identifier: Apache-2.0
// Dependencies between (channel, lane)s, collected one by one.
#pragma once
#include <vector>

#include "fabric/walk.hpp"
#include "plan/check/graph/dependencies.hpp"

namespace weft {

class DependencySet {
 public:
  DependencySet(std::size_t channels, std::size_t lanes)
      : lanes_(lanes), after_(channels * lanes) {}

  LaneChannel node(Hop hop) const { return LaneChannel(hop.channel.index() * lanes_ + hop.lane); }
  Hop hop(LaneChannel n) const {
    return {ChannelId(n.index() / lanes_), static_cast<Lane>(n.index() % lanes_)};
  }
  /// Whether it was not there before.
  bool insert(DependencyGraph::Edge edge);
  void insert(const DependencyGraph& graph);
  bool contains(DependencyGraph::Edge edge) const;
  const std::vector<std::vector<LaneChannel>>& after() const { return after_; }
  DependencyGraph graph() const;

 private:
  std::size_t lanes_;
  std::vector<std::vector<LaneChannel>> after_;
};

}  // namespace weft
