// SPDX-License-Identifier: Apache-2.0
// A channel has few successors, so they are lists that are searched from end to end.
#include "plan/difference/dependency_set.hpp"

#include <algorithm>

#include "plan/check/deadlock.hpp"

namespace weft {
namespace {

bool is_among(const std::vector<LaneChannel>& nodes, LaneChannel n) {
  return std::find(nodes.begin(), nodes.end(), n) != nodes.end();
}

}  // namespace

bool DependencySet::contains(DependencyGraph::Edge edge) const {
  return is_among(after_[edge.from.index()], edge.to);
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

AcyclicDependencies::AcyclicDependencies(const DependencyGraph& graph)
    : after_(graph.node_count()),
      before_(graph.node_count()),
      order_(graph.node_count(), 0),
      seen_(graph.node_count(), 0) {
  const std::vector<std::uint32_t> number = numbered(graph, 1).number;
  std::vector<LaneChannel> nodes;
  for (LaneChannel n : graph.nodes()) {
    nodes.push_back(n);
    for (LaneChannel m : graph.after(n)) {
      after_[n].push_back(m);
      before_[m].push_back(n);
    }
  }
  std::stable_sort(nodes.begin(), nodes.end(), [&](LaneChannel a, LaneChannel b) {
    return number[a.index()] < number[b.index()];
  });
  for (std::size_t i = 0; i < nodes.size(); ++i) order_[nodes[i]] = static_cast<std::uint32_t>(i);
}

bool AcyclicDependencies::contains(Edge edge) const { return is_among(after_[edge.from], edge.to); }

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

/// Only nodes whose place lies between the two ends are visited and moved.
bool AcyclicDependencies::insert(Edge edge) {
  if (edge.from == edge.to) return false;
  if (order_[edge.from] > order_[edge.to]) {
    ++search_;
    if (!search_forward(edge.to, edge.from)) return false;
    search_backward(edge.from, order_[edge.to]);
    reorder();
  }
  after_[edge.from].push_back(edge.to);
  before_[edge.to].push_back(edge.from);
  return true;
}

bool AcyclicDependencies::search_forward(LaneChannel from, LaneChannel goal) {
  forward_.assign(1, from);
  seen_[from] = search_;
  for (std::size_t i = 0; i < forward_.size(); ++i)
    for (LaneChannel next : after_[forward_[i]]) {
      if (next == goal) return false;
      if (order_[next] > order_[goal] || seen_[next] == search_) continue;
      seen_[next] = search_;
      forward_.push_back(next);
    }
  return true;
}

void AcyclicDependencies::search_backward(LaneChannel from, std::uint32_t least) {
  backward_.assign(1, from);
  seen_[from] = search_;
  for (std::size_t i = 0; i < backward_.size(); ++i)
    for (LaneChannel earlier : before_[backward_[i]]) {
      if (order_[earlier] < least || seen_[earlier] == search_) continue;
      seen_[earlier] = search_;
      backward_.push_back(earlier);
    }
}

/// All that leads to the new edge comes before all that it leads to, in the places of both.
void AcyclicDependencies::reorder() {
  const auto by_order = [&](LaneChannel a, LaneChannel b) { return order_[a] < order_[b]; };
  std::sort(forward_.begin(), forward_.end(), by_order);
  std::sort(backward_.begin(), backward_.end(), by_order);
  backward_.insert(backward_.end(), forward_.begin(), forward_.end());
  places_.clear();
  for (LaneChannel n : backward_) places_.push_back(order_[n]);
  std::sort(places_.begin(), places_.end());
  for (std::size_t i = 0; i < backward_.size(); ++i) order_[backward_[i]] = places_[i];
}

}  // namespace weft
