// SPDX-License-Identifier: Apache-2.0
// Dependencies between (channel, lane)s, collected one by one, and kept free of cycles where that
// is wanted (incremental topological order; Pearce and Kelly, 2006).
#pragma once
#include <cstdint>
#include <span>
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

/// Begins with dependencies that have no cycle.
class AcyclicDependencies {
 public:
  using Edge = DependencyGraph::Edge;
  explicit AcyclicDependencies(const DependencyGraph& graph);

  bool contains(Edge edge) const;
  /// Adds all of them, none of which it contains; false, and none is added, if that would close a
  /// cycle.
  bool insert(std::span<const Edge> edges);

 private:
  bool insert(Edge edge);
  bool search_forward(LaneChannel from, LaneChannel goal);
  void search_backward(LaneChannel from, std::uint32_t least);
  void reorder();

  IdVector<LaneChannel, std::vector<LaneChannel>> after_, before_;
  IdVector<LaneChannel, std::uint32_t> order_, seen_;
  std::uint32_t search_ = 0;
  std::vector<LaneChannel> forward_, backward_;
  std::vector<std::uint32_t> places_;
};

}  // namespace weft
