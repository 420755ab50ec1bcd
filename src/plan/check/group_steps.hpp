// SPDX-License-Identifier: Apache-2.0
// How a multicast packet spreads: every switch copies it to its ports of the group, except the one
// it came in by.
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
      if (!out.valid() || (in.valid() && out == Fabric::reverse(in))) continue;
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

}  // namespace weft
