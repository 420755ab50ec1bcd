// SPDX-License-Identifier: Apache-2.0
// Destination mod k on trees (Zahavi, 2010): going up, the digits of the destination choose the
// parent; going down there is no choice. Every shift permutation is free of contention on a full
// tree. Hosts are numbered by their position in the tree that is found in the graph, and where
// something is missing the load decides before the digits do. Hosts that no route up and then down
// joins get a detour.
#include <algorithm>

#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/tree_detours.hpp"
#include "plan/route/algorithms/tree_router.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Numbers of the hosts by position, so that a missing host leaves the others of its leaf, and of
/// the other leaves, where they are. Every leaf counts as many as fill its links up equally: hosts
/// at the same port of two leaves then have the same first digit.
struct Positions {
  PortNumber first = no_port;
  std::uint64_t per_leaf = 1;
  Positions(const Fabric& fabric, const FatTree& tree) {
    for (HostId h : fabric.hosts()) first = std::min(first, fabric[h].port);
    for (HostId h : fabric.hosts())
      per_leaf = std::max<std::uint64_t>(per_leaf, fabric[h].port - first + 1U);
    std::uint64_t links = 1;
    for (SwitchId leaf : tree.leaves())
      links = std::max(links, std::uint64_t{tree.up(leaf).size()});
    per_leaf = (per_leaf + links - 1) / links * links;
  }
};

/// The leaves by position, then the other switches with hosts.
std::vector<SwitchId> in_order(const Fabric& fabric, const FatTree& tree) {
  std::vector<SwitchId> order(tree.leaves().begin(), tree.leaves().end());
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty() && tree.level(s) != 0) order.push_back(s);
  return order;
}

Tables tree_tables(const Fabric& fabric, const FatTree& tree, Orientation orientation) {
  const Positions positions(fabric, tree);
  Tables tables = empty_tables(fabric, true);
  auto& next = std::get<DestinationTables>(tables.paths);
  TreeRouter router(fabric, tree, std::move(orientation));
  std::uint64_t place = 0;
  for (SwitchId s : in_order(fabric, tree)) {
    for (HostId h : fabric.hosts_on(s)) {
      const std::uint64_t number = place * positions.per_leaf + (fabric[h].port - positions.first);
      router.route(h, number, next[tables.to_host[h]]);
    }
    ++place;
  }
  return tables;
}

bool is_complete(const Fabric& fabric, const FatTree& tree) {
  for (HostId h : fabric.hosts())
    if (!tree.complete(fabric[h].on)) return false;
  return true;
}

}  // namespace

Routed dmodk(const Fabric& fabric, const Params&) {
  const auto found = FatTree::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const FatTree& tree = std::get<FatTree>(found);
  Tables tables = tree_tables(fabric, tree, tops_orientation(fabric, tree));
  if (is_complete(fabric, tree) || add_detours(fabric, tables)) return tables;
  return tree_tables(fabric, tree, tree_orientation(fabric, tree));
}

}  // namespace weft
