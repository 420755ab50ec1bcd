// SPDX-License-Identifier: Apache-2.0
// Pipeline: packets as a whole. A packet that has a link to itself, and room for all of it behind
// the link, sends a flit in every cycle from its head on: the flit before it has sent them as fast.
// So a hop takes two events, whatever the length of the packet: its head arrives, and its credits
// begin to come back. That its tail has left (the link and its lane are free), or that there is
// room for another packet, is an event only where somebody waits for it.
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
        PacketOutLane& lane = packet_out_[come.out_lane];
        lane.credits += static_cast<std::int32_t>(come.flits);
        lane.last = come.last;
        if (!std::exchange(lane.awaited, false)) return;
        const Index o = port_of(come.out_lane);
        if (layout_.is_host(o))
          u_.active.insert(o - layout_.switch_ports);
        else
          u_.retry(ports_[o], o);
      },
      [this](const PacketCredits& come) { __builtin_prefetch(&packet_out_[come.out_lane]); });
}

/// A packet comes to an in-lane.
template <class Features>
void Pipeline<Features>::receive_packet(const HeadArrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  const Cycle came = u_.now - u_.head_lead;
  InLane& lane = in_[id];
  if (lane.stage != Stage::idle) {
    u_.append(lane, flit.head, InLane::ended, came);
    return;
  }
  const Cycle left_at = lane.left_at;
  lane.head = flit.head;
  lane.flags = InLane::ended;
  lane.stage = Stage::routing;
  u_.arrived[id] = static_cast<std::uint32_t>(came);
  if (came >= left_at)
    arrivals_.add(id);
  else  // The packet before it is still there: it is routed after that has left.
    u_.request_after(id, left_at);
}

/// The lanes of out-port `o` that an in-lane's front packet may have now. Notes when there will be
/// room in others.
template <class Features>
std::uint64_t Pipeline<Features>::offer_for_packet(const InLane& lane, const SwitchPort& port,
                                                   Index o) {
  std::uint64_t result = port.idle & u_.allowed(lane.head, lane.lane_class, port);
  if (port.to_host) return result;
  for (std::uint64_t left = result; left != 0; left &= left - 1)
    if (!room_for_packet(first_lane(o) + lowest(left), lane.head.flits))
      result &= ~(left & (~left + 1));
  return result;
}

/// The one of them that comes next, round-robin.
template <class Features>
std::uint64_t Pipeline<Features>::first_lane_for_packet(const InLane& lane, const SwitchPort& port,
                                                        Index o) {
  std::uint64_t left = port.idle & u_.allowed(lane.head, lane.lane_class, port);
  while (left != 0) {
    const Index v = next_lane(lane, port, left);
    if (port.to_host || room_for_packet(first_lane(o) + v, lane.head.flits)) return bit_at(v);
    left &= ~bit_at(v);
  }
  return 0;
}

/// Whether there is room for so many flits behind an out-lane. Notes when there will be.
template <class Features>
bool Pipeline<Features>::room_for_packet(Index out_lane, std::uint32_t flits) {
  const Cycle from = u_.room_from(out_lane, flits);
  if (from == u_.now) return true;
  if (from == never) packet_out_[out_lane].awaited = true;
  retry_at_ = std::min(retry_at_, from);
  return false;
}

/// A packet that may choose among ports finds none with room: it looks again when one has some.
template <class Features>
void Pipeline<Features>::retry_choice(Index id) {
  choices_.each_port(id, [&](Index o, const RouteStep& hop) {
    InLane lane = in_[id];
    lane.lane_class = hop.lane_class;
    u_.end_sent_packet(ports_[o]);
    offer_for_packet(lane, ports_[o], o);
    if (ports_[o].free_at > u_.now) await(o, SwitchPort::the_link);
    const Cycle when = std::exchange(retry_at_, never);
    if (when != never) u_.retries.push(when, ports_[o].block, o);
  });
}

