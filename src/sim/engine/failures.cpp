// SPDX-License-Identifier: Apache-2.0
// Links and switches that fail while packets are on them. A packet that cannot go on is thrown away
// where it is; the part of it that is already beyond a failed link gets an end of its own. Every
// packet is reported lost when its last part is gone.
#include <algorithm>

#include "base/error.hpp"
#include "sim/engine/engine.hpp"

namespace weft::sim {

void Engine::plan_failures() {
  for (const LinkFault& fault : state.options.faults.links) {
    const Index at = fault.host.valid() ? state.port_of_host(fault.host)
                                        : state.port_at(state.fabric[fault.link].a.on,
                                                        state.fabric[fault.link].a.port);
    failures_.push_back({fault.at, at, SwitchId::none()});
    if (fault.until == never) continue;
    if (state.stop_go)
      throw Error("{}: links that come back (fault @{}-{}) are for flow=credit", state.model.spec,
                  fault.at, fault.until);
    const Port &port = state.ports[at], &peer = state.ports[port.peer];
    const Cycle empty = fault.at + std::max(port.flight, peer.flight) + 1;
    failures_.push_back({std::max(fault.until, empty), at, SwitchId::none(), true});
  }
  for (const SwitchFault& fault : state.options.faults.switches)
    failures_.push_back({fault.at, nothing, fault.on});
  std::stable_sort(failures_.begin(), failures_.end(),
                   [](const Failure& a, const Failure& b) { return a.at > b.at; });
}

void Engine::plan_glitches() {
  for (const Glitch& glitch : state.options.faults.glitches) {
    const Index port = glitch.host.valid() ? state.port_of_host(glitch.host)
                                           : state.port_at(state.fabric[glitch.link].a.on,
                                                           state.fabric[glitch.link].a.port);
    glitches_[std::min(port, state.ports[port].peer)].at.push_back(glitch.at);
  }
  for (auto& [port, link] : glitches_) std::sort(link.at.rbegin(), link.at.rend());
}

/// Whether a glitch damages the packet of a flit that enters a link, or has done so.
bool Engine::glitched(const Arrival& flit, Index out_lane) {
  const Index port = state.port_of(out_lane), peer = state.ports[port].peer;
  const auto found = glitches_.find(std::min(port, peer));
  if (found == glitches_.end()) return false;
  GlitchedLink& link = found->second;
  std::uint64_t& lanes = link.damaged[port < peer ? 0 : 1];
  const std::uint64_t lane = std::uint64_t{1} << state.lane_in_port(out_lane);
  const bool tail = (flit.lane & Arrival::tail) != 0;
  if ((flit.lane & Arrival::head) != 0) lanes &= ~lane;  // of the packet before
  if (tail && state.slots[flit.packet].packet.circuit) return false;
  for (; !link.at.empty() && link.at.back() <= state.now; link.at.pop_back()) lanes |= lane;
  return (lanes & lane) != 0;
}

void Engine::fail_due() {
  while (!failures_.empty() && failures_.back().at <= state.now) {
    const Failure failure = failures_.back();
    failures_.pop_back();
    if (failure.port == nothing)
      fail_switch(failure.on);
    else if (!failure.over && ++down_[failure.port] == 1)
      fail_link(failure.port, Loss::link_down);
    else if (failure.over && --down_[failure.port] == 0)
      mend_link(failure.port);
  }
}

void Engine::fail_link(Index port, Loss why) {
  const Index other = state.ports[port].peer;
  if (other == nothing || state.dead[port]) return;
  state.dead[port] = state.dead[other] = true;
  fail_direction(port, why);
  fail_direction(other, why);
}

/// A link is whole again, unless a switch at one of its ends is not.
void Engine::mend_link(Index port) {
  const Index other = state.ports[port].peer;
  for (const Index end : {port, other})
    if (!state.is_host(end) && state.failed[state.switch_at(end)]) return;
  state.dead[port] = state.dead[other] = false;
  state.mended[port] = state.mended[other] = true;
  mend_direction(port);
  mend_direction(other);
}

/// Nothing is on the link. Its sender has no packet for it, and as much room as there is.
void Engine::mend_direction(Index from) {
  const Index to = state.ports[from].peer;
  if (!state.is_host(to)) {
    const Index first = from * state.lanes;
    for (Index v = 0; v < state.lanes; ++v)
      state.out[first + v].credits =
          static_cast<std::int32_t>(state.model.buffer) -
          static_cast<std::int32_t>(state.buffered(to * state.lanes + v));
    state.credits.for_each([&](Index out_lane) {
      if (state.port_of(out_lane) == from) --state.out[out_lane].credits;
    });
  }
  if (state.is_host(from) || state.choosers.empty()) return;
  // Packets that wait for other links have one more to choose.
  const SwitchState& at = state.switches[state.switch_at(from)];
  for (Index id = at.first_lane; id < at.first_lane + at.ports * state.lanes; ++id)
    if (const InLane& lane = state.in[id];
        lane.stage == Stage::waiting && (lane.flags & InLane::chooses) != 0)
      state.set_bit(state.want, lane);
}

void Engine::fail_direction(Index from, Loss why) {
  // What is beyond the link first, or the packet might be over with the part before it.
  const Index to = state.ports[from].peer;
  if (!state.is_host(to))
    for (Index v = 0; v < state.lanes; ++v) cut(to * state.lanes + v, why);
  if (!state.is_host(from)) {
    for (Index v = 0; v < state.lanes; ++v) {
      const Index out_lane = from * state.lanes + v;
      const Index id = state.out[out_lane].holder;
      if (id == nothing) continue;
      InLane& lane = state.in[id];
      if ((lane.flags & InLane::replicate) == 0) drain(lane, id, why, from);
    }
    drop_branches(from, why);
    state.unpark(from);  // lane allocation finds the link dead
  } else {
    state.active.insert(from - state.switch_ports);
  }
}

/// No multicast packet of this switch takes the dead port any more.
void Engine::drop_branches(Index port, Loss why) {
  if (state.branches.empty()) return;
  const SwitchState& at = state.switches[state.switch_at(port)];
  for (Index id = at.first_lane; id < at.first_lane + at.ports * state.lanes; ++id) {
    InLane& lane = state.in[id];
    if ((lane.flags & InLane::replicate) == 0) continue;
    Branch* dropped = nullptr;
    bool others = false;
    for (Branch& branch : state.branches[id]) {
      if (branch.done) continue;
      if (at.first_port + branch.port == port)
        dropped = &branch;
      else
        others = true;
    }
    if (dropped == nullptr) continue;
    if (!others) {
      drain(lane, id, why, port);
      continue;
    }
    broke_in(id, why, port);
    dropped->done = true;
    if (state.slots[lane.packet].packet.circuit) state.close_circuit(lane.packet);
    state.set_bit(state.want, lane);  // lanes in order: the next one may be asked for
    give_up_lane(id, dropped->out);
    if (!state.held_in.empty() && state.held_in[state.port_of(id)] == id) release_links(id, port);
    release_copies(lane, id);
    end_piece(lane.packet, HostId::none(), why);
  }
}

/// The out-lane (if any) and the links that in-lane `id` has for a packet are free again.
void Engine::give_up_lane(Index id, Index out_lane) {
  if (out_lane == nothing) return;
  const Index port = state.port_of(out_lane);
  if (!state.held_out.empty() && state.held_out[port] == id) state.held_out[port] = nothing;
  state.release_lane(out_lane, port);
}

/// The last packet of this lane will get no more flits: what there is of it ends here.
void Engine::cut(Index id, Loss why) {
  InLane& lane = state.in[id];
  if (lane.stage == Stage::idle) return;
  const bool is_front = (lane.flags & InLane::queue) == 0;
  std::uint16_t& flags = is_front ? lane.flags : state.segments[state.queues[id].last].flags;
  std::uint16_t& have = is_front ? lane.have : state.segments[state.queues[id].last].have;
  if ((flags & InLane::ended) != 0) return;
  const Index packet = is_front ? lane.packet : state.segments[state.queues[id].last].packet;
  const Packet& broken = state.slots[packet].packet;
  if (broken.group == no_group) broke_on_link(id, packet, why);
  state.fate(packet).lose(why);
  if (broken.circuit) state.close_circuit(packet);
  ++state.fate(packet).pieces;
  flags |= InLane::ended | InLane::bad;
  ++have;
  ++auditor_.arrived;
  ++auditor_.made_up;
  if (state.stop_go) ++state.fill[id];
  if (!is_front) return;
  if (lane.stage == Stage::sending)
    refresh_ready(id);
  else if (lane.stage == Stage::draining)
    throw_away(lane, id);
  else if (state.store_and_forward && lane.stage == Stage::routing)
    state.route_at(id, state.now);
}

void Engine::fail_switch(SwitchId s) {
  failing_ = s;
  state.failed[s.index()] = true;
  const SwitchState& at = state.switches[s.index()];
  for (Index p = 0; p < at.ports; ++p) fail_link(at.first_port + p, Loss::switch_down);
  for (Index id = at.first_lane; id < at.first_lane + at.ports * state.lanes; ++id) {
    InLane& lane = state.in[id];
    while (lane.stage != Stage::idle) {
      const bool whole = (lane.flags & InLane::ended) != 0;
      if ((lane.flags & InLane::replicate) != 0) {
        drain(lane, id, Loss::switch_down);
        continue;
      }
      const Index packet = lane.packet;
      if (whole) broke_in(id, Loss::switch_down, nothing);
      auditor_.left += lane.have;
      next_front(lane, id);
      if (whole) end_piece(packet, HostId::none(), Loss::switch_down);
    }
    state.clear_bit(state.ready, lane);
    state.clear_bit(state.want, lane);
  }
  failing_ = SwitchId::none();
}

/// The front packet cannot go on; `dead_port`, if any, is where it was to go.
void Engine::drain(InLane& lane, Index id, Loss why, Index dead_port) {
  if (dense()) dense_->leave();
  broke_in(id, why, dead_port);
  state.fate(lane.packet).lose(why);
  if (state.slots[lane.packet].packet.circuit) state.close_circuit(lane.packet);
  discard(lane, id);
}

/// What there is of the front packet, and what comes of it, is thrown away here.
void Engine::discard(InLane& lane, Index id) {
  if ((lane.flags & InLane::replicate) != 0) {
    std::uint32_t undone = 0;
    for (Branch& branch : state.branches[id]) {
      if (branch.done) continue;
      ++undone;
      give_up_lane(id, branch.out);
    }
    state.fate(lane.packet).pieces -= undone - 1;
    state.branches[id].clear();
    lane.flags &= static_cast<std::uint16_t>(~InLane::replicate);
  } else {
    give_up_lane(id, lane.out);
    lane.out = nothing;
  }
  if (!state.held_in.empty() && state.held_in[state.port_of(id)] == id)
    state.held_in[state.port_of(id)] = nothing;
  state.clear_bit(state.ready, lane);
  state.clear_bit(state.want, lane);
  lane.stage = Stage::draining;
  throw_away(lane, id);
}

void Engine::throw_away(InLane& lane, Index id) {
  leave_buffer(lane, id, lane.have);
  lane.have = 0;
  if ((lane.flags & InLane::ended) == 0) return;
  const Index packet = lane.packet;
  next_front(lane, id);
  end_piece(packet, HostId::none(), std::nullopt);
}

}  // namespace weft::sim
