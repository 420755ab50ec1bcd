// SPDX-License-Identifier: Apache-2.0
// A channel has few successors, so they are lists that are searched from end to end.
#include "plan/difference/dependency_set.hpp"

#include <algorithm>

namespace weft {

bool DependencySet::contains(DependencyGraph::Edge edge) const {
  const auto& next = after_[edge.from.index()];
  return std::find(next.begin(), next.end(), edge.to) != next.end();
}

bool DependencySet::insert(DependencyGraph::Edge edge) {
  if (contains(edge)) return false;
  after_[edge.from.index()].push_back(edge.to);
  return true;
}

/// The graph may have fewer lanes.
void DependencySet::insert(const DependencyGraph& graph) {
  for (LaneChannel n : graph.nodes())
    for (LaneChannel m : graph.after(n))
      insert({node({graph.channel(n), graph.lane(n)}), node({graph.channel(m), graph.lane(m)})});
}

DependencyGraph DependencySet::graph() const {
  std::vector<DependencyGraph::Edge> edges;
  for (std::size_t n = 0; n < after_.size(); ++n)
    for (LaneChannel m : after_[n]) edges.push_back({LaneChannel(n), m});
  return DependencyGraph(after_.size() / lanes_, static_cast<int>(lanes_), std::move(edges));
}

}  // namespace weft
