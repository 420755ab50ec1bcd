// SPDX-License-Identifier: Apache-2.0
// The bit-sliced path hands the network back: everything that changes is put into the units, as the
// event-driven pipeline would have it.
#include <algorithm>
#include <utility>

#include "sim/flit/bitsliced/bitsliced.hpp"

namespace weft::sim {

void BitSliced::count_sent() {
  for (Index p = 0; p < units_.ports.size(); ++p)
    for (Index v = 0; v < at_.lanes() && units_.ports[p].peer != nothing; ++v) {
      const Index id = (p << layout_.lane_bits) + v;
      PacketNode& queue = queues_[queue_of(units_.other_end(id))];
      units_.out[id].sent += std::exchange(queue.sent, 0);
    }
}

void BitSliced::leave() {
  on_ = false;
  count_sent();
  for (Index p = 0; p < layout_.switch_ports; ++p) units_.ports[p].idle = 0;
  each_lane([&](Index id) {
    const LanePlace at = place(id);
    SwitchPort& port = units_.ports[layout_.port_of(id)];
    if (port.peer == nothing) return;
    OutLane& out = units_.out[id];
    if (has(idle_, at)) port.idle |= bit_at(layout_.lane_in_port(id));
    if (!closed_.empty() && has(closed_, at)) out.holder = Units::no_holder;
    const Index holder = queues_[queue_of(units_.other_end(id))].last_holder;
    out.turn = static_cast<std::uint16_t>((holder / at_.lanes() << layout_.lane_bits) +
                                          holder % at_.lanes() + 1);
    if (!port.to_host)
      out.credits = static_cast<std::int32_t>(at_.number(credits_, count_bits_, at));
  });
  std::vector<PacketRests> to_come(units_.in.size());
  each_lane([&](Index id) { to_come[id] = leave_lane(id); });
  leave_events(to_come);
  for (Index host = 0; host < injection_.nics.size(); ++host) leave_nic(host);
  copy_turns(false);
}

/// Puts into words what plain networks do without: where the flits of an in-lane are.
void BitSliced::count_flits(Index id) {
  const LanePlace at = place(id);
  const PacketNode& queue = queues_[queue_of(id)];
  std::uint32_t count = 0;
  for (Index i = queue.next; i != nothing; i = queues_[i].next) {
    const std::uint32_t arrives = queues_[i].arrives;
    if (static_cast<std::int32_t>(arrives - static_cast<std::uint32_t>(units_.now)) < 0) {
      ++count;
      continue;
    }
    arrivals_.at(arrives)[at_.word(at)] |= at.mask();
    if (i == queue.next)  // it requests a lane when it has arrived
      lane_requested_.at(arrives + layout_.head_delay)[at_.pair(at, queue.port)] &= ~at.mask();
  }
  at_.set(count_, count_bits_, at, count);
  Word& filled = filled_[at_.word(at)];
  filled = count > 0 ? filled | at.mask() : filled & ~at.mask();
}

/// What travels with the head of a packet that is in a lane, or on the link to it. Unless the
/// network is plain, its hops are those of all switches that have routed it.
Head BitSliced::head_at(const PacketRest& rest, const LanePlace& at) const {
  Head head = injection_.head_of(rest.packet);
  if (plain_) {
    const PacketNode& node = queues_[queues_.node_of(rest.packet)];
    head.lane_class = node.came_by();
    if (plain_phases_) {
      head.hops = node.hops();
      head.set_phase(phase_of(node.row));
      return head;
    }
    head.hops = static_cast<std::uint16_t>(node.hops() - hops_to_go_[node.row + at_.home(at)]);
    return head;
  }
  put_into(head, rest.progress);
  return head;
}

/// The front packet of a lane has been routed here.
void BitSliced::note_routed(InLane& lane, Index id, Index out_port) const {
  lane.out_port = static_cast<std::uint16_t>(out_port);
  if (!plain_) {
    lane.lane_class = lane.head.lane_class;
    --lane.head.hops;
    return;
  }
  const Lane lane_class = queues_[queue_of(id)].lane_class;
  lane.lane_class = lane_class < layout_.class_lanes.size() ? lane_class : Lane{0};
}

/// The packets of a lane, and how many flits of them have not left it.
BitSliced::PacketRests BitSliced::queued_packets(Index id) const {
  PacketRests out;
  for (Index i = queues_[queue_of(id)].next; i != nothing; i = queues_[i].next) {
    const Index packet = queues_.packet_of(i);
    out.push_back({packet, units_.packets[packet].packet.flits, queues_[i].progress()});
  }
  return out;
}

/// Returns the packets of which flits have yet to come.
BitSliced::PacketRests BitSliced::leave_lane(Index id) {
  InLane& lane = units_.in[id];
  const LanePlace at = place(id);
  if (plain_) count_flits(id);
  lane = {};
  lane.left_at = units_.now;  // or earlier: no head on its way has arrived
  for (Index o = 0; o < at_.ports(); ++o) {
    if ((out_of_[at_.pair(at, o)] & at.mask()) == 0) continue;
    lane.last_port = static_cast<std::uint16_t>(o);
    lane.next_lane = static_cast<std::uint8_t>(at_.number(lane_of_, lane_bits_, at) + 1);
  }
  PacketRests rests = queued_packets(id);
  for (const Index queue = queue_of(id); queues_[queue].next != nothing;) queues_.pop(queue);
  if (rests.empty() || (has(head_, at) && !has(filled_, at))) return rests;  // idle
  rests.front().flits = static_cast<std::uint32_t>(at_.number(left_, left_bits_, at)) + 1;
  leave_buffer(lane, at, rests);
  leave_stage(lane, id);
  return rests;
}

/// The packets in a lane's buffer. What is left of `rests` has yet to come.
void BitSliced::leave_buffer(InLane& lane, const LanePlace& at, PacketRests& rests) {
  auto count = static_cast<std::uint32_t>(at_.number(count_, count_bits_, at));
  bool front = true;
  while (front || count > 0) {
    PacketRest& rest = rests.front();
    const std::uint32_t here = std::min(count, rest.flits);
    const auto ended = static_cast<std::uint8_t>(here == rest.flits ? InLane::ended : 0);
    const Head head = head_at(rest, at);
    if (front) {
      lane.head = head;
      lane.have = static_cast<std::uint16_t>(here);
      lane.flags = static_cast<std::uint8_t>(ended | (has(head_, at) ? 0 : InLane::begun));
    } else {
      units_.append(lane, head, ended);
      units_.last_segment(lane).have = static_cast<std::uint16_t>(here);
    }
    front = false;
    count -= here;
    rest.flits -= here;
    if (rest.flits > 0) return;
    rests.erase(rests.begin());
  }
}

/// What the front packet of a lane waits for. It is being routed if nothing of this is so.
void BitSliced::leave_stage(InLane& lane, Index id) {
  const LanePlace at = place(id);
  lane.stage = Stage::routing;
  if (has(sending_, at)) {
    note_routed(lane, id, lane.last_port);
    leave_sending(lane, id);
    return;
  }
  if (phases_.any() && leave_choosing(lane, id)) return;
  for (Index o = 0; o < at_.ports(); ++o) {
    Word& requested = lane_requested_.at(units_.now)[at_.pair(at, o)];
    if ((requested & at.mask()) == 0) continue;
    requested &= ~at.mask();
    note_routed(lane, id, o);
    leave_waiting(lane, id);
  }
}

/// If the front packet of a lane chooses now, or waits until it can.
bool BitSliced::leave_choosing(InLane& lane, Index id) {
  const LanePlace at = place(id);
  Word &now = choosing_.at(units_.now)[at_.word(at)], &waiting = waiting_[at_.word(at)];
  if (((now | waiting) & at.mask()) == 0) return false;
  bool chooses = (now & at.mask()) != 0;
  now &= ~at.mask();
  waiting &= ~at.mask();
  --lane.head.hops;
  lane.flags |= InLane::chooses;
  lane.stage = Stage::waiting;
  choices_.each_port(id, [&](Index o, const RouteStep& hop) {
    lane.lane_class = hop.lane_class;
    chooses |= units_.offer(lane, units_.ports[o], o) != 0;
  });
  if (chooses)
    choices_.again(id);
  else
    choices_.wait(id);
  return true;
}

void BitSliced::leave_waiting(InLane& lane, Index id) {
  const Index o = units_.out_port_of(id);
  SwitchPort& port = units_.ports[o];
  lane.stage = Stage::waiting;
  units_.next_waiting[id] = port.waiting;
  port.waiting = id;
  if (!port.requested && units_.offer(lane, port, o) != 0) units_.request_allocation(port, o);
}

void BitSliced::leave_sending(InLane& lane, Index id) {
  const SwitchPort& in_port = units_.ports[layout_.port_of(id)];
  lane.stage = Stage::sending;
  lane.out_lane = static_cast<std::uint8_t>(lane.next_lane - 1);
  const Index out_lane = units_.out_lane_of(id);
  OutLane& out = units_.out[out_lane];
  out.holder = static_cast<std::uint16_t>((Index{in_port.number} << layout_.lane_bits) +
                                          layout_.lane_in_port(id));
  out.turn = static_cast<std::uint16_t>(out.holder + 1);
  out.sent += lane.head.flits - at_.number(left_, left_bits_, place(id)) - 1;
  if (units_.can_send(lane, out_lane)) units_.add_sender(id, out_lane, in_port);
}

/// Visits and removes the bits of all cycles from `now` on: with the word, and its bit.
template <class Visit>
void BitSliced::take_bits(DelayedWords& delayed, Cycle now, Visit visit) {
  for (Cycle at = now; at <= now + delayed.mask; ++at) {
    Word* const due = delayed.at(at);
    for (Index i = 0; i < delayed.each; ++i)
      for (Word bits = std::exchange(due[i], 0); bits != 0; bits &= bits - 1)
        visit(at, i, lowest(bits));
  }
}

void BitSliced::leave_events(std::vector<PacketRests>& to_come) {
  const Index lanes = at_.switch_lanes(), wide = at_.wide();
  const auto place_in = [&](Index block, Index word, Index bit) {
    return LanePlace{block, word / wide % lanes, word % wide * 64 + bit};
  };
  take_bits(arrivals_, units_.now, [&](Cycle at, Index word, Index bit) {
    const Index id = lane_at(place_in(word / wide / lanes, word, bit));
    leave_flit(id, at, to_come[id]);
  });
  take_bits(credited_, units_.now, [&](Cycle at, Index word, Index bit) {
    const Index block = word / wide / lanes;
    const bool of_nic = block >= blocks_;
    const Index id = lane_at(place_in(of_nic ? block - blocks_ : block, word, bit));
    if (of_nic)
      units_.credits.push(at, layout_.blocks, units_.other_end(id));
    else
      units_.credits.push(at, units_.ports[layout_.port_of(id)].block, id);
  });
  // Those who will choose are routed once more.
  if (phases_.any())
    take_bits(choosing_, units_.now, [&](Cycle at, Index word, Index bit) {
      const Index id = lane_at(place_in(word / wide / lanes, word, bit));
      --units_.in[id].head.hops;
      units_.routed.push(at, units_.ports[layout_.port_of(id)].block, id);
    });
  take_bits(lane_requested_, units_.now, [&](Cycle at, Index word, Index bit) {
    const Index row = word / wide / lanes;  // of out-ports
    const Index id = lane_at(place_in(row / at_.ports(), word, bit));
    InLane& lane = units_.in[id];
    note_routed(lane, id, row % at_.ports());
    lane.flags |= InLane::routed;
    units_.routed.push(at, units_.ports[layout_.port_of(id)].block, id);
  });
}

/// The next flit that comes to a lane, of the packets that are not all there.
void BitSliced::leave_flit(Index id, Cycle arrival, PacketRests& rests) {
  PacketRest& rest = rests.front();
  const Index packet = rest.packet, block = units_.ports[layout_.port_of(id)].block;
  const bool head = rest.flits == units_.packets[packet].packet.flits, tail = --rest.flits == 0;
  const Index lane = id | (tail ? Arrival::tail : 0);
  if (head)
    units_.heads.push(arrival + units_.head_lead, block, {lane, head_at(rest, place(id))});
  else
    units_.bodies.push(arrival, block, {lane, packet});
  if (tail) rests.erase(rests.begin());
}

void BitSliced::leave_nic(Index host) {
  Nic& nic = injection_.nics[host];
  const Index first = (layout_.switch_ports + host) << layout_.lane_bits;
  for (Index v = 0; v < at_.lanes(); ++v)
    units_.out[first + v].credits = static_cast<std::int32_t>(
        at_.number(nic_credits_, count_bits_, place(units_.other_end(first + v))));
  if (nic.packet != nothing) {
    const LanePlace at = place(units_.other_end(first + nic.lane));
    nic.left = static_cast<std::uint32_t>(at_.number(nic_left_, left_bits_, at)) + 1;
    units_.out[first + nic.lane].sent += units_.packets[nic.packet].packet.flits - nic.left;
  }
  if (nic.packet != nothing || nic.first != nothing) units_.active.insert(host);
}

}  // namespace weft::sim
