// SPDX-License-Identifier: Apache-2.0
// Pipeline: packets as a whole. A packet that has a link to itself, and room for all of it behind
// the link, sends a flit in every cycle from its head on: the flit before it has sent them as fast.
// So a hop takes four events, whatever the length of the packet: its head arrives, its credits
// begin to come back, its tail has left (the link and its lane are free), and perhaps room becomes
// enough for who waits.
#pragma once
#include <algorithm>
#include <utility>

#include "sim/flit/pipeline.hpp"

namespace weft::sim {

/// The credits of a packet begin to come back to an out-lane, one in every cycle.
template <class Features>
void Pipeline<Features>::receive_packet_credits(Index block) {
  u_.packet_credits.take(
      u_.now, block,
      [this](const PacketCredits& come) {
        out_[come.out_lane].credits += static_cast<std::int32_t>(come.flits);
        u_.credited[come.out_lane] = come.last;
        const Index o = port_of(come.out_lane);
        if (layout_.is_host(o))
          u_.active.insert(ports_[o].home);
        else
          u_.retry(ports_[o], o);
      },
      [this](const PacketCredits& come) {
        __builtin_prefetch(&out_[come.out_lane]);
        __builtin_prefetch(&u_.credited[come.out_lane]);
        __builtin_prefetch(&ports_[port_of(come.out_lane)]);
      });
}

/// The lanes of out-port `o` that an in-lane's front packet may have now. Notes when there will be
/// room in others.
template <class Features>
std::uint64_t Pipeline<Features>::offer_for_packet(const InLane& lane, const SwitchPort& port,
                                                   Index o) {
  std::uint64_t result = port.idle & u_.allowed(lane.head, lane.lane_class, port);
  if (port.to_host) return result;
  for (std::uint64_t left = result; left != 0; left &= left - 1) {
    const Cycle from = u_.room_from(first_lane(o) + lowest(left), lane.head.flits);
    if (from == u_.now) continue;
    result &= ~(left & (~left + 1));
    retry_at_ = std::min(retry_at_, from);
  }
  return result;
}

/// A packet that may choose among ports finds none with room: it looks again when one has some.
template <class Features>
void Pipeline<Features>::retry_choice(Index id) {
  choices_.each_port(id, [&](Index o, const RouteStep& hop) {
    InLane lane = in_[id];
    lane.lane_class = hop.lane_class;
    offer_for_packet(lane, ports_[o], o);
    const Cycle when = std::exchange(retry_at_, never);
    if (when != never) u_.retries.push(when, ports_[o].block, o);
  });
}

/// A sender waits until the link of its out-port, or its own input, is free.
template <class Features>
void Pipeline<Features>::block_sender(Index id, Index o) {
  SwitchPort& port = ports_[ports_[o].link_busy ? o : port_of(id)];
  u_.next_waiting[id] = port.blocked;
  port.blocked = id;
}

template <class Features>
void Pipeline<Features>::wake_blocked(SwitchPort& port) {
  for (Index id = std::exchange(port.blocked, nothing); id != nothing;) {
    const Index next = u_.next_waiting[id];
    u_.add_sender(id, u_.out_lane_of(id), port);
    id = next;
  }
}

/// The last flit of an in-lane's front packet has left in the cycle before.
template <class Features>
void Pipeline<Features>::release(const SendRequest sender) {
  const Index id = sender.from(), o = port_of(sender.out_lane());
  SwitchPort& in_port = ports_[port_of(id)];
  SwitchPort& port = ports_[o];
  port.link_busy = in_port.input_busy = false;
  if (port.blocked != nothing) wake_blocked(port);
  if (in_port.blocked != nothing) wake_blocked(in_port);
  u_.release_lane(port, o, lane_in_port(sender.out_lane()));
  u_.next_front_at(in_[id], id, in_port, u_.now);
}

/// The front packet of an in-lane cannot go on.
template <class Features>
void Pipeline<Features>::drain(Index id, Loss why, Index dead_port) {
  if constexpr (Features::whole)
    lose_packet(id, why);
  else
    failures_.drain(id, why, dead_port);
}

/// Its flits that have come leave the buffer now, the others as they come.
template <class Features>
void Pipeline<Features>::lose_packet(Index id, Loss why) {
  InLane& lane = in_[id];
  const SwitchPort& port = ports_[port_of(id)];
  const std::uint32_t flits = lane.head.flits;
  const Cycle last = u_.arrived[id] + flits - 1;
  u_.packets.status(lane.head.packet).lose(why);
  u_.packet_credits.push(u_.now + port.back, port.peer_block,
                         {u_.other_end(id), flits, std::max(last, u_.now) + port.back});
  lane.stage = Stage::draining;
  if (last > u_.now)
    u_.drained.push(last, port.block, id);
  else
    end_lost_packet(id);
}

template <class Features>
void Pipeline<Features>::end_lost_packet(Index id) {
  InLane& lane = in_[id];
  const Index packet = lane.head.packet;
  u_.next_front(lane, id, ports_[port_of(id)]);
  reports_.end_fragment(packet, HostId::none(), std::nullopt);
}

/// A packet begins to cross the switch.
template <class Features>
void Pipeline<Features>::traverse_packet(const SendRequest sender) {
  const Index id = sender.from(), v = lane_in_port(id), o = port_of(sender.out_lane());
  SwitchPort& in_port = ports_[port_of(id)];
  SwitchPort& port = ports_[o];
  const InLane& lane = in_[id];
  OutLane& out = out_[sender.out_lane()];
  const Head head = lane.head.after_hop(lane.lane_class);
  const std::uint32_t flits = head.flits;
  const Cycle now = u_.now;
  move_turns(in_port, port, v);
  port.link_busy = in_port.input_busy = true;
  out.sent += flits;
  u_.totals.flit_hops += flits - 1;  // one is counted where it is granted
  u_.releases.push(now + flits, in_port.block, sender);
  const Cycle credited = now + in_port.back;
  u_.packet_credits.push(credited, in_port.peer_block,
                         {first_lane(in_port.peer) + v, flits, credited + flits - 1});
  const Index target = first_lane(port.peer) + lane_in_port(sender.out_lane());
  if (port.to_host) {
    u_.ejections.push(now + port.flight + flits - 1, 0, {target, head.packet, head.hops});
    return;
  }
  out.credits -= static_cast<std::int32_t>(flits);
  HeadArrival& arrival = u_.heads.push(now + port.flight + u_.head_lead, port.peer_block);
  arrival.lane = target | Arrival::tail;
  arrival.head = head;
}

/// A host begins to send a packet, if it can. Returns whether it is to be asked in the next cycle.
template <class Features>
bool Pipeline<Features>::inject_packet(Index host) {
  Nic& nic = injection_.nics[host];
  if (nic.first == nothing) return false;
  const Index p = layout_.switch_ports + host;
  if (nic.busy_until > u_.now) {
    u_.retries.push(nic.busy_until, layout_.blocks, p);
    return false;
  }
  const Packet& packet = u_.packets[nic.first].packet;
  const std::uint32_t flits = packet.flits;
  Cycle when = never;
  const Index v =
      injection_.next_lane(nic, injection_.entry_lanes(packet, nic.first), [&](Index lane) {
        const Cycle from = u_.room_from(first_lane(p) + lane, flits);
        when = std::min(when, from);
        return from == u_.now;
      });
  if (v == nothing) {
    if (when != never) u_.retries.push(when, layout_.blocks, p);
    return false;
  }
  const SwitchPort& port = ports_[p];
  OutLane& out = out_[first_lane(p) + v];
  HeadArrival& arrival = u_.heads.push(u_.now + port.flight + u_.head_lead, port.peer_block);
  arrival.lane = (first_lane(port.peer) + v) | Arrival::tail;
  arrival.head = injection_.head_of(injection_.take_first(nic, host, v));
  out.sent += flits;
  out.credits -= static_cast<std::int32_t>(flits);
  u_.totals.flits_injected += flits;
  nic.busy_until = u_.now + flits;
  return nic.first != nothing;
}

}  // namespace weft::sim
