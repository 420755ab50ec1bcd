// SPDX-License-Identifier: Apache-2.0
// Pipeline: heads of multicast packets are routed: up to the root of their group, or to all ports
// that they are copied to.
#pragma once
#include "sim/flit/pipeline.hpp"

namespace weft::sim {

/// A packet of a group with a root goes up, as if to one host.
template <class Features>
void Pipeline<Features>::climb(Index id) {
  InLane& lane = in_[id];
  const SwitchPort& port = ports_[port_of(id)];
  const PortNumber up = routing_.up(lane.head.to, SwitchId(port.home));
  const Index o = port_of(id) - port.number + up - 1U;
  if (up == 0 || ports_[o].peer == nothing || ports_[o].to_host) {
    failures_.drain(id, Loss::no_route);
  } else if (u_.packets[lane.head.packet].count_hop() > layout_.switches.size()) {
    failures_.drain(id, Loss::loop);
  } else if (u_.is_dead(o)) {
    failures_.drain(id, Loss::link_down, o);
  } else {
    lane.lane_class = layout_.tables.groups[lane.head.to].lane;
    lane.out_port = static_cast<std::uint16_t>(up - 1);
    lane.stage = Stage::waiting;
    u_.request_lane(id, o);
  }
}

/// A multicast packet has been routed: every port it takes becomes a branch.
template <class Features>
void Pipeline<Features>::start_branches(Index id) {
  InLane& lane = in_[id];
  const Index group = lane.head.to, packet = lane.head.packet;
  const SwitchPort& in_port = ports_[port_of(id)];
  const SwitchId at(in_port.home);
  const bool rooted = routing_.has_root(group);
  PacketStatus& status = u_.packets.status(packet);
  const bool at_root = rooted && !status.descending && *layout_.tables.groups[group].root == at;
  if (rooted && !status.descending && !at_root) {
    climb(id);
    return;
  }
  if (rooted != status.descending) status.descending = rooted;  // other copies may look
  const Index first = port_of(id) - in_port.number;
  const HostId sender = u_.packets[packet].packet.from;
  const LinkEnd arrival{at, static_cast<PortNumber>(in_port.number + 1)};
  Index dead_port = nothing;
  bool own = false;
  for (const PortNumber number : routing_.copies(group, at)) {
    const Index o = first + number - 1U;
    const Index peer = ports_[o].peer;
    if ((number == in_port.number + 1 && !at_root) || peer == nothing) continue;
    if (rooted && peer == layout_.port_of_host(sender)) {
      own = true;  // nobody gets his own packet
      continue;
    }
    if (u_.is_dead(o)) {
      dead_port = o;
      reports_.lose_in(id, packet, Loss::link_down);
      reports_.broke_in(id, Loss::link_down, o);
      continue;
    }
    b_.add(
        id, o,
        group_lane(layout_.fabric, layout_.tables, layout_.tables.groups[group], arrival, number));
  }
  const auto count = static_cast<std::uint32_t>(b_.of(id).size());
  if (dead_port != nothing && lane.head.has(Head::circuit)) injection_.close_circuit(packet);
  if (count == 0 && own && dead_port == nothing) {
    failures_.discard(id);
    return;
  }
  // A tree visits every switch once, and those on the way up twice.
  if (count == 0 || u_.packets[packet].count_hop() > (rooted ? 2 : 1) * layout_.switches.size()) {
    Loss why = Loss::loop;
    if (count == 0) why = dead_port != nothing ? Loss::link_down : Loss::no_route;
    b_.clear(id);
    failures_.drain(id, why, dead_port);
    return;
  }
  status.add_fragments(static_cast<std::int32_t>(count) - 1);
  lane.flags |= InLane::replicate;
  lane.stage = Stage::sending;
  b_.released(id) = 0;
  b_.request_lanes(id, rooted);
}

}  // namespace weft::sim
