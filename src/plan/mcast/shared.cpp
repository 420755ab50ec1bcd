// SPDX-License-Identifier: Apache-2.0
// shared: one tree for all senders of a group, around the switch nearest to its farthest member, as
// subnet managers build it. Nothing ties it to the unicast routes: check it together with them.
#include "fabric/distances.hpp"
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/tree_ports.hpp"

namespace weft {
namespace {

SwitchId core(const Fabric& fabric, const std::vector<HostId>& members) {
  SwitchId best;
  std::uint32_t least = unreachable;
  for (SwitchId s : fabric.switches()) {
    const auto distance = distances(fabric, s);
    std::uint32_t farthest = 0;
    for (HostId member : members) farthest = std::max(farthest, distance[fabric[member].on]);
    if (farthest >= least) continue;
    least = farthest;
    best = s;
  }
  return best;
}

}  // namespace

Grouped shared_group(const GroupSubject& subject, const Params&) {
  const auto& [fabric, tables, request] = subject;
  const auto touched = ends(request);
  const SwitchId root = core(fabric, touched);
  if (!root.valid()) return Refused{"the members lie in different parts of the fabric"};
  const auto distance = distances(fabric, root);
  TreePorts tree;
  for (HostId member : touched)
    for (SwitchId at = fabric[member].on; at != root;) {
      ChannelId up;
      for (ChannelId c : fabric.out(at))
        if (!up.valid() && distance[fabric.to(c)] + 1 == distance[at]) up = c;
      tree.add(at, fabric.out_port(up));
      tree.add(fabric.to(up), fabric.in_port(up));
      at = fabric.to(up);
    }
  return std::move(tree).group(subject);
}

}  // namespace weft
