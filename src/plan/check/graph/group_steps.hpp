// SPDX-License-Identifier: Apache-2.0
// How a multicast packet of a group without a root spreads: every switch copies it to its ports of
// the group, except the one it came in by. See rooted.hpp for groups with a root.
#pragma once
#include <vector>

#include "fabric/walk.hpp"

namespace weft {

/// Calls `visit(in, out)` with a channel and its lane for each step of a group's packets from
/// switch to switch; the channel of `in` is none at the sender's own switch.
template <class Visit>
void for_each_step(const Fabric& fabric, const Tables& tables, const Group& group, Visit visit) {
  IdVector<SwitchId, const PortSet*> ports(fabric.switch_count(), nullptr);
  for (const PortSet& set : group.out) ports[set.on] = &set;
  const auto lanes = static_cast<std::size_t>(tables.lane_count);
  std::vector<bool> seen(fabric.channel_count() * lanes, false);
  std::vector<Hop> spreading;
  const auto spread = [&](LinkEnd at, Hop in) {
    if (ports[at.on] == nullptr) return;
    for (PortNumber port : ports[at.on]->ports) {
      const ChannelId channel = fabric.channel_at(at.on, port);
      if (!channel.valid() || port == at.port) continue;
      const Hop out{channel, group_lane(fabric, tables, group, at, port)};
      visit(in, out);
      const std::size_t node = channel.index() * lanes + out.lane;
      if (seen[node]) continue;
      seen[node] = true;
      spreading.push_back(out);
    }
  };
  const auto senders = group.source ? std::vector{*group.source} : group.members;
  for (HostId sender : senders) spread({fabric[sender].on, fabric[sender].port}, {});
  while (!spreading.empty()) {
    const Hop in = spreading.back();
    spreading.pop_back();
    spread({fabric.to(in.channel), fabric.in_port(in.channel)}, in);
  }
}

/// Calls `visit(in, host)` for each host that gets copies from another switch.
template <class Visit>
void for_each_arrival(const Fabric& fabric, const Tables& tables, const Group& group, Visit visit) {
  IdVector<SwitchId, std::vector<HostId>> hosts(fabric.switch_count());
  for (const PortSet& set : group.out)
    for (PortNumber port : set.ports)
      if (const HostId host = fabric.at_port(set.on, port).host; host.valid())
        hosts[set.on].push_back(host);
  for_each_step(fabric, tables, group, [&](Hop, Hop out) {
    for (HostId host : hosts[fabric.to(out.channel)]) visit(out, host);
  });
}

}  // namespace weft
