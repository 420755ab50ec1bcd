// SPDX-License-Identifier: Apache-2.0
// Orientations and the choice of their root.
#include "plan/route/algorithms/orientation.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "fabric/names.hpp"
#include "plan/route/algorithms/columns.hpp"

namespace weft {
namespace {

constexpr std::uint32_t unranked = 0xFFFF'FFFF;

std::uint64_t total(const IdVector<SwitchId, std::uint32_t>& distance) {
  std::uint64_t sum = 0;
  for (std::uint32_t d : distance) sum += d == unreachable ? 0 : d;
  return sum;
}

std::vector<std::uint64_t> total_distances(const Fabric& fabric) {
  std::vector<std::uint64_t> sums;
  for (SwitchId s : fabric.switches()) sums.push_back(total(distances(fabric, s)));
  return sums;
}

/// The given root first, then every switch that no earlier root reaches.
template <class Search>
void from_every_component(const Fabric& fabric, SwitchId root, Orientation& out, Search search) {
  search(root);
  for (SwitchId s : fabric.switches())
    if (out.rank[s] == unranked) search(s);
}

SwitchId best_by(const Fabric& fabric, const std::function<std::uint64_t(SwitchId)>& cost) {
  SwitchId best(0);
  std::uint64_t least = ~std::uint64_t{0};
  for (SwitchId s : fabric.switches()) {
    const std::uint64_t own = cost(s);
    if (own >= least) continue;
    least = own;
    best = s;
  }
  return best;
}

SwitchId central_switch(const Fabric& fabric) {
  return best_by(fabric, [&](SwitchId s) {
    const auto distance = distances(fabric, s);
    std::uint64_t farthest = 0;
    for (std::uint32_t d : distance)
      if (d != unreachable) farthest = std::max<std::uint64_t>(farthest, d);
    return farthest << 40 | total(distance);
  });
}

/// The root whose shortest legal paths are shortest in total, all of them tried.
SwitchId best_root(const Fabric& fabric, const Params& params,
                   const std::function<Orientation(SwitchId)>& orient) {
  constexpr std::size_t most = 512;
  if (fabric.switch_count() > most)
    params.reject("root", fmt::format("best tries every switch, for up to {} of them; this fabric "
                                      "has {}: name a switch, or use first, central or far",
                                      most, fabric.switch_count()));
  return best_by(fabric, [&](SwitchId root) {
    const Orientation orientation = orient(root);
    ColumnEngine columns(fabric, &orientation, 1);
    std::uint64_t sum = 0;
    for (SwitchId to : fabric.switches()) {
      columns.label(to);
      sum += columns.total_length();
    }
    return sum;
  });
}

using Depths = IdVector<SwitchId, std::uint32_t>;

Depths depths_below_tops(const Fabric& fabric, const FatTree& tree) {
  Depths depth(fabric.switch_count(), unranked);
  for (SwitchId s : fabric.switches())
    if (tree.level(s) != no_level) depth[s] = tree.levels() - tree.level(s);
  return depth;
}

Orientation ranked_by(const Depths& depth) {
  std::vector<SwitchId> order;
  for (SwitchId s : depth.ids()) order.push_back(s);
  std::stable_sort(order.begin(), order.end(),
                   [&](SwitchId a, SwitchId b) { return depth[a] < depth[b]; });
  Orientation out{IdVector<SwitchId, std::uint32_t>(depth.size(), unranked)};
  std::uint32_t rank = 0;
  for (SwitchId s : order) out.rank[s] = rank++;
  return out;
}

/// The first leaf with most links of every tree that is not complete.
std::vector<SwitchId> leaves_as_roots(const FatTree& tree) {
  std::map<std::uint32_t, SwitchId> best;
  for (SwitchId leaf : tree.leaves()) {
    if (tree.complete(leaf)) continue;
    const auto [found, fresh] = best.try_emplace(tree.pod(leaf, tree.levels() - 1), leaf);
    if (!fresh && tree.up(leaf).size() > tree.up(found->second).size()) found->second = leaf;
  }
  std::vector<SwitchId> roots;
  for (const auto& [number, leaf] : best) roots.push_back(leaf);
  return roots;
}

}  // namespace

Orientation tops_orientation(const Fabric& fabric, const FatTree& tree) {
  return ranked_by(depths_below_tops(fabric, tree));
}

Orientation tree_orientation(const Fabric& fabric, const FatTree& tree) {
  Depths depth = depths_below_tops(fabric, tree);
  for (SwitchId root : leaves_as_roots(tree)) {
    const auto distance = distances(fabric, root);
    for (SwitchId s : fabric.switches())
      if (distance[s] != unreachable) depth[s] = distance[s];
  }
  return ranked_by(depth);
}

Orientation bfs_orientation(const Fabric& fabric, SwitchId root) {
  Orientation out{IdVector<SwitchId, std::uint32_t>(fabric.switch_count(), unranked)};
  std::uint32_t rank = 0;
  from_every_component(fabric, root, out, [&](SwitchId start) {
    const auto distance = distances(fabric, start);
    std::vector<SwitchId> order;
    for (SwitchId s : fabric.switches())
      if (distance[s] != unreachable) order.push_back(s);
    std::stable_sort(order.begin(), order.end(),
                     [&](SwitchId a, SwitchId b) { return distance[a] < distance[b]; });
    for (SwitchId s : order) out.rank[s] = rank++;
  });
  return out;
}

Orientation dfs_orientation(const Fabric& fabric, SwitchId root) {
  Orientation out{IdVector<SwitchId, std::uint32_t>(fabric.switch_count(), unranked)};
  const auto sums = total_distances(fabric);
  IdVector<SwitchId, std::uint32_t> links_in(fabric.switch_count(), 0);
  std::uint32_t rank = 0;
  const auto visit = [&](SwitchId s) {
    out.rank[s] = rank++;
    for (ChannelId c : fabric.out(s)) ++links_in[fabric.to(c)];
  };
  const auto better = [&](SwitchId a, SwitchId b) {
    if (links_in[a] != links_in[b]) return links_in[a] > links_in[b];
    if (sums[a.index()] != sums[b.index()]) return sums[a.index()] > sums[b.index()];
    return a < b;
  };
  from_every_component(fabric, root, out, [&](SwitchId start) {
    std::vector<SwitchId> stack{start};
    visit(start);
    while (!stack.empty()) {
      SwitchId chosen;
      for (ChannelId c : fabric.out(stack.back())) {
        const SwitchId next = fabric.to(c);
        if (out.rank[next] == unranked && (!chosen.valid() || better(next, chosen))) chosen = next;
      }
      if (!chosen.valid()) {
        stack.pop_back();
        continue;
      }
      visit(chosen);
      stack.push_back(chosen);
    }
  });
  return out;
}

std::vector<Param> orientation_params() {
  return {{"tree", OneOf{"bfs", "dfs"}, "bfs", "how the switches are ranked"},
          {"root", FreeText{}, "auto",
           "auto (tops on trees, else first), tops (all top switches of a tree), first, central "
           "(smallest eccentricity), far (largest mean distance), best (shortest routes; tries "
           "all) or the name of a switch"}};
}

Orientation orientation_from(const Fabric& fabric, const Params& params) {
  const bool depth_first = params.is("tree", "dfs");
  const std::string& root = params.text("root");
  const bool automatic = root == "auto";
  if (root == "tops" || (automatic && !depth_first)) {
    const auto found = FatTree::find(fabric);
    if (const auto* tree = std::get_if<FatTree>(&found)) return tree_orientation(fabric, *tree);
    if (!automatic) params.reject("root", std::get<Refused>(found).why);
  }
  const auto orient = [&](SwitchId root) {
    return depth_first ? dfs_orientation(fabric, root) : bfs_orientation(fabric, root);
  };
  if (automatic || root == "first") return orient(SwitchId(0));
  if (root == "central") return orient(central_switch(fabric));
  if (root == "best") return orient(best_root(fabric, params, orient));
  if (root == "far") {
    const auto sums = total_distances(fabric);
    return orient(best_by(fabric, [&](SwitchId s) { return ~sums[s.index()]; }));
  }
  const auto named = find_switch_called(fabric, root);
  if (!named)
    params.reject("root", "write auto, tops, first, central, far, best or the name of a switch");
  return orient(*named);
}

}  // namespace weft
