// SPDX-License-Identifier: Apache-2.0
// A channel has few successors, so they are lists that are searched from end to end.
#include "plan/check/graph/acyclic_dependencies.hpp"

#include <algorithm>

#include "plan/check/deadlock.hpp"

namespace weft {

AcyclicDependencies::AcyclicDependencies(const DependencyGraph& graph)
    : after_(graph.node_count()), before_(graph.node_count()), order_(graph.node_count()) {
  const std::vector<std::uint32_t> number = numbered(graph, 1).number;
  std::vector<TopologicalOrder::Node> nodes;
  for (LaneChannel n : graph.nodes()) {
    nodes.push_back(number_of(n));
    for (LaneChannel m : graph.after(n)) {
      after_[n].push_back(m);
      before_[m].push_back(n);
    }
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](auto a, auto b) { return number[a] < number[b]; });
  order_.assign(nodes);
}

bool AcyclicDependencies::contains(Edge edge) const {
  const auto& next = after_[edge.from];
  return std::find(next.begin(), next.end(), edge.to) != next.end();
}

bool AcyclicDependencies::insert(std::span<const Edge> edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (insert(edges[i])) continue;
    while (i-- > 0) {
      after_[edges[i].from].pop_back();
      before_[edges[i].to].pop_back();
    }
    return false;
  }
  return true;
}

bool AcyclicDependencies::insert(Edge edge) {
  const auto from = number_of(edge.from), to = number_of(edge.to);
  if (!order_.precedes(from, to) && !order_.make_room(*this, from, to)) return false;
  after_[edge.from].push_back(edge.to);
  before_[edge.to].push_back(edge.from);
  return true;
}

}  // namespace weft