template <class Features>
void Pipeline<Features>::request_lane_for_packet(Index id, Index o) {
  SwitchPort& port = ports_[o];
  if (port.waiting != nothing) {
    if (!port.several) u_.next_waiting[port.waiting] = nothing;
    u_.next_waiting[id] = port.waiting;
  }
  port.several = port.waiting != nothing;
  port.waiting = id;
  if (!port.requested) u_.request_allocation(port, o);
}

/// Somebody waits for the link of a port, or for its input.
template <class Features>
void Pipeline<Features>::await(Index p, std::uint8_t what) {
  SwitchPort& port = ports_[p];
  if ((port.awaited & what) != 0) return;
  port.awaited |= what;
  const Cycle when = what == SwitchPort::the_link ? port.free_at : port.input_free_at;
  u_.releases.push(when, port.block, p);
}

/// A sender waits until the link of its out-port, or its own input, is free.
template <class Features>
void Pipeline<Features>::block_sender(Index id, Index o) {
  const bool at_link = is_busy(ports_[o].free_at);
  const Index p = at_link ? o : port_of(id);
  u_.next_waiting[id] = ports_[p].blocked;
  ports_[p].blocked = id;
  await(p, at_link ? SwitchPort::the_link : SwitchPort::the_input);
}

/// The link of a port, or its input, is free.
template <class Features>
void Pipeline<Features>::release(Index p) {
  SwitchPort& port = ports_[p];
  port.awaited = static_cast<std::uint8_t>(
      (port.awaited & SwitchPort::a_lane) |
      (port.free_at > u_.now ? port.awaited & SwitchPort::the_link : 0) |
      (port.input_free_at > u_.now ? port.awaited & SwitchPort::the_input : 0));
  u_.end_sent_packet(port);
  u_.retry(port, p);
  if (port.blocked == nothing) return;
  const Index id = std::exchange(port.blocked, nothing);
  woken_.add(id);
  __builtin_prefetch(&in_[id]);
  __builtin_prefetch(&ports_[port_of(id)]);
  __builtin_prefetch(&u_.next_waiting[id]);
}

/// Those who waited for the links and inputs that have become free request them again.
template <class Features>
void Pipeline<Features>::wake_blocked() {
  for (const Index first : woken_)
    for (Index id = first; id != nothing; id = u_.next_waiting[id]) {
      const Index to = u_.out_lane_of(id);
      __builtin_prefetch(&packet_out_[to]);
      u_.add_sender(id, to, ports_[port_of(id)]);
    }
  woken_.end_at(woken_.begin());
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
  const Cycle last = u_.cycle_of(u_.arrived[id]) + flits - 1;
  reports_.lose_in(id, lane.head.packet, why);
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
  reports_.end_in(id, packet, std::nullopt);
}

/// The senders whose link and input are free send their packets; the others wait until they are.
template <class Features>
void Pipeline<Features>::traverse_open_links(RequestList<SendRequest>& list, std::size_t count) {
  const SendRequest *const senders = list.begin(), *const end = senders + count;
  for (const SendRequest* each = senders; each != end; ++each) {
    if (u_.large) prefetch_sender(each, end);
    const Index id = each->from(), o = port_of(each->out_lane());
    if (is_busy(ports_[o].free_at) || is_busy(ports_[port_of(id)].input_free_at)) {
      block_sender(id, o);
      continue;
    }
    traverse_packet(*each);
    ++u_.totals.flit_hops;
  }
  keep_senders(list, senders, end);
}

