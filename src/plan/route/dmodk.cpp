// SPDX-License-Identifier: Apache-2.0
// Destination mod k on trees (Zahavi, 2010): going up, the digits of the destination choose the
// parent; going down there is no choice. Every shift permutation is free of contention on a full
// tree.
#include <algorithm>

#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/level_tree.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Numbers of the hosts by position, so that a missing host leaves the others of its leaf, and of
/// the other leaves, where they are. (A leaf without any host is no leaf to this engine.)
struct Positions {
  PortNumber first = no_port;
  std::uint64_t per_leaf = 1;
  explicit Positions(const Fabric& fabric) {
    for (HostId h : fabric.hosts()) first = std::min(first, fabric[h].port);
    for (HostId h : fabric.hosts())
      per_leaf = std::max<std::uint64_t>(per_leaf, fabric[h].port - first + 1U);
  }
};

}  // namespace

Routed dmodk(const Fabric& fabric, const Params&) {
  const auto found = LevelTree::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const LevelTree& tree = std::get<LevelTree>(found);
  const Positions positions(fabric);
  Tables tables = empty_tables(fabric, true);
  auto& next = std::get<DestinationTables>(tables.paths);
  LeafChoices choices(fabric, tree);
  std::vector<std::uint64_t> digit(tree.levels());
  std::uint64_t leaf_number = 0;
  for (SwitchId leaf : fabric.switches()) {
    if (fabric.hosts_on(leaf).empty()) continue;
    choices.aim(leaf);
    if (auto refused = choices.cut_off(leaf)) return *refused;
    for (HostId h : fabric.hosts_on(leaf)) {
      const std::uint64_t number =
          leaf_number * positions.per_leaf + (fabric[h].port - positions.first);
      for (std::uint32_t level = 0; level < tree.levels(); ++level)
        digit[level] = number / tree.divisor(level);
      const auto column = next[tables.to_host[h]];
      for (SwitchId s : fabric.switches()) {
        const auto& ports = choices.ports(s);
        if (!ports.empty()) column[s.index()] = ports[digit[tree.level(s)] % ports.size()];
      }
      column[leaf.index()] = here;
    }
    ++leaf_number;
  }
  return tables;
}

}  // namespace weft
