// SPDX-License-Identifier: Apache-2.0
// The fast path: unicast over links of one speed, lanes that take turns by flit, and switches whose
// in-lanes fit a machine word. Requests are bits. Allocation is iSLIP with one iteration (McKeown,
// 1999), for lanes as for the crossbar: every resource picks one request, every request accepts one
// resource, both by round robin.
#include "sim/engine/engine.hpp"
#include "sim/engine/round_robin.hpp"

namespace weft::sim {

/// Stop and go: an out-lane has no room, or all there is.
void Engine::take_signal_fast(Index signal) {
  const Index id = signal & State::signal_mask;
  OutLane& lane = state.out[id];
  const bool stop = (signal & State::stop_signal) != 0;
  lane.credits = stop ? 0 : State::endless;
  if (id >= state.switch_lanes) {
    state.active.insert(lane.holder);
  } else if (lane.holder != nothing) {
    const InLane& holder = state.in[lane.holder];
    if (stop)
      state.clear_bit(state.ready, holder);
    else if (holder.have > 0)
      state.set_bit(state.ready, holder);
  }
}

void Engine::take_credits_fast() {
  if (state.stop_go) {
    state.credits.take(state.now, [this](Index signal) { take_signal_fast(signal); });
    return;
  }
  state.credits.take(state.now, [this](Index id) {
    OutLane& lane = state.out[id];
    const bool first = ++lane.credits == 1;
    if (!first && !state.cut_through) return;
    if (id >= state.switch_lanes) {
      state.active.insert(lane.holder);
      return;
    }
    if (state.cut_through) state.unpark(state.port_of(id));
    if (!first || lane.holder == nothing) return;
    if (const InLane& holder = state.in[lane.holder]; holder.have > 0)
      state.set_bit(state.ready, holder);
  });
}

inline void Engine::arrive_fast(const Arrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  const auto ended =
      static_cast<std::uint16_t>((flit.lane & Arrival::tail) != 0 ? InLane::ended : 0);
  InLane& lane = state.in[id];
  if (state.stop_go) state.flit_came(id);
  if ((flit.lane & Arrival::head) != 0) {
    if (lane.stage != Stage::idle) {
      state.append(lane, id, flit, ended);
      return;
    }
    lane.packet = flit.packet;
    lane.have = 1;
    lane.flags = ended;
    lane.stage = Stage::routing;
    if (!state.store_and_forward || ended != 0) state.route_at(id, state.now);
    return;
  }
  if ((lane.flags & InLane::queue) != 0) {
    Segment& last = state.segments[state.queues[id].last];
    ++last.have;
    last.flags |= ended;
    return;
  }
  lane.flags |= ended;
  ++lane.have;
  if (lane.stage == Stage::sending) {
    if (lane.have == 1 && state.out[lane.out].credits > 0) state.set_bit(state.ready, lane);
  } else if (lane.stage == Stage::draining) {
    throw_away(lane, id);
  } else if (state.store_and_forward && ended != 0) {
    state.route_at(id, state.now);
  }
}

void Engine::take_arrivals_fast() {
  state.arrivals.take(state.now, [this](const Arrival& flit) { arrive_fast(flit); });
}

/// Returns the in-lanes that may send from the next cycle on.
std::uint64_t Engine::allocate_lanes_fast(const SwitchState& at) {
  std::uint64_t& want = state.want[at.first_word];
  std::uint64_t outs = 0;
  for (std::uint64_t bits = want; bits != 0; bits &= bits - 1) {
    const Index bit = lowest(bits);
    const Index id = at.first_lane + bit;
    const InLane& lane = state.in[id];
    const bool chooses = (lane.flags & InLane::chooses) != 0;
    const std::uint64_t lanes =
        chooses ? choose_port(at, bit) : state.offer(lane, at.first_port + lane.port);
    if (lanes == 0) {
      want &= ~(std::uint64_t{1} << bit);
      if (!chooses) state.park(id, at.first_port + lane.port);
      continue;
    }
    const std::uint64_t out = std::uint64_t{1} << lane.port;
    if ((outs & out) == 0) asking_[lane.port] = 0;
    outs |= out;
    asking_[lane.port] |= std::uint64_t{1} << bit;
    shares_.offered[bit] = lanes;
  }
  std::uint64_t fresh = 0;
  for (; outs != 0; outs &= outs - 1) {
    const Index o = lowest(outs);
    const std::uint64_t asking = asking_[o];
    if ((asking & (asking - 1)) == 0)
      fresh |= take_lane(at, lowest(asking), o, shares_.offered[lowest(asking)]);
    else
      fresh |= share_lanes(at, asking, o);
  }
  return fresh;
}

/// The in-lane accepts one of the lanes that were granted to it.
std::uint64_t Engine::take_lane(const SwitchState& at, Index bit, Index o, std::uint64_t granted) {
  const Index id = at.first_lane + bit, base = o * state.lanes, count = at.ports * state.lanes;
  const Index v = accept_lane(granted, base, state.lanes, state.lane_turn[id]);
  Port& port = state.ports[at.first_port + o];
  OutLane& out = state.out[at.first_lane + base + v];
  InLane& lane = state.in[id];
  out.turn = after(bit, count);
  out.holder = id;
  port.idle &= ~(std::uint64_t{1} << v);
  port.senders |= std::uint64_t{1} << bit;
  lane.out = at.first_lane + base + v;
  lane.stage = Stage::sending;
  state.want[at.first_word] &= ~(std::uint64_t{1} << bit);
  return out.credits > 0 ? std::uint64_t{1} << bit : 0;
}

/// Several in-lanes ask for lanes of one port.
std::uint64_t Engine::share_lanes(const SwitchState& at, std::uint64_t asking, Index o) {
  const OutLane* const out = &state.out[at.first_lane + o * state.lanes];
  shares_.share(asking, [out](Index v) { return out[v].turn; });
  std::uint64_t fresh = 0;
  for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1)
    if (const Index bit = lowest(bits); shares_.granted[bit] != 0)
      fresh |= take_lane(at, bit, o, shares_.granted[bit]);
  return fresh;
}

