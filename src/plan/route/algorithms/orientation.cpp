// SPDX-License-Identifier: Apache-2.0
// Orientations and the choice of their root.
#include "plan/route/algorithms/orientation.hpp"

#include <algorithm>
#include <functional>

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

}  // namespace

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
          {"root", FreeText{}, "first",
           "first, central (smallest eccentricity), far (largest mean distance), best (shortest "
           "routes; tries all) or the name of a switch"}};
}

Orientation orientation_from(const Fabric& fabric, const Params& params) {
  const bool depth_first = params.is("tree", "dfs");
  const auto orient = [&](SwitchId root) {
    return depth_first ? dfs_orientation(fabric, root) : bfs_orientation(fabric, root);
  };
  const std::string& root = params.text("root");
  if (root == "first") return orient(SwitchId(0));
  if (root == "central") return orient(central_switch(fabric));
  if (root == "best") return orient(best_root(fabric, params, orient));
  if (root == "far") {
    const auto sums = total_distances(fabric);
    return orient(best_by(fabric, [&](SwitchId s) { return ~sums[s.index()]; }));
  }
  const auto named = find_switch_called(fabric, root);
  if (!named) params.reject("root", "write first, central, far, best or the name of a switch");
  return orient(*named);
}

}  // namespace weft
