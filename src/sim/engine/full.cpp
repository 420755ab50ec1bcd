// SPDX-License-Identifier: Apache-2.0
// Switches with every feature: multicast, stop/go, whole packets on a link, priorities, links of
// different speed, failures and bit errors, of any size. The same allocation as on the fast path.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/round_robin.hpp"

namespace weft::sim {
namespace {

constexpr std::uint64_t not_urgent = std::uint64_t{1} << 40U;

}  // namespace

void Engine::take_signal(Index signal) {
  const Index id = signal & State::signal_mask;
  OutLane& out = state.out[id];
  if (state.stop_go)
    out.credits = (signal & State::stop_signal) != 0 ? 0 : State::endless;
  else
    ++out.credits;
  if (id >= state.switch_lanes) {
    state.active.insert(out.holder);
    return;
  }
  if (state.cut_through || state.stop_go) state.unpark(state.port_of(id));
  if (out.holder != nothing) refresh_ready(out.holder);
}

void Engine::came_to_front(InLane& lane, Index id) {
  if (!state.since.empty()) state.since[id] = state.now;
  if (!state.passed.empty()) state.passed[id] = state.slots[lane.packet].hops;
  if (state.options.check) auditor_.came_to_front(id, lane.packet);
}

void Engine::next_front(InLane& lane, Index id) {
  state.next_front(lane, id);
  if (lane.packet != nothing) came_to_front(lane, id);
}

void Engine::arrive_full(const Arrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  const bool head = (flit.lane & Arrival::head) != 0;
  const bool tail = (flit.lane & Arrival::tail) != 0;
  if (state.is_dead(state.port_of(id))) {
    if (head) auditor_.lost_on_link(id, flit.packet);
    ++auditor_.vanished;
    if (!tail) return;  // the packet may have ended before
    broke_on_link(id, flit.packet, Loss::link_down);
    end_piece(flit.packet, HostId::none(), Loss::link_down);
    return;
  }
  ++auditor_.arrived;
  if (state.stop_go) state.flit_came(id);
  InLane& lane = state.in[id];
  std::uint16_t flags = tail ? InLane::ended : 0;
  if ((flit.lane & Arrival::bad) != 0) flags |= InLane::bad;
  if (head) {
    if (lane.stage != Stage::idle) {
      state.append(lane, id, flit, flags);
      return;
    }
    lane.packet = flit.packet;
    lane.have = 1;
    lane.flags = flags;
    lane.stage = Stage::routing;
    came_to_front(lane, id);
    if (!state.store_and_forward || tail) state.route_at(id, state.now);
  } else if ((lane.flags & InLane::queue) != 0) {
    Segment& last = state.segments[state.queues[id].last];
    ++last.have;
    last.flags |= flags;
  } else {
    lane.flags |= flags;
    ++lane.have;
    if (lane.stage == Stage::sending)
      refresh_ready(id);
    else if (lane.stage == Stage::draining)
      throw_away(lane, id);
    else if (state.store_and_forward && tail)
      state.route_at(id, state.now);
  }
}

bool Engine::serve_full(Index index) {
  const SwitchState& at = state.switches[index];
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

void Engine::allocate_lanes_full(const SwitchState& at) {
  requests_.clear();
  offers_.clear();
  for (Index w = 0; w < at.words; ++w)
    for (std::uint64_t bits = state.want[at.first_word + w]; bits != 0; bits &= bits - 1) {
      const Index bit = w * 64 + lowest(bits);
      const Index id = at.first_lane + bit;
      InLane& lane = state.in[id];
      state.clear_bit(state.want, lane);
      if ((lane.flags & InLane::replicate) != 0) {
        request_branches(at, bit);
        continue;
      }
      if (lane.stage != Stage::waiting) continue;
      if ((lane.flags & InLane::chooses) != 0) {
        if (const std::uint64_t lanes = choose_port(at, bit)) {
          requests_.push_back({bit, at.first_port + lane.port, nothing});
          offers_.push_back(lanes);
        }
        continue;
      }
      const Index port = at.first_port + lane.port;
      if (state.is_dead(port)) {
        drain(lane, id, Loss::link_down, port);
      } else if (const std::uint64_t lanes = state.offer(lane, port)) {
        requests_.push_back({bit, port, nothing});
        offers_.push_back(lanes);
      } else {
        state.park(id, port);
      }
    }
  // Whoever asks and gets nothing asks again.
  for (const Request& request : requests_)
    state.set_bit(state.want, state.in[at.first_lane + request.bit]);
  settle_lane_requests(at);
  for (const Request& request : requests_) {
    if (request.branch == nothing) continue;
    const Index id = at.first_lane + request.bit;
    const auto& branches = state.branches[id];
    if (std::none_of(branches.begin(), branches.end(), [](const Branch& branch) {
          return !branch.done && !branch.parked && branch.out == nothing;
        }))
      state.clear_bit(state.want, state.in[id]);
  }
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
  state.ports[request.port].idle &= ~(std::uint64_t{1} << lane_index);
  if (request.branch != nothing) {
    state.branches[id][request.branch].out = out_lane;
  } else {
    lane.out = out_lane;
    lane.stage = Stage::sending;
    state.clear_bit(state.want, lane);
  }
  fresh_.push_back(id);
}

void Engine::settle_lane_requests(const SwitchState& at) {
  if (requests_.empty()) return;
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

/// Urgent packets come before all others in every choice.
std::uint64_t Engine::rank(const SwitchState& at, Index bit) const {
  if (state.since.empty()) return 0;
  const Index id = at.first_lane + bit;
  const Slot& slot = state.slots[state.in[id].packet];
  if (slot.packet.urgent) return 0;
  const auto aging = static_cast<Cycle>(state.model.aging);
  return aging > 0 && state.now - state.since[id] >= aging ? 0 : not_urgent;
}

bool Engine::link_open(Index id, Index in_port, Index port) const {
  if (!state.free_at.empty() && state.free_at[port] > state.now << 16U) return false;
  if (state.held_out.empty()) return true;
  const auto free_for = [id](Index holder) { return holder == nothing || holder == id; };
  return free_for(state.held_out[port]) &&
         (state.model.lane_inputs || free_for(state.held_in[in_port]));
}

void Engine::refresh_ready(Index id) {
  const InLane& lane = state.in[id];
  bool is_ready = false;
  if ((lane.flags & InLane::replicate) != 0) {
    for (const Branch& branch : state.branches[id]) is_ready |= branch_ready(lane, id, branch);
  } else {
    is_ready = lane.stage == Stage::sending && lane.have > 0 && state.out[lane.out].credits > 0;
  }
  if (is_ready)
    state.set_bit(state.ready, lane);
  else
    state.clear_bit(state.ready, lane);
}

void Engine::request_switch(const SwitchState& at, Index bit) {
  const Index id = at.first_lane + bit;
  const InLane& lane = state.in[id];
  const Index in_port = at.first_port + state.port_of_bit[bit];
  const auto request = [&](Index o, Index branch) {
    if (!link_open(id, in_port, at.first_port + o)) return;
    const std::uint64_t key =
        distance(state.input_of(bit), state.ports[at.first_port + o].grant_turn, state.inputs(at)) *
            std::uint64_t{64} +
        distance(state.lane_of_bit[bit], state.ports[in_port].lane_turn, state.lanes) +
        rank(at, bit);
    Best& best = by_out_[o];
    if (best.key == Best::none) outs_.push_back(o);
    if (key >= best.key) return;
    best = {key, static_cast<Index>(requests_.size())};
    requests_.push_back({bit, o, branch});
  };
  if ((lane.flags & InLane::replicate) == 0) {
    request(lane.port, nothing);
    return;
  }
  for (Index b = 0; b < state.branches[id].size(); ++b)
    if (const Branch& branch = state.branches[id][b]; branch_ready(lane, id, branch))
      request(branch.port, b);
}

void Engine::allocate_switch_full(const SwitchState& at) {
  outs_.clear();
  requests_.clear();
  for (Index w = 0; w < at.words; ++w)
    for (std::uint64_t bits = state.ready[at.first_word + w]; bits != 0; bits &= bits - 1)
      request_switch(at, w * 64 + lowest(bits));
  ins_.clear();
  for (const Index o : outs_) {
    const Index bit = requests_[by_out_[o].request].bit;
    const Index in_port = at.first_port + state.port_of_bit[bit], input = state.input_of(bit);
    const std::uint64_t key =
        distance(o, state.ports[in_port].accept_turn, at.ports) + rank(at, bit);
    by_out_[o].key = Best::none;
    if (by_in_[input].key == Best::none) ins_.push_back(input);
    if (key < by_in_[input].key) by_in_[input] = {key, bit};
  }
  // An input sends of one lane; that lane's copies go together.
  for (const Index o : outs_) {
    const Request request = requests_[by_out_[o].request];
    if (by_in_[state.input_of(request.bit)].request == request.bit) send_flit_full(at, request);
  }
  for (const Index p : ins_) by_in_[p].key = Best::none;
}

void Engine::send_flit_full(const SwitchState& at, const Request& request) {
  const Index id = at.first_lane + request.bit;
  InLane& lane = state.in[id];
  const Index in_port = at.first_port + state.port_of_bit[request.bit];
  const Index port = at.first_port + request.port;
  state.ports[port].grant_turn = after(state.input_of(request.bit), state.inputs(at));
  state.ports[in_port].accept_turn = after(request.port, at.ports);
  state.ports[in_port].lane_turn = after(state.lane_of_bit[request.bit], state.lanes);
  ++state.totals.flit_hops;
  if (!state.held_out.empty()) state.held_out[port] = state.held_in[in_port] = id;
  if (request.branch != nothing) {
    copy_flit(lane, id, state.branches[id][request.branch], port);
    return;
  }
  const bool tail = lane.have == 1 && (lane.flags & InLane::ended) != 0;
  Index flags = (lane.sent != 0 ? 0 : Arrival::head) | (tail ? Arrival::tail : 0);
  if (!tail && state.fills_circuit(lane.packet, lane.sent)) flags |= Arrival::fills;
  const bool tells = (flags & (Arrival::tail | Arrival::fills)) != 0;
  if (tells && (lane.flags & InLane::bad) != 0) flags |= Arrival::bad;
  put_on_link(lane.out, port, {state.out[lane.out].target | flags, lane.packet});
  --lane.have;
  leave_buffer(lane, id, 1);
  ++lane.sent;
  if (!tail) {
    refresh_ready(id);
    return;
  }
  if (!state.held_out.empty()) state.held_out[port] = state.held_in[in_port] = nothing;
  state.clear_bit(state.ready, lane);
  state.end_packet(lane.out, port);
  next_front(lane, id);
}

void Engine::put_on_link(Index out_lane, Index port, Arrival flit) {
  OutLane& out = state.out[out_lane];
  ++out.sent;
  ++auditor_.departed;
  if (!state.free_at.empty()) {
    // A link that became free within this cycle goes on from there: nothing is rounded away.
    std::uint64_t& free_at = state.free_at[port];
    const std::uint64_t now = state.now << 16U;
    free_at = (free_at + 65'536 > now ? free_at : now) + state.interval[port];
  }
  const bool tail = (flit.lane & Arrival::tail) != 0, fills = (flit.lane & Arrival::fills) != 0;
  if (state.options.faults.damage()) corrupt(flit, out_lane);
  const Cycle arrival = state.now + state.ports[port].flight;
  if (out.target < state.switch_lanes) {
    if (!state.stop_go) --out.credits;
    if ((flit.lane & Arrival::head) != 0) auditor_.head_sent(out.target, flit.packet);
    state.arrivals.push(arrival, flit);
    return;
  }
  ++auditor_.ejected;
  const bool reaches = (flit.lane & Arrival::head) != 0 && state.slots[flit.packet].packet.circuit;
  if (tail || fills || reaches) state.ejections.push(arrival, flit);
  if (state.endless_hosts) return;
  --out.credits;
  state.credits.push(arrival + state.ports[port].back, out_lane);
}

void Engine::leave_buffer(InLane& lane, Index id, std::uint32_t flits) {
  if (flits == 0) return;
  auditor_.left += flits;
  if (state.stop_go) {
    state.flits_left(id, flits);
    return;
  }
  const Cycle at = state.now + state.ports[state.port_of(id)].back;
  for (std::uint32_t i = 0; i < flits; ++i) state.credits.push(at, lane.upstream);
}

/// A packet may be damaged on every link: its end tells, of a circuit the end of its data.
void Engine::corrupt(Arrival& flit, Index out_lane) {
  const Slot& slot = state.slots[flit.packet];
  const bool tells = (flit.lane & (slot.packet.circuit ? Arrival::fills : Arrival::tail)) != 0;
  bool hit = !glitches_.empty() && glitched(flit, out_lane) && tells;
  if (tells && state.options.faults.bit_error_rate > 0) hit |= corrupted(flit.packet);
  if (!hit) return;
  if ((flit.lane & Arrival::bad) == 0) damaged(flit.packet, out_lane);
  flit.lane |= Arrival::bad;
}

/// Whether bits of this packet flip on a link.
bool Engine::corrupted(Index packet) {
  const std::uint32_t flits = state.slots[packet].packet.flits;
  if (error_chance_.size() <= flits) error_chance_.resize(flits + 1, 0);
  std::uint64_t& chance = error_chance_[flits];
  if (chance == 0) {
    const double bits = 8.0 * static_cast<double>(state.model.flit.count) * flits;
    const double p = -std::expm1(bits * std::log1p(-state.options.faults.bit_error_rate));
    chance = p >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(p * 0x1.0p63) * 2 + 1;
  }
  return rng_.next() < chance;
}

}  // namespace weft::sim