/// Round robin of an out-port: the next in-port of those with a bit in `asking`, its next lane.
inline Index Engine::pick(const SwitchState& at, std::uint64_t asking, Index o) const {
  const Index turn = state.ports[at.first_port + o].grant_turn;
  const Index p = state.port_of_bit[first_from(asking, turn * state.lanes)];
  const std::uint64_t lanes = asking >> (p * state.lanes) & state.all_lanes;
  return p * state.lanes + first_from(lanes, state.ports[at.first_port + p].lane_turn);
}

void Engine::allocate_switch_fast(const SwitchState& at, std::uint64_t ready) {
  if ((ready & (ready - 1)) == 0) {
    send_flit_fast(at, lowest(ready));
    return;
  }
  std::uint64_t outs = 0, ins = 0, clash = 0;
  for (std::uint64_t bits = ready; bits != 0; bits &= bits - 1)
    outs |= std::uint64_t{1} << state.in[at.first_lane + lowest(bits)].port;
  for (std::uint64_t left = outs; left != 0; left &= left - 1) {
    const Index o = lowest(left);
    const std::uint64_t asking = ready & state.ports[at.first_port + o].senders;
    const Index bit = (asking & (asking - 1)) == 0 ? lowest(asking) : pick(at, asking, o);
    const std::uint64_t in = std::uint64_t{1} << state.port_of_bit[bit];
    winner_[o] = bit;
    clash |= ins & in;
    ins |= in;
  }
  if (clash != 0) outs = accepted(at, outs);
  for (; outs != 0; outs &= outs - 1) send_flit_fast(at, winner_[lowest(outs)]);
}

/// An in-port that has won several out-ports accepts one of them; returns the accepted ones.
std::uint64_t Engine::accepted(const SwitchState& at, std::uint64_t outs) const {
  std::uint64_t result = outs;
  for (std::uint64_t left = outs; left != 0; left &= left - 1) {
    const Index o = lowest(left), p = state.port_of_bit[winner_[o]];
    const Index turn = state.ports[at.first_port + p].accept_turn;
    for (std::uint64_t others = outs; others != 0; others &= others - 1)
      if (const Index other = lowest(others);
          state.port_of_bit[winner_[other]] == p &&
          distance(other, turn, at.ports) < distance(o, turn, at.ports))
        result &= ~(left & (~left + 1));
  }
  return result;
}

inline void Engine::send_flit_fast(const SwitchState& at, Index bit) {
  const Index id = at.first_lane + bit;
  InLane& lane = state.in[id];
  OutLane& out = state.out[lane.out];
  const Index p = state.port_of_bit[bit], o = lane.port;
  Port& in_port = state.ports[at.first_port + p];
  Port& port = state.ports[at.first_port + o];
  port.grant_turn = after(p, at.ports);
  in_port.accept_turn = after(o, at.ports);
  in_port.lane_turn = after(state.lane_of_bit[bit], state.lanes);

  const bool tail = lane.have == 1 && (lane.flags & InLane::ended) != 0;
  --lane.have;
  ++out.sent;
  ++state.totals.flit_hops;
  if (state.stop_go)
    state.flits_left(id, 1);
  else
    state.credits.push(state.now + in_port.back, lane.upstream);
  const Cycle arrival = state.now + port.flight;
  if (out.target < state.switch_lanes) {
    if (!state.stop_go) --out.credits;
    const Index flags = (lane.sent != 0 ? 0 : Arrival::head) | (tail ? Arrival::tail : 0);
    state.arrivals.push(arrival, {out.target | flags, lane.packet});
  } else {
    if (tail) state.ejections.push(arrival, {out.target, lane.packet});
    if (!state.endless_hosts) {
      --out.credits;
      state.credits.push(arrival + port.back, lane.out);
    }
  }
  ++lane.sent;
  if (!tail && lane.have > 0 && out.credits > 0) return;
  state.ready[at.first_word] &= ~(std::uint64_t{1} << bit);
  if (!tail) return;
  port.senders &= ~(std::uint64_t{1} << bit);
  state.end_packet(lane.out, at.first_port + o);
  state.next_front(lane, id);
}

bool Engine::serve_fast(Index index) {
  const SwitchState& at = state.switches[index];
  std::uint64_t& want = state.want[at.first_word];
  std::uint64_t& ready = state.ready[at.first_word];
  const std::uint64_t was_ready = ready;
  const std::uint64_t fresh = want != 0 ? allocate_lanes_fast(at) : 0;
  if (was_ready != 0) allocate_switch_fast(at, was_ready);
  ready |= fresh;
  return (ready | want) != 0;
}

}  // namespace weft::sim
