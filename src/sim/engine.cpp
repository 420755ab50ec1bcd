// SPDX-License-Identifier: Apache-2.0
// The cycle, and the fast path: unicast over equal links, credits, lanes that take turns by flit.
// Allocation is iSLIP with one iteration (McKeown, 1999), for lanes as for the crossbar: every
// resource picks one request, every request accepts one resource, both by round robin.
#include "sim/engine.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sim/stall.hpp"

namespace weft::sim {
namespace {

constexpr Cycle look_interval = 4096;

/// How far `i` is from the pointer `from`, going up and round.
inline Index distance(Index i, Index from, Index count) {
  return i >= from ? i - from : i + count - from;
}
inline Index after(Index i, Index count) { return i + 1 == count ? 0 : i + 1; }

inline Index lowest(std::uint64_t bits) { return static_cast<Index>(std::countr_zero(bits)); }

/// The first lane of `offer` from `start` on, and round.
inline Index first_from(std::uint64_t offer, Index start) {
  const std::uint64_t above = offer >> start << start;
  return lowest(above != 0 ? above : offer);
}

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
  next_look_ = look_interval;
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
    next_look_ = state.now + look_interval;
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
  auto& due = state.credits.due(state.now);
  for (const Index id : due) {
    if (!state.plain) {
      take_signal(id);
      continue;
    }
    OutLane& lane = state.out[id];
    const bool first = ++lane.credits == 1;
    if (!first && !state.cut_through) continue;
    if (id >= state.switch_lanes) {
      state.active.insert(lane.holder);
      continue;
    }
    if (state.cut_through) state.unpark(state.port_of(id));
    if (!first || lane.holder == nothing) continue;
    if (state.in[lane.holder].have > 0)
      state.set_bit(state.ready, state.in[lane.holder], lane.holder);
  }
  due.clear();
}

void Engine::take_arrivals() {
  auto& due = state.arrivals.due(state.now);
  if (state.plain)
    for (const Arrival& flit : due) arrive(flit);
  else
    for (const Arrival& flit : due) arrive_full(flit);
  due.clear();
}

void Engine::arrive(const Arrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  const auto ended = static_cast<std::uint8_t>((flit.lane & Arrival::tail) != 0);
  InLane& lane = state.in[id];
  if ((flit.lane & Arrival::head) != 0) {
    if (lane.stage != Stage::idle) {
      state.append(lane, flit, ended);
      return;
    }
    lane.packet = flit.packet;
    lane.have = 1;
    lane.flags = ended;
    lane.stage = Stage::routing;
    if (!state.store_and_forward || ended != 0) state.route_at(id, state.now);
  } else if (lane.first != nothing) {
    Segment& last = state.segments[lane.last];
    ++last.have;
    last.flags |= ended;
  } else {
    lane.flags |= ended;
    ++lane.have;
    if (lane.stage == Stage::sending) {
      if (lane.have == 1 && state.out[lane.out].credits > 0) state.set_bit(state.ready, lane, id);
    } else if (lane.stage == Stage::draining) {
      throw_away(lane, id);
    } else if (state.store_and_forward && ended != 0) {
      state.route_at(id, state.now);
    }
  }
}

void Engine::take_ejections() {
  auto& due = state.ejections.due(state.now);
  for (const Arrival& flit : due) {
    const Index port = state.port_of(flit.lane & Arrival::lane_mask);
    const HostId host(port - state.switch_ports);
    std::optional<Loss> why;
    if ((flit.lane & Arrival::bad) != 0) why = Loss::corrupted;
    if (!state.dead.empty() && state.dead[port]) why = Loss::link_down;
    end_piece(flit.packet, host, why);
  }
  due.clear();
}

void Engine::take_wants() {
  auto& due = state.wants.due(state.now);
  for (const Index id : due) {
    InLane& lane = state.in[id];
    if (lane.stage != Stage::routing) continue;  // it has come to a failed switch
    Slot& slot = state.slots[lane.packet];
    if (slot.packet.group != no_group) {
      start_branches(lane, id);
      continue;
    }
    const SwitchState& at = state.switches[lane.home];
    const auto in_port = static_cast<PortNumber>(state.port_of_bit[id - at.first_lane] + 1);
    const Steering::Way way = state.steering(SwitchId(lane.home), in_port, slot);
    if (way.port == no_port || way.lane_class >= state.class_lanes.size()) {
      drain(lane, id, Loss::no_route);
      continue;
    }
    if (++slot.hops > 4 * state.switches.size() + 4) {
      drain(lane, id, Loss::loop);
      continue;
    }
    slot.lane_class = lane.lane_class = way.lane_class;
    lane.port = static_cast<std::uint16_t>(way.port - 1);
    if (!state.dead.empty() && state.dead[at.first_port + lane.port]) {
      drain(lane, id, Loss::link_down);
      continue;
    }
    lane.stage = Stage::waiting;
    state.set_bit(state.want, lane, id);
  }
  due.clear();
}

bool Engine::serve(Index index) {
  const SwitchState& at = state.switches[index];
  std::uint64_t wants = 0, readies = 0;
  for (Index w = 0; w < at.words; ++w) {
    wants |= state.want[at.first_word + w];
    readies |= state.ready[at.first_word + w];
  }
  fresh_.clear();
  if (state.plain) {
    if (wants != 0) allocate_lanes(at);
    if (readies != 0) allocate_switch(at);
    for (const Index id : fresh_)
      if (const InLane& lane = state.in[id]; lane.have > 0 && state.out[lane.out].credits > 0)
        state.set_bit(state.ready, lane, id);
  } else {
    if (wants != 0) allocate_lanes_full(at);
    if (readies != 0) allocate_switch_full(at);
    for (const Index id : fresh_) refresh_ready(id);
  }
  std::uint64_t left = 0;
  for (Index w = 0; w < at.words; ++w)
    left |= state.want[at.first_word + w] | state.ready[at.first_word + w];
  return left != 0;
}

void Engine::allocate_lanes(const SwitchState& at) {
  requests_.clear();
  offers_.clear();
  for (Index w = 0; w < at.words; ++w)
    for (std::uint64_t bits = state.want[at.first_word + w]; bits != 0; bits &= bits - 1) {
      const Index bit = w * 64 + lowest(bits);
      const Index id = at.first_lane + bit;
      const InLane& lane = state.in[id];
      const Index port = at.first_port + lane.port;
      if (const std::uint64_t lanes = offer(lane, port)) {
        requests_.push_back({bit, port, nothing});
        offers_.push_back(lanes);
      } else {
        state.clear_bit(state.want, lane, id);
        state.park(id, port);
      }
    }
  settle_lane_requests(at);
}

/// The lanes of `port` that the front packet may have now.
std::uint64_t Engine::offer(const InLane& lane, Index port) const {
  std::uint64_t out = state.idle[port] & state.allowed(lane, port);
  if (!state.cut_through) return out;
  for (std::uint64_t left = out; left != 0; left &= left - 1)
    if (!state.has_room(state.out[port * state.lanes + lowest(left)], lane.packet))
      out &= ~(left & (~left + 1));
  return out;
}

void Engine::give_lane(const SwitchState& at, const Request& request, Index lane_index) {
  const Index id = at.first_lane + request.bit;
  InLane& lane = state.in[id];
  const Index out_lane = request.port * state.lanes + lane_index;
  const Index count = at.ports * state.lanes;
  OutLane& out = state.out[out_lane];
  out.turn = after(request.bit, count);
  out.holder = id;
  state.lane_turn[id] = after(out_lane - at.first_lane, count);
  state.idle[request.port] &= ~(std::uint64_t{1} << lane_index);
  if (request.branch != nothing) {
    state.branches[id][request.branch].out = out_lane;
  } else {
    lane.out = out_lane;
    lane.stage = Stage::sending;
    state.clear_bit(state.want, lane, id);
  }
  fresh_.push_back(id);
}

void Engine::settle_lane_requests(const SwitchState& at) {
  if (requests_.empty()) return;
  if (requests_.size() == 1) {
    const Request& only = requests_[0];
    const Index base = (only.port - at.first_port) * state.lanes;
    const Index turn = state.lane_turn[at.first_lane + only.bit];
    const bool within = turn >= base && turn < base + state.lanes;
    give_lane(at, only, first_from(offers_[0], within ? turn - base : 0));
    return;
  }
  const Index count = at.ports * state.lanes;
  out_lanes_.clear();
  for (Index r = 0; r < requests_.size(); ++r) {
    const Index base = (requests_[r].port - at.first_port) * state.lanes;
    for (std::uint64_t left = offers_[r]; left != 0; left &= left - 1) {
      const Index lane = base + lowest(left);
      Best& best = by_lane_[lane];
      const std::uint64_t key =
          distance(requests_[r].bit, state.out[at.first_lane + lane].turn, count) +
          rank(at, requests_[r].bit);
      if (best.key == Best::none) out_lanes_.push_back(lane);
      if (key < best.key) best = {key, r};
    }
  }
  by_request_.assign(requests_.size(), {});
  for (const Index lane : out_lanes_) {
    const Index r = by_lane_[lane].request;
    by_lane_[lane].key = Best::none;
    const Index turn = state.lane_turn[at.first_lane + requests_[r].bit];
    const std::uint64_t key = distance(lane, turn, count);
    if (key < by_request_[r].key) by_request_[r] = {key, lane};
  }
  for (Index r = 0; r < requests_.size(); ++r) {
    if (by_request_[r].key == Best::none) continue;
    const Index base = (requests_[r].port - at.first_port) * state.lanes;
    give_lane(at, requests_[r], by_request_[r].request - base);
  }
}

void Engine::allocate_switch(const SwitchState& at) {
  if (at.words == 1) {
    const std::uint64_t only = state.ready[at.first_word];
    if ((only & (only - 1)) == 0) {
      send_flit(at, lowest(only));
      return;
    }
  }
  outs_.clear();
  for (Index w = 0; w < at.words; ++w)
    for (std::uint64_t bits = state.ready[at.first_word + w]; bits != 0; bits &= bits - 1) {
      const Index bit = w * 64 + lowest(bits);
      const Index p = state.port_of_bit[bit];
      const Index o = state.in[at.first_lane + bit].port;
      const std::uint64_t key =
          distance(p, state.grant_turn[at.first_port + o], at.ports) * std::uint64_t{64} +
          distance(state.lane_of_bit[bit], state.port_turn[at.first_port + p], state.lanes);
      Best& best = by_out_[o];
      if (best.key == Best::none) outs_.push_back(o);
      if (key < best.key) best = {key, bit};
    }
  ins_.clear();
  for (const Index o : outs_) {
    const Index p = state.port_of_bit[by_out_[o].request];
    const std::uint64_t key = distance(o, state.accept_turn[at.first_port + p], at.ports);
    by_out_[o].key = Best::none;
    if (by_in_[p].key == Best::none) ins_.push_back(p);
    if (key < by_in_[p].key) by_in_[p] = {key, by_out_[o].request};
  }
  for (const Index p : ins_) {
    by_in_[p].key = Best::none;
    send_flit(at, by_in_[p].request);
  }
}

void Engine::send_flit(const SwitchState& at, Index bit) {
  const Index id = at.first_lane + bit;
  InLane& lane = state.in[id];
  OutLane& out = state.out[lane.out];
  const Index in_port = at.first_port + state.port_of_bit[bit];
  const Index port = at.first_port + lane.port;
  state.grant_turn[port] = after(state.port_of_bit[bit], at.ports);
  state.accept_turn[in_port] = after(lane.port, at.ports);
  state.port_turn[in_port] = static_cast<std::uint16_t>(after(state.lane_of_bit[bit], state.lanes));

  const bool tail = lane.have == 1 && lane.flags != 0;
  --lane.have;
  ++out.sent;
  ++state.totals.flit_hops;
  state.credits.push(state.now + state.back[in_port], lane.upstream);
  const Cycle arrival = state.now + state.flight[port];
  if (out.target < state.switch_lanes) {
    --out.credits;
    state.arrivals.push(
        arrival,
        {out.target | (lane.begun ? 0 : Arrival::head) | (tail ? Arrival::tail : 0), lane.packet});
  } else {
    if (tail) state.ejections.push(arrival, {out.target, lane.packet});
    if (!state.endless_hosts) {
      --out.credits;
      state.credits.push(arrival + state.back[port], lane.out);
    }
  }
  lane.begun = true;
  if (tail) {
    state.clear_bit(state.ready, lane, id);
    state.release_lane(lane.out, port);
    state.next_front(lane, id);
  } else if (lane.have == 0 || out.credits == 0) {
    state.clear_bit(state.ready, lane, id);
  }
}

}  // namespace weft::sim
