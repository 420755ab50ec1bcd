// SPDX-License-Identifier: Apache-2.0
// oriented: a shared tree of down channels from one top switch. With up*/down* (or descending
// layers) of the same orientation, unicast and multicast together are free of deadlock: every copy
// goes up, then down.
#include <algorithm>

#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/tree_ports.hpp"
#include "plan/route/algorithms/orientation.hpp"

namespace weft {
namespace {

/// Links of the shortest pure-down paths from `top`, and the channel by which each switch is met.
struct DownTree {
  IdVector<SwitchId, std::uint32_t> depth;
  IdVector<SwitchId, ChannelId> by;
};

DownTree down_from(const Fabric& fabric, const Orientation& orientation, SwitchId top) {
  DownTree tree{IdVector<SwitchId, std::uint32_t>(fabric.switch_count(), unreachable),
                IdVector<SwitchId, ChannelId>(fabric.switch_count())};
  std::vector<SwitchId> queue{top};
  tree.depth[top] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (ChannelId c : fabric.out(queue[i])) {
      const SwitchId next = fabric.to(c);
      if (orientation.up(fabric, c) || tree.depth[next] != unreachable) continue;
      tree.depth[next] = tree.depth[queue[i]] + 1;
      tree.by[next] = c;
      queue.push_back(next);
    }
  return tree;
}

bool joined(const Fabric& fabric, const std::vector<HostId>& hosts) {
  const auto component = components(fabric);
  return std::all_of(hosts.begin(), hosts.end(), [&](HostId h) {
    return component[fabric[h].on] == component[fabric[hosts.front()].on];
  });
}

}  // namespace

Grouped oriented_group(const GroupSubject& subject, const Params& params) {
  const auto& [fabric, tables, request] = subject;
  const Orientation orientation = orientation_from(fabric, params);
  const auto touched = ends(request);
  std::optional<DownTree> best;
  std::uint64_t least = ~std::uint64_t{0};
  for (SwitchId top : fabric.switches()) {
    DownTree tree = down_from(fabric, orientation, top);
    std::uint64_t sum = 0;
    for (HostId member : touched) {
      const std::uint32_t depth = tree.depth[fabric[member].on];
      sum = depth == unreachable ? ~std::uint64_t{0} : sum + depth;
      if (depth == unreachable) break;
    }
    if (sum >= least) continue;
    least = sum;
    best = std::move(tree);
  }
  if (!best && joined(fabric, touched))
    return Refused{
        "no switch has all members below it; root=first, here and for the routing "
        "engine, gives one"};
  if (!best) return Refused{"the members lie in different parts of the fabric"};
  TreePorts ports;
  for (HostId member : touched)
    for (SwitchId at = fabric[member].on; best->by[at].valid(); at = fabric.from(best->by[at])) {
      ports.add(at, fabric.in_port(best->by[at]));
      ports.add(fabric.from(best->by[at]), fabric.out_port(best->by[at]));
    }
  return std::move(ports).group(subject);
}

}  // namespace weft
