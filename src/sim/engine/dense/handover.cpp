// SPDX-License-Identifier: Apache-2.0
// Handing a network over between the event-driven fast path and words.
#include <algorithm>
#include <utility>

#include "sim/engine/dense/dense.hpp"

namespace weft::sim {
namespace {

/// A turn among `count` of one switch; its masks are `stride` words apart.
struct Turn {
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

void Dense::copy_turns(bool into_words) {
  const auto copy = [into_words](Index& turn, const Turn& masks) {
    if (into_words)
      masks.write(turn);
    else
      turn = masks.read();
  };
  for (Index s = 0; s < state_.switches.size(); ++s) {
    const SwitchState& own = state_.switches[s];
    for (Index p = 0; p < own.ports; ++p) {
      Port& port = state_.ports[own.first_port + p];
      const Place at = at_.place(s, p * at_.lanes());
      const std::size_t row =
          (std::size_t{at.block} * at_.ports() + p) * at_.ports() * at_.wide() + at.bit / 64;
      copy(port.grant_turn, {&grant_turn_[row], at_.wide(), own.ports, at.bit % 64});
      copy(port.accept_turn, {&accept_turn_[row], at_.wide(), own.ports, at.bit % 64});
      copy(port.lane_turn, {&lane_turn_[at_.word(at)], at_.wide(), at_.lanes(), at.bit % 64});
    }
  }
}

void Dense::enter() {
  if (std::any_of(state_.in.begin(), state_.in.end(),
                  [](const InLane& lane) { return lane.stage == Stage::draining; }))
    return;
  if (first_lane_.empty()) make_words();
  if (!enter_credits()) return;
  for (auto* words : {&filled_, &head_, &sending_, &room_, &open_, &idle_, &nic_, &nic_left_,
                      &nic_open_, &out_of_})
    std::fill(words->begin(), words->end(), 0);
  allocates_ = comes_ = state_.now;
  for (Index s = 0; s < state_.switches.size(); ++s)
    for (Index p = 0; p < state_.switches[s].ports; ++p) enter_port(s, p);
  for (const OutLane& out : state_.out)
    if (out.target != nothing) {
      const Index line = line_of(out.target);
      knots_[line] = {};
      knots_[line].had = static_cast<std::uint16_t>((out.turn == 0 ? at_.slots() : out.turn) - 1);
    }
  for (Index id = 0; id < state_.in.size(); ++id) enter_lane(id);
  for (Index host = 0; host < state_.nics.size(); ++host) enter_nic(host);
  std::fill(state_.ready.begin(), state_.ready.end(), 0);
  std::fill(state_.want.begin(), state_.want.end(), 0);
  enter_events();
  copy_turns(true);
  on_ = true;
}

void Dense::enter_port(Index s, Index p) {
  Port& port = state_.ports[first_port_[s] + p];
  port.parked = nothing;
  const Place first = at_.place(s, p * at_.lanes());
  for (Index v = 0; v < at_.lanes(); ++v) {
    const Place at{first.block, first.slot + v, first.bit};
    const std::int32_t credits = state_.out[lane_at(at)].credits;
    at_.set(credits_, count_bits_, at, static_cast<std::uint32_t>(credits));
    if (credits > 0) open_[at_.word(at)] |= at.mask();
    if ((port.idle >> v & 1) != 0) idle_[at_.word(at)] |= at.mask();
  }
}

void Dense::enter_lane(Index id) {
  InLane& lane = state_.in[id];
  const Place at = place(id);
  if (const Index turn = state_.lane_turn[id]; turn > 0) {  // behind the lane that it had last
    out_of_[at_.pair(at, (turn - 1) / at_.lanes())] |= at.mask();
    at_.set(lane_of_, lane_bits_, at, (turn - 1) % at_.lanes());
  }
  const Index line = line_of(id);
  knots_[line].port = lane.port;
  std::uint32_t count = lane.have;
  if (lane.stage != Stage::idle) queue(line, lane.packet);
  const bool routed = lane.stage != Stage::routing || (lane.flags & InLane::routed) != 0;
  while ((lane.flags & InLane::queue) != 0) {
    const Segment segment = state_.take_segment(lane, id);
    queue(line, segment.packet);
    count += segment.have;
  }
  for (Index i = knots_[line].next; plain_ && i != nothing; i = knots_[i].next) {
    const bool counted = i == knots_[line].next && routed;
    Slot& slot = state_.slots[packet_of(i)];
    slot.set_hops(slot.hops + to_go_[knots_[i].row + lane.home] - (counted ? 1U : 0U));
    knots_[i].arrives = static_cast<std::uint32_t>(state_.now) - 1;
  }
  at_.set(count_, count_bits_, at, count);
  if (count > 0) filled_[at_.word(at)] |= at.mask();
  if (lane.sent == 0) head_[at_.word(at)] |= at.mask();
  if (lane.stage == Stage::idle) return;
  at_.set(left_, left_bits_, at, state_.slots[lane.packet].packet.flits - lane.sent - 1);
  if (routed)
    at_.set(may_, at_.lanes(), at, state_.allowed(lane, first_port_[lane.home] + lane.port));
  if (lane.stage == Stage::waiting) wanted_.at(state_.now)[at_.pair(at, lane.port)] |= at.mask();
  if (lane.stage != Stage::sending) return;
  OutLane& out = state_.out[lane.out];
  out.sent -= lane.sent;  // they are counted when the tail leaves
  sending_[at_.word(at)] |= at.mask();
  if (out.credits > 0) room_[at_.word(at)] |= at.mask();
}

void Dense::enter_nic(Index host) {
  const Nic& nic = state_.nics[host];
  for (Index v = 0; v < at_.lanes(); ++v) {
    const OutLane& out = state_.out[(state_.switch_ports + host) * at_.lanes() + v];
    const Place at = place(out.target);
    at_.set(nic_credits_, count_bits_, at, static_cast<std::uint32_t>(out.credits));
    if (out.credits > 0) nic_open_[at_.word(at)] |= at.mask();
  }
  if (nic.packet == nothing) return;
  OutLane& out = state_.out[nic.out];
  const Place at = place(out.target);
  out.sent -= state_.slots[nic.packet].packet.flits - nic.left;
  nic_[at_.word(at)] |= at.mask();
  at_.set(nic_left_, left_bits_, at, nic.left - 1);
}

/// Credits that are on their way. False when two come to one lane in the same cycle, as they do
/// when a packet was thrown away: in words there is one at a time.
bool Dense::enter_credits() {
  bool single = true;
  for (Cycle at = state_.now; at <= state_.now + credited_.mask; ++at)
    state_.credits.look(at, [&](Index out_lane) {
      const bool of_nic = out_lane >= state_.switch_lanes;  // ports have as many lanes in as out
      const Place where = place(of_nic ? state_.out[out_lane].target : out_lane);
      Word& word = credited_.at(at)[at_.word(where) + (of_nic ? head_.size() : 0)];
      single &= (word & where.mask()) == 0;
      word |= where.mask();
    });
  if (!single) {
    std::fill(credited_.words.begin(), credited_.words.end(), 0);
    return false;
  }
  for (Cycle at = state_.now; at <= state_.now + credited_.mask; ++at)
    state_.credits.take(at, [](Index) {});
  return true;
}

/// Everything else that is on its way.
void Dense::enter_events() {
  for (Cycle at = state_.now; at <= state_.now + arrivals_.mask; ++at)
    state_.arrivals.take(at, [&](const Arrival& flit) {
      const Index id = flit.lane & Arrival::lane_mask;
      const Index line = line_of(id);
      if ((flit.lane & Arrival::head) != 0) queue(line, flit.packet);
      if (!plain_) {
        arrivals_.at(at)[at_.word(place(id))] |= place(id).mask();
        return;
      }
      Knot& knot = knots_[knot_of(flit.packet)];
      knot.arrives = static_cast<std::uint32_t>(at);
      Slot& slot = state_.slots[flit.packet];
      slot.set_hops(slot.hops + to_go_[knot.row + state_.in[id].home]);
      if (front(line) == flit.packet) route(place(id), at + state_.head_delay);
    });
  std::vector<std::pair<Cycle, Index>> routing;
  for (Cycle at = state_.now; at <= state_.now + wanted_.mask; ++at)
    state_.wants.take(at, [&](Index id) { routing.emplace_back(at, id); });
  for (const auto& [at, id] : routing) {
    if (const InLane& lane = state_.in[id]; (lane.flags & InLane::routed) != 0)
      wanted_.at(at)[at_.pair(place(id), lane.port)] |= place(id).mask();
    else
      route(place(id), at);
  }
  for (InLane& lane : state_.in) lane.flags = 0;
}

void Dense::count_sent() {
  for (OutLane& out : state_.out)
    if (out.target != nothing) out.sent += std::exchange(knots_[line_of(out.target)].sent, 0);
}

void Dense::leave() {
  on_ = false;
  count_sent();
  for (OutLane& out : state_.out) {
    if (out.target == nothing) continue;
    out.turn = after(knots_[line_of(out.target)].had, at_.slots());
  }
  for (Index p = 0; p < state_.switch_ports; ++p)
    state_.ports[p].senders = state_.ports[p].idle = 0;
  for (Index id = 0; id < state_.in.size(); ++id) {
    const Place at = place(id);
    OutLane& lane = state_.out[id];
    lane.holder = nothing;
    if ((idle_[at_.word(at)] & at.mask()) != 0)
      state_.ports[state_.port_of(id)].idle |= Word{1} << state_.lane_in_port(id);
    if (lane.target < state_.switch_lanes)
      lane.credits = static_cast<std::int32_t>(at_.number(credits_, count_bits_, at));
  }
  for (Index id = 0; id < state_.in.size(); ++id) {
    if (plain_) count_flits(id);
    leave_stage(id);
  }
  leave_events();
  for (Index host = 0; host < state_.nics.size(); ++host) leave_nic(host);
  copy_turns(false);
}

/// Puts into words what plain networks do without: where the flits of an in-lane are.
void Dense::count_flits(Index id) {
  const Place at = place(id);
  const Index line = line_of(id);
  std::uint32_t count = 0;
  for (Index i = knots_[line].next; i != nothing; i = knots_[i].next) {
    const Knot& knot = knots_[i];
    const bool first = i == knots_[line].next;
    const bool here = static_cast<std::int32_t>(knot.arrives - static_cast<Index>(comes_)) < 0;
    count += here ? 1 : 0;
    Slot& slot = state_.slots[packet_of(i)];
    slot.set_hops(slot.hops - to_go_[knot.row + state_.in[id].home] + (first && here ? 1U : 0U));
    if (!here) arrivals_.at(knot.arrives)[at_.word(at)] |= at.mask();
    if (first && !here)
      wanted_.at(knot.arrives + state_.head_delay)[at_.pair(at, knots_[line].port)] &= ~at.mask();
  }
  at_.set(count_, count_bits_, at, count);
  Word& filled = filled_[at_.word(at)];
  filled = count > 0 ? filled | at.mask() : filled & ~at.mask();
}

/// Where the front packet stands.
void Dense::leave_stage(Index id) {
  const Place at = place(id);
  const auto has = [&](const Words& words) { return (words[at_.word(at)] & at.mask()) != 0; };
  InLane& lane = state_.in[id];
  const Index line = line_of(id);
  const bool idle = knots_[line].next == nothing || (has(head_) && !has(filled_));
  lane.packet = idle ? nothing : front(line);
  lane.stage = idle ? Stage::idle : has(sending_) ? Stage::sending : Stage::routing;
  state_.lane_turn[id] = 0;
  for (Index o = 0; o < at_.ports(); ++o) {
    const Index port = first_port_[lane.home] + o;
    if ((out_of_[at_.pair(at, o)] & at.mask()) != 0) {
      const Index out_lane = o * at_.lanes() + at_.number(lane_of_, lane_bits_, at);
      state_.lane_turn[id] = out_lane + 1;
      lane.out = first_lane_[lane.home] + out_lane;
      if (lane.stage == Stage::sending) lane.port = static_cast<std::uint16_t>(o);
    }
    Word& wanted = wanted_.at(allocates_)[at_.pair(at, o)];
    if ((wanted & at.mask()) == 0) continue;
    wanted &= ~at.mask();
    lane.stage = Stage::waiting;
    lane.port = static_cast<std::uint16_t>(o);
    if (state_.offer(lane, port) != 0)
      state_.set_bit(state_.want, lane);
    else
      state_.park(id, port);
  }
}

void Dense::leave_events() {
  std::vector<std::vector<Rest>> to_come(state_.in.size());
  for (Index id = 0; id < state_.in.size(); ++id) to_come[id] = leave_lane(id);
  const auto take = [this](Later& later, auto visit) {
    for (Cycle at = state_.now; at <= state_.now + later.mask; ++at) {
      Word* const due = later.at(at);
      for (Index i = 0; i < later.each; ++i)
        for (Word bits = std::exchange(due[i], 0); bits != 0; bits &= bits - 1) {
          const Index row = i / at_.wide();  // of slots
          visit(at, row,
                Place{row / at_.slots(), row % at_.slots(), i % at_.wide() * 64 + lowest(bits)});
        }
    }
  };
  take(arrivals_, [&](Cycle at, Index, const Place& to) {
    const Index id = lane_at(to);
    state_.arrivals.push(at, next_flit(id, to_come[id]));
  });
  take(credited_, [&](Cycle at, Index, Place to) {
    const bool of_nic = to.block >= blocks_;
    if (of_nic) to.block -= blocks_;
    state_.credits.push(at, of_nic ? state_.in[lane_at(to)].upstream : lane_at(to));
  });
  take(wanted_, [&](Cycle at, Index row, Place who) {
    who.block = row / at_.slots() / at_.ports();
    InLane& lane = state_.in[lane_at(who)];
    lane.port = static_cast<std::uint16_t>(row / at_.slots() % at_.ports());
    lane.flags |= InLane::routed;
    state_.wants.push(at, lane_at(who));
  });
}

/// The next flit that comes to an in-lane, of the packets that are not all there.
Arrival Dense::next_flit(Index id, std::vector<Rest>& rests) const {
  Rest& rest = rests.front();
  Arrival flit{id, rest.packet};
  if (rest.flits == state_.slots[rest.packet].packet.flits) flit.lane |= Arrival::head;
  if (--rest.flits == 0) {
    flit.lane |= Arrival::tail;
    rests.erase(rests.begin());
  }
  return flit;
}

/// Returns the packets of which flits have yet to come.
std::vector<Dense::Rest> Dense::leave_lane(Index id) {
  InLane& lane = state_.in[id];
  const Place at = place(id);
  std::vector<Rest> rests;
  const auto length = [this](Index packet) { return state_.slots[packet].packet.flits; };
  const bool idle = lane.stage == Stage::idle;
  for (const Index line = line_of(id); knots_[line].next != nothing; pop(line)) {
    const bool begun = rests.empty() && !idle;
    const Index packet = front(line);
    rests.push_back({packet, begun ? at_.number(left_, left_bits_, at) + 1 : length(packet)});
  }
  std::uint32_t count = at_.number(count_, count_bits_, at);
  lane.have = lane.flags = 0;
  lane.sent = 0;
  for (bool front = !idle; front || count > 0; front = false) {
    Rest& rest = rests.front();
    const std::uint32_t here = std::min(count, rest.flits);
    const auto ended = static_cast<std::uint16_t>(here == rest.flits ? InLane::ended : 0);
    count -= here;
    if (front) {
      lane.have = static_cast<std::uint16_t>(here);
      lane.flags = ended;
      lane.sent = length(rest.packet) - rest.flits;
    } else {
      state_.append(lane, id, {id, rest.packet}, ended);
      state_.segments[state_.queues[id].last].have = static_cast<std::uint16_t>(here);
    }
    rest.flits -= here;
    if (rest.flits > 0) break;
    rests.erase(rests.begin());
  }
  if (lane.stage != Stage::sending) {
    lane.out = nothing;
    return rests;
  }
  OutLane& out = state_.out[lane.out];
  out.holder = id;
  out.turn = after(lane.bit, at_.slots());
  out.sent += lane.sent;
  state_.ports[state_.switches[lane.home].first_port + lane.port].senders |= Word{1} << lane.bit;
  if (lane.have > 0 && out.credits > 0) state_.set_bit(state_.ready, lane);
  return rests;
}

void Dense::leave_nic(Index host) {
  Nic& nic = state_.nics[host];
  for (Index v = 0; v < at_.lanes(); ++v) {
    OutLane& out = state_.out[(state_.switch_ports + host) * at_.lanes() + v];
    out.credits =
        static_cast<std::int32_t>(at_.number(nic_credits_, count_bits_, place(out.target)));
  }
  if (nic.packet != nothing) {
    OutLane& out = state_.out[nic.out];
    nic.left = at_.number(nic_left_, left_bits_, place(out.target)) + 1;
    out.sent += state_.slots[nic.packet].packet.flits - nic.left;
  }
  if (nic.packet != nothing || nic.first != nothing) state_.active.insert(host);
}

}  // namespace weft::sim
