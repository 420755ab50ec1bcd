// SPDX-License-Identifier: Apache-2.0
// Pipeline: flits cross a switch, or leave a NIC, and go onto a link.
#pragma once
#include <utility>

#include "sim/flit/pipeline.hpp"

namespace weft::sim {

/// Whether a flit of a circuit is one that its driver hears of.
template <class Features>
Index Pipeline<Features>::circuit_flags(const Head& head, std::uint32_t sent, bool first) const {
  if (!head.has(Head::circuit)) return 0;
  return (sent + 2 == head.flits ? Arrival::fills : 0) | (first ? Arrival::reaches : 0);
}

/// A packet may be damaged on every link: its end tells, of a circuit the end of its data.
template <class Features>
bool Pipeline<Features>::damages(Index out_lane, const Flit& flit) {
  const Index packet = flit.head.packet;
  const Index last = flit.head.has(Head::circuit) ? Arrival::fills : Arrival::tail;
  if (!failures_.damages({out_lane, packet, flit.first, (flit.flags & Arrival::tail) != 0,
                          (flit.flags & last) != 0}))
    return false;
  if ((flit.flags & Arrival::bad) == 0) {
    unsigned hops = flit.head.hops;
    if (flit.from != nothing && flit.head.has(Head::group))
      hops = reports_.depth_at_port(u_.packets[packet].packet, port_of(flit.from)) + 1;
    reports_.damaged(packet, out_lane, hops);
  }
  return true;
}

template <class Features>
void Pipeline<Features>::transmit(SwitchPort& port, Index out_lane, const Flit& flit) {
  OutLane& out = out_[out_lane];
  const Cycle now = u_.now;
  Index flags = flit.flags;
  ++out.sent;
  if constexpr (Features::shared_links)
    if (!u_.free_at.empty()) {
      // A link that became free within this cycle goes on from there: nothing is rounded away.
      const Index o = port_of(out_lane);
      std::uint64_t& free_at = u_.free_at[o];
      free_at = (free_at + 65'536 > now << 16U ? free_at : now << 16U) + u_.interval[o];
    }
  if constexpr (Features::all) {
    ++u_.audit.departed;
    if (layout_.options.faults.damage() && damages(out_lane, flit)) flags |= Arrival::bad;
    if (layout_.options.flit_departures)
      reports_.depart_flit(flit.head.packet, out_lane, flit.first);
  }
  const Index target = first_lane(port.peer) + lane_in_port(out_lane);
  const Cycle arrival = now + port.flight;
  if (!port.to_host) {
    if (!stop_go()) --out.credits;
    // The flag `reaches` is for hosts; further on it is the head again.
    flags &= ~Arrival::reaches;
    if (flit.first) {
      if constexpr (Features::all) u_.audit.head_sent(target, flit.head.packet);
      HeadArrival& head = u_.heads.push(arrival + u_.head_lead, port.peer_block);
      head.lane = target | flags;
      head.head = flit.head;
    } else {
      u_.bodies.push(arrival, port.peer_block, {target | flags, flit.head.packet});
    }
    return;
  }
  if constexpr (Features::all) ++u_.audit.ejected;
  if ((flags & (Arrival::tail | Arrival::fills | Arrival::reaches)) != 0)
    u_.ejections.push(arrival, 0, {target | flags, flit.head.packet, flit.head.hops});
  if (Features::plain || u_.endless_hosts) return;
  --out.credits;
  u_.credits.push(arrival + port.back, layout_.block_of(port.home), out_lane);
}

/// The crossbar's round-robin pointers move behind what goes from a lane of an in-port to an
/// out-port.
template <class Features>
void Pipeline<Features>::move_turns(SwitchPort& in_port, SwitchPort& port, Index lane) {
  const bool lane_inputs = Features::shared_links && layout_.model.lane_inputs;
  const Index input = lane_inputs ? first_lane(in_port.number) + lane : in_port.number;
  port.grant_turn = static_cast<std::uint16_t>(input + 1);
  in_port.accept_turn = static_cast<std::uint16_t>(port.number + 1);
  in_port.lane_turn = static_cast<std::uint8_t>(lane + 1);
}

/// A flit of an in-lane's front packet crosses the switch. Returns whether the next one can, too.
template <class Features>
bool Pipeline<Features>::traverse(const SendRequest sender) {
  if constexpr (Features::all)
    if (b_.is_branch(sender.from())) return traverse_copy(sender);
  const Index id = sender.from(), v = lane_in_port(id), o = port_of(sender.out_lane());
  SwitchPort& in_port = ports_[port_of(id)];
  SwitchPort& port = ports_[o];
  InLane& lane = in_[id];
  move_turns(in_port, port, v);
  if constexpr (Features::shared_links)
    if (!u_.held_out.empty()) u_.held_out[o] = u_.held_in[port_of(id)] = id;

  const bool tail = Features::single || (lane.have == 1 && lane.has(InLane::ended));
  const bool first = Features::single || !lane.has(InLane::begun);
  const Head head = lane.head.after_hop(lane.lane_class);
  Index flags = tail ? Arrival::tail : 0;
  if constexpr (Features::all) {
    if (first && !sent_.empty()) sent_[id] = 0;
    if (!tail && !sent_.empty()) flags |= circuit_flags(head, sent_[id]++, first);
    if ((flags & (Arrival::tail | Arrival::fills)) != 0 && lane.has(InLane::bad))
      flags |= Arrival::bad;
  }
  transmit(port, sender.out_lane(), {head, flags, first, id});
  if constexpr (Features::plain && Features::watched)
    if (!u_.moved.empty() && !port.to_host) u_.moved[port.block].push_back(2 * o + 1);
  if constexpr (!Features::single) --lane.have;
  if (stop_go())
    u_.flits_left(id, 1);
  else
    u_.credits.push(u_.now + in_port.back, in_port.peer_block, first_lane(in_port.peer) + v);
  if constexpr (Features::all) ++u_.audit.left;
  if (!tail) {
    lane.flags |= InLane::begun;
    return (lane.have > 0) & (out_[sender.out_lane()].credits > 0);
  }
  if constexpr (Features::shared_links)
    if (!u_.held_out.empty()) u_.held_out[o] = u_.held_in[port_of(id)] = nothing;
  u_.template end_packet<Features::plain, Features::watched>(port, o,
                                                             lane_in_port(sender.out_lane()));
  if constexpr (Features::plain && Features::choices)
    if (!empty_lanes() || port.to_host) choices_.wake(o);
  u_.template next_front<Features::plain>(lane, id, in_port);
  return false;
}

/// The same for a branch of a multicast packet.
template <class Features>
bool Pipeline<Features>::traverse_copy(const SendRequest sender) {
  Branch& branch = b_[sender.from()];
  const Index id = branch.in_lane, v = lane_in_port(id), o = branch.out_port;
  SwitchPort& in_port = ports_[port_of(id)];
  SwitchPort& port = ports_[o];
  const InLane& lane = in_[id];
  move_turns(in_port, port, v);
  if (!u_.held_out.empty()) u_.held_out[o] = u_.held_in[port_of(id)] = id;
  const bool tail = lane.has(InLane::ended) && branch.sent + 1 == b_.released(id) + lane.have;
  const bool first = branch.sent == 0;
  const Head head = lane.head.after_hop(branch.lane_class);
  Index flags = tail ? Arrival::tail : circuit_flags(head, branch.sent, first);
  if ((flags & (Arrival::tail | Arrival::fills)) != 0 && lane.has(InLane::bad))
    flags |= Arrival::bad;
  transmit(port, sender.out_lane(), {head, flags, first, id});
  ++branch.sent;
  if (tail) {
    branch.done = true;
    u_.end_packet(port, o, lane_in_port(sender.out_lane()));
    if (!u_.held_out.empty()) b_.release_links(id, o);
  }
  const bool more = b_.can_send(branch);
  branch.sends = more;
  b_.release_copies(id);  // the branch may be gone then
  return more;
}

template <class Features>
bool Pipeline<Features>::inject_at_once(Packet& packet) {
  if constexpr (!Features::plain) return false;
  const auto host = static_cast<Index>(packet.from.index());
  Nic& nic = injection_.nics[host];
  const Index p = layout_.switch_ports + host;
  const Index lane = nic.lane + 1 < layout_.lanes ? nic.lane + 1 : 0;
  const Index out_lane = first_lane(p) + lane;
  if (nic.has_packets() || nic.busy_until > u_.now || out_[out_lane].credits <= 0) return false;
  if (empty_lanes() && !u_.may_begin(out_[out_lane].credits, packet.flits)) return false;
  nic.lane = lane;
  nic.busy_until = u_.now + 1;
  packet.injected = u_.now;
  ++u_.totals.flits_injected;
  const bool tail = Features::single || packet.flits == 1;
  const Head head = injection_.template head_of<true>(packet);
  transmit(ports_[p], out_lane, {head, tail ? Arrival::tail : 0, true, nothing});
  if (tail) return true;
  nic.packet = packet.id;
  nic.left = packet.flits - 1;
  u_.active.insert(host);
  return true;
}

/// A host sends a flit, if it can. Returns whether it may have more to send.
template <class Features>
bool Pipeline<Features>::inject(Index host) {
  Nic& nic = injection_.nics[host];
  const Index p = layout_.switch_ports + host;
  SwitchPort& port = ports_[p];
  if constexpr (Features::all)
    if (u_.is_dead(p)) return injection_.lose_queue(host);
  if constexpr (Features::shared_links)
    if (!u_.free_at.empty() && u_.free_at[p] > u_.now << 16U) return true;
  if constexpr (Features::all)
    if (injection_.has_circuits()) {
      const OpenCircuit circuit = injection_.take_closed(host);
      if (circuit.packet != nothing) {
        ++u_.totals.flits_injected;
        const Head head = injection_.head_of(circuit.packet);
        transmit(port, circuit.out_lane, {head, Arrival::tail, false, nothing});
        reports_.depart(circuit.packet);
        return true;
      }
    }
  if constexpr (Features::plain)
    if (nic.busy_until > u_.now) return true;
  const bool first = nic.packet == nothing;
  if (first && !injection_.template begin_packet<Features::plain, Features::watched>(nic, host))
    return false;
  const Index out_lane = first_lane(p) + nic.lane;
  if (out_[out_lane].credits <= 0) return false;
  const Head head = first || Features::all
                        ? injection_.template head_of<Features::plain>(nic.packet)
                        : Head{nic.packet, 0, 0, 0, 0, 0, 0};
  if constexpr (Features::all)
    if (nic.left == 1 && head.has(Head::circuit)) {
      // What comes behind it takes another lane.
      injection_.leave_open(host, {std::exchange(nic.packet, nothing), out_lane});
      return true;
    }
  const bool tail = --nic.left == 0;
  Index flags = tail ? Arrival::tail : 0;
  if constexpr (Features::all)
    if (nic.left == 1 && head.has(Head::circuit)) flags |= Arrival::fills;
  ++u_.totals.flits_injected;
  transmit(port, out_lane, {head, flags, first, nothing});
  if (!tail) return true;
  const Index packet = std::exchange(nic.packet, nothing);
  if constexpr (!Features::plain) reports_.depart(packet);
  return nic.first != nothing;
}

}  // namespace weft::sim
