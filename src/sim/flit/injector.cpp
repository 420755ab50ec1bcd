// SPDX-License-Identifier: Apache-2.0
// Queues of NICs, and circuits that wait there.
#include "sim/flit/injector.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace weft::sim {

Injector::Injector(Units& units, Routing& routing, Reports& reports, Timers& timers)
    : nics(units.layout.fabric.host_count()),
      units_(units),
      routing_(routing),
      reports_(reports),
      timers_(timers) {
  if (units.layout.options.circuits) circuits_.resize(nics.size());
}

Packet& Injector::make_packet(const Packet& packet) {
  const NetworkOptions& options = units_.layout.options;
  invariant(packet.flits >= 1 && packet.flits <= options.longest_packet,
            "a packet is longer than was said");
  invariant(!packet.circuit || (packet.flits >= 2 && options.circuits),
            "a circuit has two flits or more, and was announced");
  invariant(packet.route == no_route_id || (packet.group == no_group && routing_.has_own_routes() &&
                                            packet.route < routing_.own_routes().size()),
            "a packet has a route that nobody has added");
  Packet& made = units_.packets.add(packet).packet;
  made.created = units_.now;
  if (packet.group != no_group)
    reports_.expect_members(made.id);
  else
    ++units_.totals.sent;
  return made;
}

Packet& Injector::make_packet(HostId from, HostId to, std::uint32_t flits, bool urgent,
                              Cycle created) {
  invariant(flits >= 1 && flits <= units_.layout.options.longest_packet,
            "a packet is longer than was said");
  ++units_.totals.sent;
  Packet& packet = units_.packets.add().packet;
  packet.from = from;
  packet.to = to;
  packet.flits = flits;
  packet.urgent = urgent;
  packet.created = created;
  return packet;
}

void Injector::queue(const Packet& packet) {
  ++units_.totals.waiting;
  const auto host = static_cast<Index>(packet.from.index());
  Nic& nic = nics[host];
  (nic.first == nothing ? nic.first : units_.packets[nic.last].next) = packet.id;
  nic.last = packet.id;
  units_.active.insert(host);
}

std::uint64_t Injector::entry_lanes(const Packet& packet, Index id) const {
  const Layout& layout = units_.layout;
  if (layout.model.host_lanes && layout.control_shift == 0) return layout.data_lanes;
  const Head head = head_of(id);
  if (layout.model.host_lanes) return layout.lanes_for(head, layout.data_lanes);
  if (packet.group != no_group && layout.tables.groups[packet.group].level)
    return layout.lanes_for(head, layout.data_lanes);
  // The first switch has yet to say on which lane a packet with choice tables goes on.
  if (std::holds_alternative<ChoiceTables>(layout.tables.paths))
    return layout.lanes_for(head, layout.data_lanes);
  const Host& from = layout.fabric[packet.from];
  const Lane first = packet.group == no_group ? routing_(static_cast<Index>(from.on.index()),
                                                         layout.port_at(from.on, from.port), head)
                                                    .lane_class
                                              : layout.tables.groups[packet.group].lane;
  return layout.lanes_for(
      head, first < layout.class_lanes.size() ? layout.class_lanes[first] : layout.data_lanes);
}

bool Injector::has_circuit(Index host, Index out_lane) const {
  const auto& open = circuits_[host];
  return std::any_of(open.begin(), open.end(), [out_lane](const OpenCircuit& circuit) {
    return circuit.out_lane == out_lane;
  });
}

OpenCircuit Injector::take_closed(Index host) {
  auto& open = circuits_[host];
  const auto closed = std::find_if(open.begin(), open.end(), [&](const OpenCircuit& circuit) {
    return units_.packets.is_closed(circuit.packet) && units_.out[circuit.out_lane].credits > 0;
  });
  if (closed == open.end()) return {nothing, nothing};
  const OpenCircuit circuit = *closed;
  open.erase(closed);
  return circuit;
}

void Injector::lose(Index packet) {
  reports_.broke_in_nic(packet);
  reports_.depart(packet);
  reports_.end_fragment(packet, HostId::none(), Loss::link_down);
}

bool Injector::lose_queue(Index host) {
  Nic& nic = nics[host];
  if (nic.packet != nothing) lose(std::exchange(nic.packet, nothing));
  if (has_circuits())
    for (const OpenCircuit& circuit : std::exchange(circuits_[host], {})) lose(circuit.packet);
  const HostId id(host);
  for (Cycle woken_for = never;;) {
    const Index last = nic.last;  // what the driver sends from now on waits for the next cycle
    while (nic.first != nothing) {
      const Index packet = nic.first;
      nic.first = units_.packets[packet].next;
      --units_.totals.waiting;
      lose(packet);
      if (packet == last) break;
    }
    if (nic.first != nothing) return true;
    // But what it has kept until the queue is empty is lost, too, one after the other.
    const Cycle at = timers_.held_until(host);
    if (at > units_.now || (woken_for != never && at <= woken_for)) break;
    woken_for = at;
    timers_.set(host, never);
    reports_.timers({&id, 1});
    if (nic.first == nothing) break;
  }
  is_idle(host);
  return false;
}

}  // namespace weft::sim