/// Crossbar allocation, as allocate_crossbars() does it, among packets whose link and input are
/// free; the others wait until they are. Requests and grants are negative, unlike times.
template <class Features>
void Pipeline<Features>::allocate_links(Index block, std::size_t count) {
  RequestList<SendRequest>& list = u_.senders[block];
  if (no_sender_competes(count)) {
    traverse_open_links(list, count);
    return;
  }
  SendRequest *const senders = list.begin(), *const end = senders + count;
  SendRequest* open = senders;
  make_room(count);
  Index *outs = outs_.data(), *ins = ins_.data();
  constexpr std::uint64_t negative = std::uint64_t{1} << 63U;
  const auto smaller = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) ? a : b;
  };
  for (const SendRequest* each = senders; each != end; ++each) {
    prefetch_sender(each, end);
    const SendRequest sender = *each;
    const Index id = sender.from(), o = port_of(sender.out_lane());
    SwitchPort& out = ports_[o];
    const SwitchPort& in = ports_[port_of(id)];
    if (is_busy(out.free_at) || is_busy(in.input_free_at)) {
      block_sender(id, o);
      continue;
    }
    const std::uint64_t request =
        negative | std::uint64_t{distance(in.number, out.grant_turn)} << 40U |
        std::uint64_t{static_cast<std::uint8_t>(lane_in_port(id) - in.lane_turn)} << 32U |
        static_cast<Index>(open - senders);
    *open++ = sender;
    *outs = o;
    outs += static_cast<std::size_t>(out.request < negative);
    out.request = smaller(out.request, request);
  }
  for (const Index* each = outs_.data(); each != outs; ++each) {
    SwitchPort& out = ports_[*each];
    const auto winner = static_cast<Index>(out.request);
    const Index p = port_of(senders[winner].from());
    SwitchPort& in = ports_[p];
    const std::uint64_t grant =
        negative | std::uint64_t{distance(out.number, in.accept_turn)} << 32U | winner;
    out.free_at = 0;
    *ins = p;
    ins += static_cast<std::size_t>(in.grant < negative);
    in.grant = smaller(in.grant, grant);
  }
  for (const Index* each = ins_.data(); each != ins; ++each) {
    SendRequest& sender = senders[static_cast<Index>(ports_[*each].grant)];
    traverse_packet(sender);
    sender = SendRequest(nothing, nothing);
  }
  u_.totals.flit_hops += static_cast<std::size_t>(ins - ins_.data());
  keep_senders(list, open, end);
}

/// A packet begins to cross the switch.
template <class Features>
void Pipeline<Features>::traverse_packet(const SendRequest sender) {
  const Index id = sender.from(), v = lane_in_port(id);
  const Index o = port_of(sender.out_lane()), out_lane = lane_in_port(sender.out_lane());
  SwitchPort& in_port = ports_[port_of(id)];
  SwitchPort& port = ports_[o];
  PacketOutLane& out = packet_out_[sender.out_lane()];
  InLane& lane = in_[id];
  const Head head = lane.head.after_hop(lane.lane_class);
  const std::uint32_t flits = head.flits;
  const Cycle now = u_.now, end = now + flits;
  move_turns(in_port, port, v);
  u_.end_sent_packet(port);
  port.sending = static_cast<std::uint8_t>(out_lane);
  port.free_at = in_port.input_free_at = end;
  if (port.waiting != nothing || u_.choices != nullptr) await(o, SwitchPort::the_link);
  out.sent += flits;
  u_.totals.flit_hops += flits - 1;  // one is counted where it is granted
  ++u_.ends_at(end).in_switches;
  const Cycle credited = now + in_port.back;
  u_.packet_credits.push(credited, in_port.peer_block,
                         {first_lane(in_port.peer) + v, flits, credited + flits - 1});
  u_.next_front_at(lane, id, in_port, end);
  const Index target = first_lane(port.peer) + out_lane;
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
  const Index v = injection_.next_lane(
      nic, injection_.entry_lanes(packet, nic.first),
      [&](Index lane) { return room_for_packet(first_lane(p) + lane, flits); });
  const Cycle when = std::exchange(retry_at_, never);
  if (v == nothing) {
    if (when != never) u_.retries.push(when, layout_.blocks, p);
    return false;
  }
  const SwitchPort& port = ports_[p];
  HeadArrival& arrival = u_.heads.push(u_.now + port.flight + u_.head_lead, port.peer_block);
  arrival.lane = (first_lane(port.peer) + v) | Arrival::tail;
  arrival.head = injection_.head_of(injection_.take_first(nic, host, v));
  PacketOutLane& out = packet_out_[first_lane(p) + v];
  out.sent += flits;
  out.credits -= static_cast<std::int32_t>(flits);
  u_.totals.flits_injected += flits;
  nic.busy_until = u_.now + flits;
  ++u_.ends_at(nic.busy_until).in_nics;
  return nic.first != nothing;
}

}  // namespace weft::sim
