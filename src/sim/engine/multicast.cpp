// SPDX-License-Identifier: Apache-2.0
// Hardware multicast: a packet is copied to every port its group has at a switch. Every copy has
// its own lane and goes at its own pace, while the packet stays in the buffer.
//
// Packets of groups with a root first go up to it. Their copies are given lanes one by one, in
// ascending order of ports; so the buffer need not hold all of a packet
// (docs/design/certificate.md).
#include <algorithm>

#include "sim/engine/engine.hpp"

namespace weft::sim {

/// A packet of a group with a root goes up, as if to one host.
void Engine::climb(InLane& lane, Index id) {
  Slot& slot = state.slots[lane.packet];
  const SwitchState& at = state.switches[lane.home];
  const PortNumber port = state.steering.up(slot.packet.group, SwitchId(lane.home));
  const Index out = at.first_port + port - 1U;
  if (port == 0 || state.ports[out].peer == nothing || state.is_host(state.ports[out].peer)) {
    drain(lane, id, Loss::no_route);
  } else if (++slot.hops > state.switches.size()) {
    drain(lane, id, Loss::loop);
  } else if (state.is_dead(out)) {
    drain(lane, id, Loss::link_down, out);
  } else {
    lane.lane_class = state.tables.groups[slot.packet.group].lane;
    lane.port = static_cast<std::uint16_t>(port - 1);
    lane.stage = Stage::waiting;
    state.set_bit(state.want, lane);
  }
}

/// A multicast packet has been routed: every port it takes becomes a branch.
void Engine::start_branches(InLane& lane, Index id) {
  Slot& slot = state.slots[lane.packet];
  const bool rooted = state.steering.has_root(slot.packet.group);
  Fate& fate = state.fate(lane.packet);
  const bool at_root = rooted && !fate.falling &&
                       *state.tables.groups[slot.packet.group].root == SwitchId(lane.home);
  if (rooted && !fate.falling && !at_root) {
    climb(lane, id);
    return;
  }
  fate.falling = rooted;
  const SwitchState& at = state.switches[lane.home];
  const auto in_port = static_cast<PortNumber>(state.port_of_bit[id - at.first_lane] + 1);
  std::vector<Branch>& branches = state.branches[id];
  branches.clear();
  Index dead_port = nothing;
  bool own = false;
  for (const PortNumber port : state.steering.copies(slot.packet.group, SwitchId(lane.home))) {
    const Index peer = state.ports[at.first_port + port - 1U].peer;
    if ((port == in_port && !at_root) || peer == nothing) continue;
    if (rooted && peer == state.port_of_host(slot.packet.from)) {
      own = true;  // nobody gets his own packet
      continue;
    }
    if (state.is_dead(at.first_port + port - 1U)) {
      dead_port = at.first_port + port - 1U;
      fate.lose(Loss::link_down);
      broke_in(id, Loss::link_down, dead_port);
      continue;
    }
    branches.push_back({.port = static_cast<std::uint16_t>(port - 1)});
  }
  if (dead_port != nothing && slot.packet.circuit) state.close_circuit(lane.packet);
  if (branches.empty() && own && dead_port == nothing) {
    discard(lane, id);
    return;
  }
  // A tree visits every switch once, and those on the way up twice.
  if (branches.empty() || ++slot.hops > (rooted ? 2 : 1) * state.switches.size()) {
    Loss why = Loss::loop;
    if (branches.empty()) why = dead_port != nothing ? Loss::link_down : Loss::no_route;
    branches.clear();
    drain(lane, id, why, dead_port);
    return;
  }
  fate.pieces += static_cast<std::uint32_t>(branches.size()) - 1;
  lane.lane_class = state.tables.groups[slot.packet.group].lane;
  lane.flags |= InLane::replicate;
  lane.stage = Stage::sending;
  state.released[id] = 0;
  state.set_bit(state.want, lane);
}

void Engine::request_branches(const SwitchState& at, Index bit) {
  const Index id = at.first_lane + bit;
  const InLane& lane = state.in[id];
  const bool in_order = state.steering.has_root(state.slots[lane.packet].packet.group);
  for (Index b = 0; b < state.branches[id].size(); ++b) {
    Branch& branch = state.branches[id][b];
    if (branch.done || branch.out != nothing) continue;
    if (branch.parked && in_order) return;
    if (branch.parked) continue;
    const Index port = at.first_port + branch.port;
    if (const std::uint64_t lanes = state.offer(lane, port)) {
      requests_.push_back({bit, port, b});
      offers_.push_back(lanes);
    } else {
      branch.parked = true;
      state.parked_branches[port].push_back(id);
    }
    if (in_order) return;
  }
}

bool Engine::branch_ready(const InLane& lane, Index id, const Branch& branch) const {
  return !branch.done && branch.out != nothing && branch.sent < state.released[id] + lane.have &&
         state.out[branch.out].credits > 0;
}

void Engine::copy_flit(InLane& lane, Index id, Branch& branch, Index port) {
  const bool ended = (lane.flags & InLane::ended) != 0;
  const bool tail = ended && branch.sent + 1 == state.released[id] + lane.have;
  Index flags = (branch.sent == 0 ? Arrival::head : 0) | (tail ? Arrival::tail : 0);
  if (!tail && state.fills_circuit(lane.packet, branch.sent)) flags |= Arrival::fills;
  const bool tells = (flags & (Arrival::tail | Arrival::fills)) != 0;
  if (tells && (lane.flags & InLane::bad) != 0) flags |= Arrival::bad;
  put_on_link(branch.out, port, {state.out[branch.out].target | flags, lane.packet});
  ++branch.sent;
  if (tail) {
    branch.done = true;
    state.end_packet(branch.out, port);
    if (!state.held_out.empty()) release_links(id, port);
  }
  release_copies(lane, id);
}

/// A copy has gone over its link. The in-port is free when no other copy is half sent: those that
/// have not begun may wait for lanes that packets of the same in-port hold.
void Engine::release_links(Index id, Index port) {
  state.held_out[port] = nothing;
  const auto& branches = state.branches[id];
  if (std::none_of(branches.begin(), branches.end(),
                   [](const Branch& branch) { return branch.sent > 0 && !branch.done; }))
    state.held_in[state.port_of(id)] = nothing;
}

/// Flits that all branches have sent leave the buffer; after the last one so does the packet.
void Engine::release_copies(InLane& lane, Index id) {
  std::uint32_t least = state.released[id] + lane.have;
  bool all_done = true;
  for (const Branch& branch : state.branches[id]) {
    if (!branch.done) least = std::min(least, branch.sent);
    all_done &= branch.done;
  }
  const std::uint32_t leaving = least - state.released[id];
  state.released[id] = least;
  lane.have = static_cast<std::uint16_t>(lane.have - leaving);
  leave_buffer(lane, id, leaving);
  if (!all_done) {
    refresh_ready(id);
    return;
  }
  if (!state.held_in.empty() && state.held_in[state.port_of(id)] == id)
    state.held_in[state.port_of(id)] = nothing;
  state.clear_bit(state.ready, lane);
  state.clear_bit(state.want, lane);
  state.branches[id].clear();
  next_front(lane, id);
}

}  // namespace weft::sim
