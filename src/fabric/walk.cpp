// SPDX-License-Identifier: Apache-2.0
// Walks, one switch at a time.
#include "fabric/walk.hpp"

#include <fmt/format.h>

namespace weft {

PortNumber Walker::port_for(ColumnId column, SwitchId source, SwitchId at) const {
  if (const auto* next = std::get_if<DestinationTables>(&tables_.paths))
    return (*next)[column][at.index()];
  const auto route = std::get<SourceRoutes>(tables_.paths).route(column, source);
  if (!route) return no_port;
  return walk_.hops.size() < route->size() ? (*route)[walk_.hops.size()] : here;
}

unsigned Walker::lane_for(ColumnId column, SwitchId source, PortNumber in, PortNumber out,
                          unsigned lane) const {
  if (const auto* turns = std::get_if<TurnLanes>(&tables_.lanes))
    return turns->at(walk_.at, in, out)(lane);
  const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
  if (service == nullptr) return 0;
  const unsigned level = service->level[column][source.index()];
  if (!service->map) return level;
  return (*service->map)(walk_.at, fabric_[walk_.at], in, out, level);
}

void Walker::finish(HostId to, SwitchId at, PortNumber port) {
  walk_.port = port;
  if (port == no_port) {
    walk_.end = Arrival::no_entry;
    return;
  }
  const PortNumber own = fabric_[to].port;
  const bool right_switch = fabric_[to].on == at;
  if (right_switch && (port == here || port == own))
    walk_.end = Arrival::reached;
  else
    walk_.end = port == here || fabric_.at_port(at, port).host.valid() ? Arrival::wrong_host
                                                                       : Arrival::dead_port;
}

const Walk& Walker::operator()(HostId from, HostId to) {
  const SwitchId source = fabric_[from].on;
  const ColumnId column = tables_.to_host[to];
  PortNumber in = fabric_[from].port;
  unsigned lane = 0;
  // A source route ends by itself; a column that visits a switch twice never does.
  const bool endless = std::holds_alternative<DestinationTables>(tables_.paths);
  const std::size_t longest = endless ? fabric_.switch_count() : ~std::size_t{0};
  walk_.hops.clear();
  walk_.at = source;
  walk_.port = no_port;
  walk_.end = Arrival::no_entry;
  if (!column.valid()) return walk_;
  for (;;) {
    const PortNumber out = port_for(column, source, walk_.at);
    const ChannelId channel =
        out == here || out == no_port ? ChannelId::none() : fabric_.channel_at(walk_.at, out);
    if (!channel.valid()) {
      finish(to, walk_.at, out);
      return walk_;
    }
    walk_.port = out;
    lane = lane_for(column, source, in, out, lane);
    if (lane >= static_cast<unsigned>(tables_.lane_count)) {
      walk_.end = Arrival::no_lane;
      return walk_;
    }
    if (walk_.hops.size() > longest) {
      walk_.end = Arrival::loop;
      return walk_;
    }
    walk_.hops.push_back({channel, static_cast<Lane>(lane)});
    walk_.at = fabric_.to(channel);
    in = fabric_.in_port(channel);
  }
}

std::string to_text(const Fabric& fabric, HostId from, HostId to, const Walk& walk) {
  std::string out = fabric[from].name;
  std::vector<bool> seen(fabric.switch_count(), false);
  for (const Hop& hop : walk.hops) {
    const SwitchId at = fabric.from(hop.channel);
    if (walk.end == Arrival::loop && seen[at.index()])
      return out + fmt::format(" -> {}: and round again", fabric[at].name);
    seen[at.index()] = true;
    out += fmt::format(" -> {}:{} lane {}", fabric[fabric.from(hop.channel)].name,
                       fabric.out_port(hop.channel), hop.lane);
  }
  const std::string& last = fabric[walk.at].name;
  switch (walk.end) {
    case Arrival::reached:
      return out + fmt::format(" -> {}:{} -> {}", last, fabric[to].port, fabric[to].name);
    case Arrival::no_entry:
      return out + fmt::format(" -> {}: no entry for {}", last, fabric[to].name);
    case Arrival::loop:
      return out + fmt::format(" -> {}: and round again", last);
    case Arrival::dead_port:
      return out + fmt::format(" -> {}:{}: nothing is connected there", last, walk.port);
    case Arrival::wrong_host:
      return out + fmt::format(" -> {}:{}: delivered to somebody else", last, walk.port);
    case Arrival::no_lane:
      return out + fmt::format(" -> {}:{}: the lane does not exist", last, walk.port);
  }
  return out;
}

std::optional<std::vector<PortNumber>> follow(const Fabric& fabric,
                                              std::span<const PortNumber> next, SwitchId from) {
  std::vector<PortNumber> route;
  for (SwitchId at = from; next[at.index()] != here;) {
    const PortNumber port = next[at.index()];
    const Neighbour beyond = fabric.at_port(at, port);
    const bool connected = beyond.channel.valid() || beyond.host.valid();
    if (!connected || route.size() > fabric.switch_count()) return std::nullopt;
    route.push_back(port);
    if (beyond.host.valid()) break;
    at = fabric.to(beyond.channel);
  }
  return route;
}

}  // namespace weft
