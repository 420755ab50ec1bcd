// SPDX-License-Identifier: Apache-2.0
// Telling the driver where packets break. What is noticed within a cycle's work is told at its end,
// or before the packet is reported lost, if that comes first.
#include <algorithm>
#include <utility>

#include "sim/engine/engine.hpp"

namespace weft::sim {

/// That the packet has passed which is at the front of an in-lane.
unsigned Engine::switches_before(Index id) const {
  const Slot& slot = state.slots[state.in[id].packet];
  if (slot.packet.group != no_group) return depths(slot.packet)[state.port_of(id)];
  return state.passed[id];
}

/// A link by the port that sends.
FaultSite Engine::link_breakage(Loss why, Index port, unsigned hops) const {
  FaultSite out{.why = why, .hops = hops};
  const Index peer = state.ports[port].peer;
  if (state.is_host(port) || state.is_host(peer)) {
    out.host = HostId((state.is_host(port) ? port : peer) - state.switch_ports);
  } else {
    const Index at = state.switch_at(port);
    const Index number = port - state.switches[at].first_port + 1;
    out.channel = state.fabric.channel_at(SwitchId(at), static_cast<PortNumber>(number));
  }
  return out;
}

/// The front packet of an in-lane cannot go on: to a dead port, or (nothing) not at all.
void Engine::broke_in(Index id, Loss why, Index dead_port) {
  if (!state.options.fault_sites) return;
  const InLane& lane = state.in[id];
  unsigned hops = switches_before(id);
  const SwitchId at(lane.home);
  if (failing_.valid()) {
    // A switch that has failed tells nobody: the one before it finds out.
    if (at == failing_ && hops > 0) --hops;
    note_breakage(lane.packet, {.why = why, .on = failing_, .hops = hops});
  } else if (dead_port == nothing) {
    note_breakage(lane.packet, {.why = why, .on = at, .hops = hops});
  } else {
    note_breakage(lane.packet, link_breakage(why, dead_port, hops));
  }
}

/// Flits of a packet that were to come to in-lane `id` do not. Where it is not at the front there,
/// its head has not been routed since.
void Engine::broke_on_link(Index id, Index packet, Loss why) {
  if (!state.options.fault_sites) return;
  const Slot& slot = state.slots[packet];
  unsigned hops = slot.hops;
  if (slot.packet.group != no_group)
    hops = depths(slot.packet)[state.port_of(id)];
  else if (state.in[id].packet == packet)
    hops = switches_before(id);
  const Index sender = state.port_of(state.in[id].upstream);
  if (hops > 0) --hops;
  if (!failing_.valid()) {
    note_breakage(packet, link_breakage(why, sender, hops));
    return;
  }
  const bool by_it = !state.is_host(sender) && SwitchId(state.switch_at(sender)) == failing_;
  if (by_it && hops > 0) --hops;
  note_breakage(packet, {.why = why, .on = failing_, .hops = hops});
}

/// The last flit of a packet does not come to a host, whose link has failed.
void Engine::broke_to_host(Index id, HostId at) {
  if (!state.options.fault_sites) return;
  const Slot& slot = state.slots[id];
  const unsigned hops = slot.packet.group == no_group ? slot.hops : depth(slot.packet, at);
  note_breakage(id, {.why = Loss::link_down, .host = at, .hops = hops > 0 ? hops - 1 : 0});
}

/// The link of its source has failed.
void Engine::broke_in_nic(Index id) {
  if (!state.options.fault_sites) return;
  note_breakage(id, {.why = Loss::link_down, .host = state.slots[id].packet.from});
}

/// A link has damaged a packet; its other end sees that.
void Engine::damaged(Index packet, Index out_lane) {
  if (!state.options.fault_sites) return;
  const Index port = state.port_of(out_lane);
  const bool from_nic = state.is_host(port);
  const unsigned hops = from_nic ? 0 : switches_before(state.out[out_lane].holder) + 1;
  note_breakage(packet, link_breakage(Loss::corrupted, port, hops));
}

void Engine::note_breakage(Index packet, const FaultSite& site) {
  const Slot& slot = state.slots[packet];
  if (std::exchange(state.fate(packet).broken, true)) {
    if (slot.packet.group == no_group) return;
    const auto told = [&](const std::pair<Packet, FaultSite>& noted) {
      return noted.first.id == packet && noted.second == site;
    };
    if (std::any_of(breakages_.begin(), breakages_.end(), told)) return;
  }
  breakages_.emplace_back(slot.packet, site);
}

void Engine::tell_breakages() {
  const auto told = std::exchange(breakages_, {});  // the driver may send, and that may fail
  for (const auto& [packet, site] : told) driver_->broken(*network_, packet, site);
}

}  // namespace weft::sim
