// SPDX-License-Identifier: Apache-2.0
// The cycle, and the fast path: unicast over equal links, credits, lanes that take turns by flit.
// Allocation is iSLIP with one iteration (McKeown, 1999), for lanes as for the crossbar: every
// resource picks one request, every request accepts one resource, both by round robin.
#include "sim/engine.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sim/round_robin.hpp"
#include "sim/stall.hpp"

namespace weft::sim {
namespace {

/// How often to look for deadlocks; and for errors of the books, where that is asked for.
Cycle look_interval(const NetworkOptions& options) { return options.check ? 97 : 4096; }

}  // namespace

Engine::Engine(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
               const NetworkOptions& options)
    : state(fabric, tables, model, options),
      by_out_(state.port_of_bit.size()),
      by_in_(state.port_of_bit.size()),
      by_lane_(state.port_of_bit.size()),
      rng_(options.seed),
      auditor_(state) {
  for (const Group& group : tables.groups) {
    auto& members = members_.emplace_back(fabric.host_count(), false);
    for (const HostId member : group.members) members[member.index()] = true;
  }
  plan_failures();
  next_look_ = look_interval(options);
}

Ended Engine::run(Network& network, Driver& driver, Cycle until) {
  network_ = &network;
  driver_ = &driver;
  while (state.now < until) {
    if (state.busy.empty() && state.active.empty()) {
      const Cycle next = next_event();
      if (next == never) {
        if (const auto found = find_stall(state)) {
          explanation = *found;
          return Ended::deadlocked;
        }
        auditor_.drained(state);
        return Ended::quiet;
      }
      if (next > state.now) {
        state.now = std::min(next, until);
        continue;
      }
    }
    step();
    ++state.now;
    if (state.now < next_look_) continue;
    next_look_ = state.now + look_interval(state.options);
    auditor_.look(state);
    if (const auto found = find_stall(state)) {
      explanation = *found;
      return Ended::deadlocked;
    }
  }
  return Ended::in_time;
}

Cycle Engine::next_event() const {
  Cycle next = std::min({state.arrivals.next(state.now), state.ejections.next(state.now),
                         state.credits.next(state.now), state.wants.next(state.now),
                         state.timers.next(state.now)});
  if (!failures_.empty()) next = std::min(next, std::max(failures_.back().at, state.now));
  return next;
}

void Engine::step() {
  if (!failures_.empty() && failures_.back().at <= state.now) fail_due();
  fired_.clear();
  state.timers.take(state.now, fired_);
  for (const Index host : fired_) driver_->timer(*network_, HostId(host));
  take_credits();
  take_arrivals();
  take_ejections();
  take_wants();
  state.active.filter([this](Index host) { return inject(host); });
  state.busy.filter([this](Index at) { return serve(at); });
}

void Engine::take_credits() {
  if (!state.plain) {
    state.credits.take(state.now, [this](Index signal) { take_signal(signal); });
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

void Engine::take_arrivals() {
  if (state.plain)
    state.arrivals.take(state.now, [this](const Arrival& flit) { arrive(flit); });
  else
    state.arrivals.take(state.now, [this](const Arrival& flit) { arrive_full(flit); });
}

inline void Engine::arrive(const Arrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  const auto ended =
      static_cast<std::uint16_t>((flit.lane & Arrival::tail) != 0 ? InLane::ended : 0);
  InLane& lane = state.in[id];
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

void Engine::take_ejections() {
  state.ejections.take(state.now, [this](const Arrival& flit) {
    const Index port = state.port_of(flit.lane & Arrival::lane_mask);
    const HostId host(port - state.switch_ports);
    std::optional<Loss> why;
    if ((flit.lane & Arrival::bad) != 0) why = Loss::corrupted;
    if (!state.dead.empty() && state.dead[port]) why = Loss::link_down;
    end_piece(flit.packet, host, why);
  });
}

void Engine::take_wants() {
  state.wants.take(state.now, [this](Index id) { route_front(state.in[id], id); });
}

void Engine::route_front(InLane& lane, Index id) {
  if (lane.stage != Stage::routing) return;  // the switch has failed
  Slot& slot = state.slots[lane.packet];
  if (slot.packet.group != no_group) {
    start_branches(lane, id);
    return;
  }
  const SwitchState& at = state.switches[lane.home];
  const auto in_port = static_cast<PortNumber>(state.port_of_bit[lane.bit] + 1);
  const Steering::Way way = state.steering(lane.home, in_port, slot);
  if (!state.leads_on(at, way, slot.packet.to)) {
    drain(lane, id, Loss::no_route);
    return;
  }
  if (++slot.hops > 4 * state.switches.size() + 4) {
    drain(lane, id, Loss::loop);
    return;
  }
  slot.lane_class = lane.lane_class = way.lane_class;
  lane.port = static_cast<std::uint16_t>(way.port - 1);
  if (!state.dead.empty() && state.dead[at.first_port + lane.port]) {
    drain(lane, id, Loss::link_down);
    return;
  }
  lane.stage = Stage::waiting;
  state.set_bit(state.want, lane);
}

bool Engine::serve(Index index) {
  const SwitchState& at = state.switches[index];
  if (state.plain) {
    std::uint64_t& want = state.want[at.first_word];
    std::uint64_t& ready = state.ready[at.first_word];
    const std::uint64_t was_ready = ready;
    const std::uint64_t fresh = want != 0 ? allocate_lanes(at) : 0;
    if (was_ready != 0) allocate_switch(at, was_ready);
    ready |= fresh;
    return (ready | want) != 0;
  }
  std::uint64_t wants = 0, readies = 0, left = 0;
  for (Index w = 0; w < at.words; ++w) {
    wants |= state.want[at.first_word + w];
    readies |= state.ready[at.first_word + w];
  }
  fresh_.clear();
  if (wants != 0) allocate_lanes_full(at);
  if (readies != 0) allocate_switch_full(at);
  for (const Index id : fresh_) refresh_ready(id);
  for (Index w = 0; w < at.words; ++w)
    left |= state.want[at.first_word + w] | state.ready[at.first_word + w];
  return left != 0;
}

/// The lanes of `port` that the front packet may have now.
std::uint64_t Engine::offer(const InLane& lane, Index port) const {
  std::uint64_t out = state.ports[port].idle & state.allowed(lane, port);
  if (!state.cut_through) return out;
  for (std::uint64_t left = out; left != 0; left &= left - 1)
    if (!state.has_room(state.out[port * state.lanes + lowest(left)], lane.packet))
      out &= ~(left & (~left + 1));
  return out;
}

/// Returns the in-lanes that may send from the next cycle on.
std::uint64_t Engine::allocate_lanes(const SwitchState& at) {
  std::uint64_t& want = state.want[at.first_word];
  std::uint64_t outs = 0;
  for (std::uint64_t bits = want; bits != 0; bits &= bits - 1) {
    const Index bit = lowest(bits);
    const Index id = at.first_lane + bit;
    const InLane& lane = state.in[id];
    const std::uint64_t lanes = offer(lane, at.first_port + lane.port);
    if (lanes == 0) {
      want &= ~(std::uint64_t{1} << bit);
      state.park(id, at.first_port + lane.port);
      continue;
    }
    const std::uint64_t out = std::uint64_t{1} << lane.port;
    if ((outs & out) == 0) asking_[lane.port] = 0;
    outs |= out;
    asking_[lane.port] |= std::uint64_t{1} << bit;
    offered_[bit] = lanes;
  }
  std::uint64_t fresh = 0;
  for (; outs != 0; outs &= outs - 1) {
    const Index o = lowest(outs);
    const std::uint64_t asking = asking_[o];
    if ((asking & (asking - 1)) == 0)
      fresh |= take_lane(at, lowest(asking), o, offered_[lowest(asking)]);
    else
      fresh |= share_lanes(at, asking, o);
  }
  return fresh;
}

/// The in-lane accepts one of the lanes that were granted to it.
std::uint64_t Engine::take_lane(const SwitchState& at, Index bit, Index o, std::uint64_t granted) {
  const Index id = at.first_lane + bit, base = o * state.lanes, count = at.ports * state.lanes;
  Index& turn = state.lane_turn[id];
  const bool within = turn >= base && turn < base + state.lanes;
  const Index v = first_from(granted, within ? turn - base : 0);
  Port& port = state.ports[at.first_port + o];
  OutLane& out = state.out[at.first_lane + base + v];
  InLane& lane = state.in[id];
  turn = after(base + v, count);
  out.turn = after(bit, count);
  out.holder = id;
  port.idle &= ~(std::uint64_t{1} << v);
  port.senders |= std::uint64_t{1} << bit;
  lane.out = at.first_lane + base + v;
  lane.stage = Stage::sending;
  state.want[at.first_word] &= ~(std::uint64_t{1} << bit);
  return out.credits > 0 ? std::uint64_t{1} << bit : 0;
}

/// Several in-lanes ask for lanes of one port: every lane is granted to one of them.
std::uint64_t Engine::share_lanes(const SwitchState& at, std::uint64_t asking, Index o) {
  std::uint64_t lanes = 0, fresh = 0;
  for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1) {
    lanes |= offered_[lowest(bits)];
    granted_[lowest(bits)] = 0;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const Index v = lowest(lanes);
    std::uint64_t able = asking;
    for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1)
      if ((offered_[lowest(bits)] >> v & 1) == 0) able &= ~(bits & (~bits + 1));
    granted_[first_from(able, state.out[at.first_lane + o * state.lanes + v].turn)] |=
        std::uint64_t{1} << v;
  }
  for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1)
    if (const Index bit = lowest(bits); granted_[bit] != 0)
      fresh |= take_lane(at, bit, o, granted_[bit]);
  return fresh;
}

/// Round robin of an out-port: the next in-port of those with a bit in `asking`, its next lane.
inline Index Engine::pick(const SwitchState& at, std::uint64_t asking, Index o) const {
  const Index turn = state.ports[at.first_port + o].grant_turn;
  const Index p = state.port_of_bit[first_from(asking, turn * state.lanes)];
  const std::uint64_t lanes = asking >> (p * state.lanes) & state.all_lanes;
  return p * state.lanes + first_from(lanes, state.ports[at.first_port + p].lane_turn);
}

void Engine::allocate_switch(const SwitchState& at, std::uint64_t ready) {
  if ((ready & (ready - 1)) == 0) {
    send_flit(at, lowest(ready));
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
  for (; outs != 0; outs &= outs - 1) send_flit(at, winner_[lowest(outs)]);
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

inline void Engine::send_flit(const SwitchState& at, Index bit) {
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
  state.credits.push(state.now + in_port.back, lane.upstream);
  const Cycle arrival = state.now + port.flight;
  if (out.target < state.switch_lanes) {
    --out.credits;
    const Index flags =
        ((lane.flags & InLane::begun) != 0 ? 0 : Arrival::head) | (tail ? Arrival::tail : 0);
    state.arrivals.push(arrival, {out.target | flags, lane.packet});
  } else {
    if (tail) state.ejections.push(arrival, {out.target, lane.packet});
    if (!state.endless_hosts) {
      --out.credits;
      state.credits.push(arrival + port.back, lane.out);
    }
  }
  lane.flags |= InLane::begun;
  if (!tail && lane.have > 0 && out.credits > 0) return;
  state.ready[at.first_word] &= ~(std::uint64_t{1} << bit);
  if (!tail) return;
  port.senders &= ~(std::uint64_t{1} << bit);
  state.release_lane(lane.out, at.first_port + o);
  state.next_front(lane, id);
}

}  // namespace weft::sim
