// SPDX-License-Identifier: Apache-2.0
// GroupWalk: the copies of a multicast packet on their tree, from the sender up to the root, if the
// group has one, and down to the members.
#pragma once
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/tables.hpp"

namespace weft {

class GroupWalk {
 public:
  GroupWalk(const Fabric& fabric, const Group& group)
      : fabric_(fabric),
        root_(group.root.value_or(SwitchId::none())),
        up_(fabric.switch_count(), no_port),
        out_(fabric.switch_count()) {
    for (const UpPort& up : group.up) up_[up.on] = up.port;
    for (const PortSet& set : group.out)
      out_[set.on].insert(out_[set.on].end(), set.ports.begin(), set.ports.end());
  }

  /// What is known of a copy at a switch becomes enter(what, channel) behind every channel that it
  /// is sent over; reach(what, host) hears of every copy to a host. A switch that copies come to
  /// again, as the group is no tree, sends them no further.
  template <class State, class Enter, class Reach>
  void operator()(HostId from, State first, Enter enter, Reach reach) const {
    struct CopyAtSwitch {
      SwitchId on;
      PortNumber in;
      State state;
    };
    std::vector<CopyAtSwitch> todo{{fabric_[from].on, fabric_[from].port, std::move(first)}};
    const auto behind = [&](const CopyAtSwitch& last, ChannelId channel) {
      return CopyAtSwitch{fabric_.to(channel), fabric_.in_port(channel),
                          enter(last.state, channel)};
    };
    std::size_t steps = 0;
    for (CopyAtSwitch& at = todo.front(); root_.valid() && at.on != root_;) {
      const PortNumber port = up_[at.on];
      const ChannelId up = port == no_port ? ChannelId::none() : fabric_.channel_at(at.on, port);
      if (!up.valid() || ++steps > fabric_.switch_count()) return;  // it gets no further
      at = behind(at, up);
    }
    IdVector<SwitchId, char> seen(fabric_.switch_count());
    while (!todo.empty()) {
      const CopyAtSwitch visit = std::move(todo.back());
      todo.pop_back();
      if (seen[visit.on] != 0) continue;
      seen[visit.on] = 1;
      for (const PortNumber port : out_[visit.on]) {
        if (port == visit.in && visit.on != root_) continue;
        const Neighbour beyond = fabric_.at_port(visit.on, port);
        if (beyond.channel.valid()) todo.push_back(behind(visit, beyond.channel));
        if (beyond.host.valid()) reach(visit.state, beyond.host);
      }
    }
  }

 private:
  const Fabric& fabric_;
  SwitchId root_;
  IdVector<SwitchId, PortNumber> up_;
  IdVector<SwitchId, std::vector<PortNumber>> out_;
};

/// Whether the links on which a group's copies go down form a tree, or several: no switch gets two
/// copies of a packet.
bool is_tree(const Fabric& fabric, const Group& group);

}  // namespace weft
