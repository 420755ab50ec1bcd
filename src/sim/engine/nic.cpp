// SPDX-License-Identifier: Apache-2.0
// NICs: queues that inject, and what becomes of packets at their end.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sim/engine/engine.hpp"

namespace weft::sim {

void Engine::send(const Packet& packet) {
  invariant(packet.flits >= 1 && packet.flits <= state.options.longest_packet,
            "a packet is longer than was said");
  if (packet.circuit || packet.route != no_route_id) prepare(packet);
  const Index id = state.add_slot(packet);
  if (packet.group == no_group)
    ++state.totals.sent;
  else
    expect_members(id);
  ++state.totals.waiting;
  const auto host = static_cast<Index>(packet.from.index());
  Nic& nic = state.nics[host];
  (nic.first == nothing ? nic.first : state.slots[nic.last].next) = id;
  nic.last = id;
  state.active.insert(host);
}

/// A circuit, or a packet with a route of its own.
void Engine::prepare(const Packet& packet) {
  invariant(!packet.circuit || (packet.flits >= 2 && state.options.circuits),
            "a circuit has two flits or more, and was announced");
  if (packet.route == no_route_id) return;
  invariant(packet.group == no_group && state.steering.has_own_routes() &&
                packet.route < state.steering.own_routes().size(),
            "a packet has a route that nobody has added");
  settle();  // in words they are not known
}

/// Everybody in the group but the sender is to get the packet.
void Engine::expect_members(Index id) {
  const Packet& packet = state.slots[id].packet;
  const std::vector<bool>& members = members_[packet.group];
  state.totals.sent += static_cast<std::uint64_t>(std::count(members.begin(), members.end(), true) -
                                                  (members[packet.from.index()] ? 1 : 0));
  accounted_[id].assign(members.size(), false);
}

/// The next packet of the queue, on the next lane that can take it.
bool Engine::begin_packet(Nic& nic, Index port) {
  if (nic.first == nothing) return false;
  Slot& slot = state.slots[nic.first];
  const std::uint64_t mask = state.entry_lanes(slot);
  for (Index step = 1; step <= state.lanes; ++step) {
    const Index v = nic.lane + step < state.lanes ? nic.lane + step : nic.lane + step - state.lanes;
    const Index out = port * state.lanes + v;
    const std::int32_t credits = state.out[out].credits;
    if ((mask >> v & 1) == 0 || credits <= 0 || !state.has_room(credits, nic.first)) continue;
    if (!state.circuits.empty() && has_circuit(slot.packet.from, out)) continue;
    nic.packet = nic.first;
    nic.first = slot.next;
    nic.left = slot.packet.flits;
    nic.lane = v;
    nic.out = out;
    slot.packet.injected = state.now;
    --state.totals.waiting;
    return true;
  }
  return false;
}

bool Engine::has_circuit(HostId host, Index out) const {
  const auto& open = state.circuits[host.index()];
  return std::any_of(open.begin(), open.end(),
                     [out](const OpenCircuit& circuit) { return circuit.out == out; });
}

/// The last flit of a circuit that was closed, if there is one and it can go.
bool Engine::close_circuit(Index host) {
  auto& open = state.circuits[host];
  const auto closed = std::find_if(open.begin(), open.end(), [&](const OpenCircuit& circuit) {
    return state.is_closed(circuit.packet) && state.out[circuit.out].credits > 0;
  });
  if (closed == open.end()) return false;
  const OpenCircuit circuit = *closed;
  open.erase(closed);
  ++state.totals.flits_injected;
  put_on_link(circuit.out, state.switch_ports + host,
              {state.out[circuit.out].target | Arrival::tail, circuit.packet});
  depart(circuit.packet);
  return true;
}

bool Engine::inject(Index host) {
  Nic& nic = state.nics[host];
  const Index port = state.switch_ports + host;
  if (!state.fast) {
    if (state.is_dead(port)) return lose_queue(host);
    if (!state.free_at.empty() && state.free_at[port] > state.now << 16U) return true;
    if (!state.circuits.empty() && close_circuit(host)) return true;
  }
  const bool head = nic.packet == nothing;
  if (head && !begin_packet(nic, port)) return false;
  OutLane& out = state.out[nic.out];
  if (out.credits <= 0) return false;
  if (nic.left == 1 && state.slots[nic.packet].packet.circuit) {
    // What comes behind it takes another lane.
    state.circuits[host].push_back({std::exchange(nic.packet, nothing), nic.out});
    return true;
  }
  const bool tail = --nic.left == 0;
  const bool fills = nic.left == 1 && state.slots[nic.packet].packet.circuit;
  Arrival flit{out.target | (head ? Arrival::head : 0) | (tail ? Arrival::tail : 0), nic.packet};
  ++state.totals.flits_injected;
  if (state.fast) {
    ++out.sent;
    if (!state.stop_go) --out.credits;
    state.arrivals.push(state.now + state.ports[port].flight, flit);
  } else {
    if (fills) flit.lane |= Arrival::fills;
    put_on_link(nic.out, port, flit);
  }
  if (!tail) return true;
  const Index packet = nic.packet;
  nic.packet = nothing;
  depart(packet);
  return nic.first != nothing;
}

void Engine::depart(Index id) {
  if (!state.options.departures) return;
  const Packet packet = state.slots[id].packet;  // slots may move when the driver sends
  driver_->departed(*network_, packet);
}

/// The link of this host has failed: nothing of what it has goes out.
bool Engine::lose_queue(Index host) {
  Nic& nic = state.nics[host];
  if (nic.packet != nothing) {
    const Index packet = nic.packet;
    nic.packet = nothing;
    broke_in_nic(packet);
    depart(packet);
    end_piece(packet, HostId::none(), Loss::link_down);
  }
  if (!state.circuits.empty())
    for (const OpenCircuit& circuit : std::exchange(state.circuits[host], {})) {
      broke_in_nic(circuit.packet);
      depart(circuit.packet);
      end_piece(circuit.packet, HostId::none(), Loss::link_down);
    }
  const Index last = nic.last;  // what the driver sends from now on waits for the next cycle
  while (nic.first != nothing) {
    const Index packet = nic.first;
    nic.first = state.slots[packet].next;
    --state.totals.waiting;
    broke_in_nic(packet);
    depart(packet);
    end_piece(packet, HostId::none(), Loss::link_down);
    if (packet == last) break;
  }
  return nic.first != nothing;
}

/// A part of a packet has come to its end: at a host, or nowhere.
void Engine::end_piece(Index id, HostId at, std::optional<Loss> why) {
  if (state.slots[id].packet.group != no_group) {
    end_copy(id, at, why);
    return;
  }
  Fate& fate = state.fate(id);
  if (why) fate.lose(*why);
  if (--fate.pieces > 0) return;
  const Packet packet = state.slots[id].packet;
  const std::uint8_t loss = fate.loss;
  const unsigned hops = state.slots[id].hops;
  state.free(id);
  if (loss != Fate::none)
    lose(packet, packet.to, static_cast<Loss>(loss));
  else
    deliver(packet, at, hops);
}

void Engine::lose(const Packet& packet, HostId at, Loss why) {
  if (!breakages_.empty()) tell_breakages();
  ++state.totals.lost;
  driver_->lost(*network_, packet, at, why);
}

/// The same for one copy of a multicast packet.
void Engine::end_copy(Index id, HostId at, std::optional<Loss> why) {
  const Packet packet = state.slots[id].packet;
  if (why) state.fate(id).lose(*why);
  std::vector<bool>& accounted = accounted_[id];
  if (at.valid() && members_[packet.group][at.index()] && !accounted[at.index()]) {
    accounted[at.index()] = true;
    if (why)
      lose(packet, at, static_cast<Loss>(state.fate(id).loss));
    else
      deliver(packet, at, depth(packet, at));
  }
  Fate& fate = state.fate(id);
  if (--fate.pieces > 0) return;
  const Loss loss = fate.loss == Fate::none ? Loss::no_route : static_cast<Loss>(fate.loss);
  state.free(id);
  damaged_.erase(id);
  const std::vector<bool> reported = std::move(accounted_[id]);
  accounted_.erase(id);
  for (const HostId member : state.fabric.hosts()) {
    if (!members_[packet.group][member.index()] || member == packet.from) continue;
    if (reported[member.index()]) continue;
    lose(packet, member, loss);
  }
}

/// Switches from the sender of a multicast packet to a member, along the group's ports.
unsigned Engine::depth(const Packet& packet, HostId at) {
  auto [found, fresh] = depths_.try_emplace({packet.group, packet.from});
  if (fresh) {
    const std::vector<std::uint32_t> all = depths(packet);
    found->second.assign(all.begin() + state.switch_ports, all.end());
  }
  return found->second[at.index()];
}

/// By port at which copies of a multicast packet come in: the switches before it.
std::vector<std::uint32_t> Engine::depths(const Packet& packet) const {
  std::vector<std::uint32_t> out(state.ports.size(), 0);
  struct Visit {
    SwitchId on;
    PortNumber in;
    std::uint32_t depth;
  };
  const Host& sender = state.fabric[packet.from];
  std::vector<Visit> todo{{sender.on, sender.port, 1}};
  const SwitchId root = state.tables.groups[packet.group].root.value_or(SwitchId::none());
  for (Visit& at = todo.front(); root.valid() && at.on != root; ++at.depth) {
    out[state.port_at(at.on, at.in)] = at.depth - 1;
    const ChannelId up = state.fabric.channel_at(at.on, state.steering.up(packet.group, at.on));
    if (!up.valid() || at.depth > state.fabric.switch_count()) return out;  // it gets no further
    at.on = state.fabric.to(up);
    at.in = state.fabric.in_port(up);
  }
  std::vector<bool> seen(state.fabric.switch_count(), false);
  while (!todo.empty()) {
    const Visit visit = todo.back();
    todo.pop_back();
    if (seen[visit.on.index()]) continue;  // not a tree
    seen[visit.on.index()] = true;
    out[state.port_at(visit.on, visit.in)] = visit.depth - 1;
    for (const PortNumber port : state.steering.copies(packet.group, visit.on)) {
      if (port == visit.in && visit.on != root) continue;
      const Neighbour beyond = state.fabric.at_port(visit.on, port);
      if (beyond.host.valid()) out[state.port_of_host(beyond.host)] = visit.depth;
      if (beyond.channel.valid())
        todo.push_back({state.fabric.to(beyond.channel), state.fabric.in_port(beyond.channel),
                        visit.depth + 1});
    }
  }
  return out;
}

}  // namespace weft::sim
