// SPDX-License-Identifier: Apache-2.0
// Prefix routing (Wu and Sheng, 1999): switches are labelled along a spanning tree; a packet takes
// the neighbour with the longest label that is a prefix of the destination's, else its parent. The
// published text was not at hand: this reading reproduces Topology A of RHiNET-2, not its mesh.
#include <algorithm>

#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// A breadth-first tree numbered by a tour, so that "v is an ancestor of t" is a range test.
struct LabelTree {
  IdVector<SwitchId, ChannelId> up;  ///< to the parent; none at a root
  IdVector<SwitchId, std::uint32_t> depth, enter, leave;

  bool is_ancestor(SwitchId v, SwitchId t) const {
    return enter[v] <= enter[t] && enter[t] < leave[v];
  }
};

/// Channels of a switch by (neighbour, port).
std::vector<ChannelId> by_neighbour(const Fabric& fabric, SwitchId s) {
  std::vector<ChannelId> out(fabric.out(s).begin(), fabric.out(s).end());
  std::stable_sort(out.begin(), out.end(),
                   [&](ChannelId a, ChannelId b) { return fabric.to(a) < fabric.to(b); });
  return out;
}

LabelTree label_tree(const Fabric& fabric, bool highest_parent) {
  const std::size_t n = fabric.switch_count();
  LabelTree tree{IdVector<SwitchId, ChannelId>(n),
                 IdVector<SwitchId, std::uint32_t>(n, unreachable),
                 IdVector<SwitchId, std::uint32_t>(n, 0), IdVector<SwitchId, std::uint32_t>(n, 0)};
  IdVector<SwitchId, std::vector<SwitchId>> children(n);
  std::vector<SwitchId> roots;
  for (SwitchId root : fabric.switches()) {
    if (tree.depth[root] != unreachable) continue;
    roots.push_back(root);
    const auto distance = distances(fabric, root);
    for (SwitchId s : fabric.switches()) {
      if (distance[s] == unreachable) continue;
      tree.depth[s] = distance[s];
      for (ChannelId c : by_neighbour(fabric, s))
        if (s != root && distance[fabric.to(c)] + 1 == distance[s] &&
            (!tree.up[s].valid() || (highest_parent && fabric.to(c) != fabric.to(tree.up[s]))))
          tree.up[s] = c;
      if (s != root) children[fabric.to(tree.up[s])].push_back(s);
    }
  }
  std::uint32_t clock = 0;
  for (SwitchId root : roots) {
    std::vector<std::pair<SwitchId, std::size_t>> stack{{root, 0}};
    tree.enter[root] = clock++;
    while (!stack.empty()) {
      auto& [at, child] = stack.back();
      if (child == children[at].size()) {
        tree.leave[at] = clock;
        stack.pop_back();
        continue;
      }
      const SwitchId next = children[at][child++];
      tree.enter[next] = clock++;
      stack.emplace_back(next, 0);
    }
  }
  return tree;
}

}  // namespace

Routed prefix(const Fabric& fabric, const Params& params) {
  const LabelTree tree = label_tree(fabric, params.is("parent", "high"));
  Tables tables = empty_tables(fabric, false);
  auto& next = std::get<DestinationTables>(tables.paths);
  std::vector<SwitchId> to;
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty()) to.push_back(s);
  for (SwitchId at : fabric.switches()) {
    // The neighbours with labels of their own, longest label first.
    std::vector<ChannelId> labelled;
    for (ChannelId c : by_neighbour(fabric, at))
      if (!tree.is_ancestor(fabric.to(c), at)) labelled.push_back(c);
    std::stable_sort(labelled.begin(), labelled.end(), [&](ChannelId a, ChannelId b) {
      return tree.depth[fabric.to(a)] > tree.depth[fabric.to(b)];
    });
    for (std::size_t column = 0; column < to.size(); ++column) {
      PortNumber& entry = next[ColumnId(column)][at.index()];
      const auto match = std::find_if(labelled.begin(), labelled.end(), [&](ChannelId c) {
        return tree.is_ancestor(fabric.to(c), to[column]);
      });
      if (at == to[column])
        entry = here;
      else if (match != labelled.end())
        entry = fabric.out_port(*match);
      else if (tree.up[at].valid())
        entry = fabric.out_port(tree.up[at]);
    }
  }
  // Packets for another component would go up to the root: they get no route.
  for (std::size_t column = 0; column < to.size(); ++column) {
    const auto distance = distances(fabric, to[column]);
    for (SwitchId s : fabric.switches())
      if (distance[s] == unreachable) next[ColumnId(column)][s.index()] = no_port;
  }
  return tables;
}

}  // namespace weft
