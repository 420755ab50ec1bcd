// SPDX-License-Identifier: Apache-2.0
// Dependencies between (channel, lane)s that are kept free of cycles while more are added.
#pragma once
#include <span>
#include <vector>

#include "base/topological_order.hpp"
#include "plan/check/graph/dependencies.hpp"

namespace weft {

class AcyclicDependencies {
 public:
  using Edge = DependencyGraph::Edge;
  /// The graph has no cycle.
  explicit AcyclicDependencies(const DependencyGraph& graph);

  bool contains(Edge edge) const;
  /// Adds all of them, none of which it contains; false, and none is added, if that would close a
  /// cycle.
  bool insert(std::span<const Edge> edges);

  /// The graph, as TopologicalOrder asks for it.
  template <class Visit>
  void after(TopologicalOrder::Node node, Visit visit) const {
    for (LaneChannel next : after_[LaneChannel(node)])
      if (!visit(number_of(next))) return;
  }
  template <class Visit>
  void before(TopologicalOrder::Node node, Visit visit) const {
    for (LaneChannel earlier : before_[LaneChannel(node)])
      if (!visit(number_of(earlier))) return;
  }

 private:
  static TopologicalOrder::Node number_of(LaneChannel n) {
    return static_cast<TopologicalOrder::Node>(n.index());
  }
  bool insert(Edge edge);

  IdVector<LaneChannel, std::vector<LaneChannel>> after_, before_;
  TopologicalOrder order_;
};

}  // namespace weft
