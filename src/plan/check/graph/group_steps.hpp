// SPDX-License-Identifier: Apache-2.0
// How a multicast packet of a group without a root spreads: every switch copies it to its ports of
// the group, except the one it came in by. See rooted.hpp for groups with a root.
#pragma once
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// Calls `visit(in-channel, out-channel)` for each step of a group's packets from switch to switch;
/// in-channel is none at the sender's own switch.
template <class Visit>
void for_each_step(const Fabric& fabric, const Group& group, Visit visit) {
  IdVector<SwitchId, const PortSet*> ports(fabric.switch_count(), nullptr);
  for (const PortSet& set : group.out) ports[set.on] = &set;
  std::vector<bool> seen(fabric.channel_count(), false);
  std::vector<ChannelId> spreading;
  const auto spread = [&](SwitchId at, ChannelId in) {
    if (ports[at] == nullptr) return;
    for (PortNumber port : ports[at]->ports) {
      const ChannelId out = fabric.channel_at(at, port);
      if (!out.valid() || (in.valid() && out == reverse(in))) continue;
      visit(in, out);
      if (seen[out.index()]) continue;
      seen[out.index()] = true;
      spreading.push_back(out);
    }
  };
  const auto senders = group.source ? std::vector{*group.source} : group.members;
  for (HostId sender : senders) spread(fabric[sender].on, ChannelId::none());
  while (!spreading.empty()) {
    const ChannelId in = spreading.back();
    spreading.pop_back();
    spread(fabric.to(in), in);
  }
}

/// Calls `visit(in-channel, host)` for each host that gets copies from another switch.
template <class Visit>
void for_each_arrival(const Fabric& fabric, const Group& group, Visit visit) {
  IdVector<SwitchId, std::vector<HostId>> hosts(fabric.switch_count());
  for (const PortSet& set : group.out)
    for (PortNumber port : set.ports)
      if (const HostId host = fabric.at_port(set.on, port).host; host.valid())
        hosts[set.on].push_back(host);
  for_each_step(fabric, group, [&](ChannelId, ChannelId out) {
    for (HostId host : hosts[fabric.to(out)]) visit(out, host);
  });
}

}  // namespace weft
