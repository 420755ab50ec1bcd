// SPDX-License-Identifier: Apache-2.0
// union: from one source, the out-ports of its unicast routes to all members together (Zhou, Liu
// and Chung, 2008, section 3.3.2). Where two routes part and meet again the later one joins the
// tree at its last common switch, so that nobody gets a packet twice.
#include "fabric/walk.hpp"
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/tree_ports.hpp"

namespace weft {

Grouped union_group(const GroupSubject& subject, const Params&) {
  const auto& [fabric, tables, request] = subject;
  if (!request.source) return Refused{"needs a source: its routes are what is united"};
  if (leave_choices(tables))
    return Refused{"needs one route to every member; these tables leave switches a choice"};
  Walker walk(fabric, tables);
  TreePorts tree;
  std::vector<bool> in_tree(fabric.switch_count(), false);
  in_tree[fabric[*request.source].on.index()] = true;
  for (HostId member : request.members) {
    if (member == *request.source) continue;
    const Walk& route = walk(*request.source, member);
    if (route.end != RouteEnd::reached)
      return Refused{fmt::format("host \"{}\" is not reached from \"{}\"", fabric[member].name,
                                 fabric[*request.source].name)};
    std::size_t join = route.hops.size();
    while (join > 0 && !in_tree[fabric.to(route.hops[join - 1].channel).index()]) --join;
    for (; join < route.hops.size(); ++join) {
      const ChannelId c = route.hops[join].channel;
      tree.add(fabric.from(c), fabric.out_port(c));
      in_tree[fabric.to(c).index()] = true;
    }
  }
  return std::move(tree).group(subject);
}

}  // namespace weft
