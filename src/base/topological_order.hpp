// SPDX-License-Identifier: Apache-2.0
// An incremental topological order (Pearce and Kelly, 2006): the nodes of a graph have places such
// that every edge leads to a later one, and a new edge is refused if it would close a cycle. Only
// nodes whose place lies between the two ends of a new edge are visited and moved.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

/// Nodes are numbers from 0. `Graph` has the edges: after(node, visit) and before(node, visit) call
/// `visit` with every neighbour until it returns false.
class TopologicalOrder {
 public:
  using Node = std::uint32_t;

  explicit TopologicalOrder(std::size_t nodes) : place_(nodes), seen_(nodes, 0) {
    for (Node n = 0; n < nodes; ++n) place_[n] = n;
  }

  bool precedes(Node a, Node b) const { return place_[a] < place_[b]; }
  /// Takes another order of all nodes.
  void assign(const std::vector<Node>& order) {
    for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
  }

  /// Moves nodes until `from` precedes `to`; false, and nothing has changed, if edges lead from
  /// `to` to `from`.
  template <class Graph>
  bool make_room(const Graph& graph, Node from, Node to) {
    if (from == to) return false;
    ++search_;
    if (!search_forward(graph, to, from)) return false;
    search_backward(graph, from, place_[to]);
    const auto by_place = [&](Node a, Node b) { return place_[a] < place_[b]; };
    std::sort(forward_.begin(), forward_.end(), by_place);
    std::sort(backward_.begin(), backward_.end(), by_place);
    pool_.clear();
    for (Node n : backward_) pool_.push_back(place_[n]);
    for (Node n : forward_) pool_.push_back(place_[n]);
    std::sort(pool_.begin(), pool_.end());
    std::size_t next = 0;
    for (Node n : backward_) place_[n] = pool_[next++];
    for (Node n : forward_) place_[n] = pool_[next++];
    return true;
  }

 private:
  template <class Graph>
  bool search_forward(const Graph& graph, Node from, Node goal) {
    forward_.assign(1, from);
    seen_[from] = search_;
    bool found = false;
    for (std::size_t i = 0; i < forward_.size() && !found; ++i)
      graph.after(forward_[i], [&](Node next) {
        found = next == goal;
        if (place_[next] <= place_[goal] && seen_[next] != search_) {
          seen_[next] = search_;
          forward_.push_back(next);
        }
        return !found;
      });
    return !found;
  }
  template <class Graph>
  void search_backward(const Graph& graph, Node from, std::uint32_t least) {
    backward_.assign(1, from);
    seen_[from] = search_;
    for (std::size_t i = 0; i < backward_.size(); ++i)
      graph.before(backward_[i], [&](Node before) {
        if (place_[before] >= least && seen_[before] != search_) {
          seen_[before] = search_;
          backward_.push_back(before);
        }
        return true;
      });
  }

  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t search_ = 0;
  std::vector<Node> forward_, backward_;
  std::vector<std::uint32_t> pool_;
};

}  // namespace weft
