// SPDX-License-Identifier: Apache-2.0
// Source routes, lanes by turn and service level, and the ports of groups.
#include "sim/flit/routing.hpp"

#include <algorithm>

namespace weft::sim {
namespace {

const Grid<std::uint8_t>* levels_of(const Tables& tables) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  return service == nullptr ? nullptr : &service->level;
}

/// By input, ports of all switches one after the other; empty unless hosts have own levels.
std::vector<Index> hosts_at_inputs(const Fabric& fabric, const Tables& tables) {
  std::vector<Index> hosts;
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr || !service->by_host) return hosts;
  for (SwitchId s : fabric.switches())
    for (unsigned port = 1; port <= fabric[s].ports; ++port) {
      const HostId host = fabric.at_port(s, static_cast<PortNumber>(port)).host;
      hosts.push_back(host.valid() ? static_cast<Index>(host.index()) : 0);
    }
  return hosts;
}

}  // namespace

Routing::Routing(const Layout& layout, const PacketPool& packets)
    : layout_(layout),
      packets_(packets),
      levels_(levels_of(layout.tables)),
      source_of_input_(hosts_at_inputs(layout.fabric, layout.tables)),
      by_destination_(!layout.out_ports.empty()),
      one_lane_(std::holds_alternative<OneLane>(layout.tables.lanes)),
      lanes_(layout.fabric, layout.tables) {
  const Fabric& fabric = layout.fabric;
  for (HostId h : fabric.hosts())
    last_hops_.push_back({static_cast<Index>(fabric[h].on.index()), fabric[h].port});
  for (const Group& group : layout.tables.groups) {
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

/// The list of tags of a packet at its first switch: the switch's, or the packet's own.
std::span<const PortNumber> Routing::tags_from(Index at, const Head& head) const {
  static constexpr PortNumber none[] = {no_port};
  if (head.has(Head::own_route)) return own_->tags(packets_[head.packet].packet.route);
  const ColumnId column = layout_.tables.to_host[HostId(head.to)];
  const auto* routes = std::get_if<SourceRoutes>(&layout_.tables.paths);
  if (!column.valid() || routes == nullptr) return none;
  return routes->route(column, SwitchId(at)).value_or(none);
}

/// Of packets without others.
static constexpr PortNumber end_of_tags[] = {here};

void Routing::make_room(std::size_t packets) {
  const bool tags = !by_destination_ || own_ != nullptr;
  if (tags && packets > tags_of_.size()) tags_of_.resize(packets, end_of_tags);
}

void Routing::note_tags(Index at, const Head& head) {
  if (head.packet >= tags_of_.size()) make_room(packets_.size());
  const std::span<const PortNumber> tags = tags_from(at, head);
  tags_of_[head.packet] = tags.empty() ? end_of_tags : tags;
}

/// With the lane of the first of its ports, until one is chosen.
RouteStep Routing::choice(PortNumber tag, Index at, Index in, const Head& head) const {
  const PortNumber first = ports(tag).front();
  RouteStep hop = by(layout_.ends.has(at, first) ? first : PortNumber{1}, at, in, head);
  hop.port = tag;
  return hop;
}

const std::vector<PortNumber>& Routing::copies(Index group, SwitchId at) const {
  static const std::vector<PortNumber> none;
  const auto* ports = copies_[group][at.index()];
  return ports == nullptr ? none : *ports;
}

}  // namespace weft::sim
