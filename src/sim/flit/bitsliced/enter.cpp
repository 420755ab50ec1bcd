// SPDX-License-Identifier: Apache-2.0
// The bit-sliced path takes over from the event-driven pipeline: everything that changes is taken
// out of the units.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "sim/flit/bitsliced/bitsliced.hpp"

namespace weft::sim {
namespace {

/// A round-robin pointer of one switch as words have it: among `count`; its masks are `stride`
/// words apart.
struct RoundRobinMask {
  Word* mask;
  Index stride, count, bit;

  Index read() const {
    Index out = 0;
    while (out < count && (mask[out * stride] >> bit & 1) == 0) ++out;
    return out == count ? 0 : out;
  }
  void write(Index turn) const {
    for (Index i = 0; i < count; ++i) {
      Word& word = mask[i * stride];
      word = (word & ~(Word{1} << bit)) | Word{turn != 0 && i >= turn} << bit;
    }
  }
};

}  // namespace

void BitSliced::copy_turns(bool into_words) {
  const auto copy = [into_words](auto& turn, const RoundRobinMask& mask) {
    if (into_words)
      mask.write(turn);
    else
      turn = static_cast<std::remove_reference_t<decltype(turn)>>(mask.read());
  };
  for (Index s = 0; s < layout_.switches.size(); ++s) {
    const SwitchPorts own = layout_.switches[s];
    for (Index p = 0; p < own.count; ++p) {
      SwitchPort& port = units_.ports[own.first + p];
      const LanePlace at = at_.place(s, p * at_.lanes());
      const std::size_t row =
          (std::size_t{at.block} * at_.ports() + p) * at_.ports() * at_.wide() + at.bit / 64;
      copy(port.grant_turn, {&grant_turn_[row], at_.wide(), own.count, at.bit % 64});
      copy(port.accept_turn, {&accept_turn_[row], at_.wide(), own.count, at.bit % 64});
      copy(port.lane_turn, {&lane_turn_[at_.word(at)], at_.wide(), at_.lanes(), at.bit % 64});
    }
  }
}

void BitSliced::enter() {
  if (std::any_of(units_.in.begin(), units_.in.end(),
                  [](const InLane& lane) { return lane.stage == Stage::draining; }))
    return;
  if (first_port_.empty()) make_words();
  if (!enter_credits()) return;
  for (auto* words : {&filled_, &head_, &sending_, &room_, &open_, &idle_, &closed_, &nic_,
                      &nic_left_, &nic_open_, &out_of_})
    std::fill(words->begin(), words->end(), 0);
  std::fill(waiting_.begin(), waiting_.end(), 0);
  choices_.leave_all();
  stranded_ = never;
  if (plain_) queues_.reserve_packets(units_.packets.size());
  const std::vector<std::uint32_t> left = flits_left();
  for (Index p = 0; p < layout_.switch_ports; ++p) enter_port(p);
  for (RequestList<Index>& list : units_.requested) list.end_at(list.begin());
  for (RequestList<SendRequest>& list : units_.senders) list.end_at(list.begin());
  each_lane([&](Index id) { enter_lane(id, left[id]); });
  for (Index host = 0; host < injection_.nics.size(); ++host) enter_nic(host);
  enter_events();
  copy_turns(true);
  on_ = true;
}

/// By in-lane: the flits of its front packet that have not left it yet, wherever they are.
std::vector<std::uint32_t> BitSliced::flits_left() const {
  // First those in the lane and on the link to it.
  std::vector<std::uint32_t> here(units_.in.size(), 0);
  std::vector<bool> ended(units_.in.size(), false);
  each_lane([&](Index id) {
    const InLane& lane = units_.in[id];
    if (lane.stage == Stage::idle) return;
    here[id] = lane.have;
    ended[id] = lane.has(InLane::ended);
  });
  units_.bodies.for_each(units_.now, [&](Cycle, const Arrival& flit) {
    const Index id = flit.lane & Arrival::lane_mask;
    const InLane& lane = units_.in[id];
    if (lane.stage == Stage::idle || ended[id] || lane.head.packet != flit.packet) return;
    ++here[id];
    ended[id] = (flit.lane & Arrival::tail) != 0;
  });
  std::vector<std::uint32_t> out = here;
  each_lane([&](Index id) {
    const InLane& lane = units_.in[id];
    if (lane.stage == Stage::idle) return;
    if (!lane.has(InLane::begun)) {
      out[id] = lane.head.flits;
      return;
    }
    for (Index at = id; !ended[at];) {
      const Index upstream = units_.other_end(at), port = layout_.port_of(upstream);
      if (layout_.is_host(port)) {
        out[id] += injection_.nics[port - layout_.switch_ports].left;
        return;
      }
      at = units_.holder(upstream);
      out[id] += here[at];
    }
  });
  return out;
}

void BitSliced::enter_port(Index p) {
  SwitchPort& port = units_.ports[p];
  port.waiting = nothing;
  port.requested = false;
  for (Index v = 0; v < at_.lanes(); ++v) {
    const Index id = (p << layout_.lane_bits) + v;
    const LanePlace at = place(id);
    const OutLane& out = units_.out[id];
    at_.set(credits_, count_bits_, at, static_cast<std::uint32_t>(out.credits));
    if (out.credits > 0) open_[at_.word(at)] |= at.mask();
    if ((port.idle & bit_at(v)) != 0) idle_[at_.word(at)] |= at.mask();
    if (port.peer == nothing) continue;
    if (!closed_.empty() && !port.to_host && !has(idle_, at) && out.holder == Units::no_holder)
      closed_[at_.word(at)] |= at.mask();
    PacketNode& queue = queues_[queue_of(units_.other_end(id))];
    queue = {};
    queue.last_holder =
        static_cast<std::uint16_t>(out.turn == 0 ? at_.switch_lanes() - 1
                                                 : layout_.port_of(out.turn - 1U) * at_.lanes() +
                                                       layout_.lane_in_port(out.turn - 1U));
    if (port.to_host) queues_[queue_of(id)] = {};  // nobody sends to it but a NIC
  }
}

/// Queues a packet. Of the switches that have routed its head, one comes behind those it has
/// passed if it is `routed` here.
void BitSliced::append(Index queue, const Head& head, bool routed) {
  if (!plain_) {
    HeadProgress progress = progress_of(head);
    if (routed) ++progress.hops;
    queues_.append(queue, head.packet, head.flits, progress);
    return;
  }
  PacketNode& before = queues_.append(queue, head.packet);
  const LanePlace at = at_.place_of_queue(queue / LaneQueues::apart);
  const Index home = at_.home(at);
  if (plain_phases_) {
    append_in_phase(before, head, home, routed);
    return;
  }
  PacketNode& node = queues_[queues_.node_of(head.packet)];
  node.row = static_cast<Index>(head.to * layout_.switches.size());
  node.set_course(head.hops + hops_to_go_[node.row + home], head.lane_class);
  before.port = next_ports_[node.row + home];
  const bool last = hops_to_go_[node.row + home] == 1;
  if (last)
    before.lane_class = layout_.set_to_host;
  else if (routed)
    before.lane_class = head.lane_class;
  else if (plain_classes_)
    before.lane_class = routing_.lane_table()(first_port_[home] + at.lane / at_.lanes(),
                                              before.port, head.lane_class);
}

void BitSliced::enter_lane(Index id, std::uint32_t left) {
  InLane& lane = units_.in[id];
  const LanePlace at = place(id);
  if (lane.next_lane > 0) {
    out_of_[at_.pair(at, lane.last_port)] |= at.mask();
    at_.set(lane_of_, lane_bits_, at, lane.next_lane - 1U);
  }
  at_.set(count_, count_bits_, at, 0);
  if (lane.stage == Stage::idle) {
    head_[at_.word(at)] |= at.mask();
    return;
  }
  const InLane front = lane;
  const Index queue = queue_of(id);
  const SwitchPort& out_port = units_.ports[units_.out_port_of(id)];
  const bool routed = front.stage != Stage::routing || front.has(InLane::routed);
  queues_[queue].port = static_cast<std::uint8_t>(front.out_port);
  Head head = front.head;
  if (routed) head.lane_class = front.lane_class;
  append(queue, head, routed);
  std::uint32_t count = front.have;
  while (lane.first != nothing) {
    units_.take_segment(lane);
    append(queue, lane.head, false);
    count += lane.have;
  }
  lane.flags = front.flags;  // for enter_events()
  for (Index i = queues_[queue].next; plain_ && i != nothing; i = queues_[i].next)
    queues_[i].arrives = static_cast<std::uint32_t>(units_.now) - 1;
  at_.set(count_, count_bits_, at, count);
  if (count > 0) filled_[at_.word(at)] |= at.mask();
  if (!front.has(InLane::begun)) head_[at_.word(at)] |= at.mask();
  at_.set(left_, left_bits_, at, left - 1);
  if (routed)
    at_.set(lane_set_, set_bits_, at, layout_.lane_set(head, front.lane_class, out_port.to_host));
  if (front.stage == Stage::waiting && front.has(InLane::chooses))
    choosing_.at(units_.now)[at_.word(at)] |= at.mask();
  else if (front.stage == Stage::waiting)
    lane_requested_.at(units_.now)[at_.pair(at, front.out_port)] |= at.mask();
  if (front.stage != Stage::sending) return;
  OutLane& out = units_.out[units_.out_lane_of(id)];
  out.sent -= head.flits - left;  // they are counted when the tail leaves
  sending_[at_.word(at)] |= at.mask();
  if (out.credits > 0) room_[at_.word(at)] |= at.mask();
}

void BitSliced::enter_nic(Index host) {
  const Nic& nic = injection_.nics[host];
  const Index first = (layout_.switch_ports + host) << layout_.lane_bits;
  for (Index v = 0; v < at_.lanes(); ++v) {
    const OutLane& out = units_.out[first + v];
    const LanePlace at = place(units_.other_end(first + v));
    at_.set(nic_credits_, count_bits_, at, static_cast<std::uint32_t>(out.credits));
    if (out.credits > 0) nic_open_[at_.word(at)] |= at.mask();
  }
  if (nic.packet == nothing) return;
  const LanePlace at = place(units_.other_end(first + nic.lane));
  units_.out[first + nic.lane].sent -= units_.packets[nic.packet].packet.flits - nic.left;
  nic_[at_.word(at)] |= at.mask();
  at_.set(nic_left_, left_bits_, at, nic.left - 1);
}

/// Credits that are on their way. False when two come to one lane in the same cycle, as they do
/// when a packet was thrown away: in words there is one at a time.
bool BitSliced::enter_credits() {
  bool single = true;
  units_.credits.for_each(units_.now, [&](Cycle at, Index out_lane) {
    const bool of_nic = layout_.is_host(layout_.port_of(out_lane));
    const LanePlace where = place(of_nic ? units_.other_end(out_lane) : out_lane);
    Word& word = credited_.at(at)[at_.word(where) + (of_nic ? head_.size() : 0)];
    single &= (word & where.mask()) == 0;
    word |= where.mask();
  });
  if (!single) {
    std::fill(credited_.words.begin(), credited_.words.end(), 0);
    return false;
  }
  units_.credits.take_all(units_.now, [](Cycle, Index) {});
  return true;
}

/// Everything else that is on its way.
void BitSliced::enter_events() {
  units_.heads.take_all(units_.now, [&](Cycle at, const HeadArrival& flit) {
    enter_head(flit, at - units_.head_lead);
  });
  units_.bodies.take_all(units_.now, [&](Cycle at, const Arrival& flit) {
    const LanePlace to = place(flit.lane & Arrival::lane_mask);
    arrivals_.at(at)[at_.word(to)] |= to.mask();
  });
  std::vector<std::pair<Cycle, Index>> routing;
  units_.routed.take_all(units_.now, [&](Cycle at, Index id) { routing.emplace_back(at, id); });
  for (const auto& [at, id] : routing) {
    if (const InLane& lane = units_.in[id]; lane.has(InLane::routed))
      lane_requested_.at(at)[at_.pair(place(id), lane.out_port)] |= place(id).mask();
    else
      route(place(id), at);
  }
}

/// A head arrives, or has arrived and is being routed (Units::head_lead).
void BitSliced::enter_head(const HeadArrival& flit, Cycle arrival) {
  const Index id = flit.lane & Arrival::lane_mask, queue = queue_of(id);
  const LanePlace at = place(id);
  const bool first = queues_[queue].next == nothing, here = arrival < units_.now;
  append(queue, flit.head, false);
  if (plain_) {
    queues_[queues_.node_of(flit.head.packet)].arrives = static_cast<std::uint32_t>(arrival);
  } else if (here) {
    at_.set(count_, count_bits_, at, at_.number(count_, count_bits_, at) + 1);
    filled_[at_.word(at)] |= at.mask();
  } else {
    arrivals_.at(arrival)[at_.word(at)] |= at.mask();
  }
  // It is routed when the packet before it has left, in whose lane left_at says when that was.
  if (first && (plain_ || here))
    route(at, std::max(arrival, units_.in[id].left_at) + layout_.head_delay);
}

}  // namespace weft::sim
