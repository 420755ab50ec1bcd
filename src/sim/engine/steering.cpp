// SPDX-License-Identifier: Apache-2.0
// Source routes, lanes by turn and service level, and the ports of groups.
#include "sim/engine/steering.hpp"

#include <algorithm>

namespace weft::sim {

Steering::Steering(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric), tables_(tables), one_lane_(std::holds_alternative<OneLane>(tables.lanes)) {
  if (const auto* next = std::get_if<DestinationTables>(&tables.paths); next && next->size() > 0) {
    next_ = (*next)[ColumnId(0)].data();
    width_ = next->width();
  }
  for (HostId h : fabric.hosts()) {
    const ColumnId column = tables.to_host[h];
    destinations_.push_back({column.valid() ? static_cast<Index>(column.index()) : nothing,
                             static_cast<Index>(fabric[h].on.index()), fabric[h].port});
  }
  for (const Group& group : tables.groups) {
    auto& by_switch = copies_.emplace_back(fabric.switch_count(), nullptr);
    auto& up = up_.emplace_back();
    if (!group.root) {
      for (const PortSet& set : group.out) by_switch[set.on.index()] = &set.ports;
      continue;
    }
    up.assign(fabric.switch_count(), 0);
    for (const UpPort& port : group.up) up[port.on.index()] = port.port;
    for (const PortSet& set : group.out) {
      std::vector<PortNumber>& ports = in_order_.emplace_back(set.ports);
      std::sort(ports.begin(), ports.end());
      ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
      by_switch[set.on.index()] = &ports;
    }
  }
}

PortNumber Steering::source_route(Index column, const Slot& slot) const {
  const auto* routes = std::get_if<SourceRoutes>(&tables_.paths);
  if (routes == nullptr) return no_port;
  const SwitchId source = fabric_[slot.packet.from].on;
  const auto route = routes->route(ColumnId(column), source);
  if (!route) return no_port;
  return slot.hops < route->size() ? (*route)[slot.hops] : here;
}

/// The lane of the first of its ports, until one is chosen.
Steering::Way Steering::of_group(Index at, PortNumber in, PortNumber tag, const Slot& slot) const {
  if (tag == no_port) return {};
  return {tag, by(ports(tag).front(), at, in, slot).lane_class};
}

Lane Steering::lane_class(SwitchId at, PortNumber in, PortNumber out, const Slot& slot) const {
  if (const auto* turns = std::get_if<TurnLanes>(&tables_.lanes))
    return static_cast<Lane>(turns->at(at, in, out)(slot.lane_class));
  const auto& service = std::get<ServiceLanes>(tables_.lanes);
  const SwitchId source = fabric_[slot.packet.from].on;
  const unsigned level = service.level[tables_.to_host[slot.packet.to]][source.index()];
  if (!service.map) return static_cast<Lane>(level);
  return (*service.map)(at, fabric_[at], in, out, level);
}

const std::vector<PortNumber>& Steering::copies(std::uint32_t group, SwitchId at) const {
  static const std::vector<PortNumber> none;
  const auto* ports = copies_[group][at.index()];
  return ports == nullptr ? none : *ports;
}

}  // namespace weft::sim
