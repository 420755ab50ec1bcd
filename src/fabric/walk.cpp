// SPDX-License-Identifier: Apache-2.0
// Walks, one switch at a time.
#include "fabric/walk.hpp"

#include <fmt/format.h>

namespace weft {

std::optional<Lane> Stepper::lane(const PacketPosition& position, PortNumber out) const {
  unsigned lane = 0;
  if (const auto* turns = std::get_if<TurnLanes>(&tables_.lanes)) {
    lane = turns->at(position.at, position.in, out)(position.lane);
  } else if (const auto* service = std::get_if<ServiceLanes>(&tables_.lanes)) {
    lane = position.level;
    if (service->map)
      lane = (*service->map)(position.at, fabric_[position.at], position.in, out, lane);
  }
  if (lane >= static_cast<unsigned>(tables_.lane_count)) return std::nullopt;
  return static_cast<Lane>(lane);
}

PacketPosition Stepper::start(HostId from, ColumnId column) const {
  const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
  const unsigned level =
      service == nullptr || !column.valid() ? 0 : service->of(fabric_, column, from);
  const Host& host = fabric_[from];
  return {column, host.on, host.on, host.port, 0, level};
}

RouteEnd Stepper::end(HostId to, SwitchId at, PortNumber port) const {
  if (port == no_port) return RouteEnd::no_entry;
  const bool right_switch = fabric_[to].on == at;
  if (right_switch && (port == here || port == fabric_[to].port)) return RouteEnd::reached;
  const bool delivered = port == here || fabric_.at_port(at, port).host.valid();
  return delivered ? RouteEnd::wrong_host : RouteEnd::dead_port;
}

PortNumber Walker::port_for(const PacketPosition& position) {
  if (const auto* next = std::get_if<DestinationTables>(&tables_.paths))
    return (*next)[position.column][position.at.index()];
  const auto& routes = std::get<SourceRoutes>(tables_.paths);
  const auto route = routes.route(position.column, position.source);
  if (!route) return no_port;
  if (walk_.hops.size() >= route->size()) return here;
  const auto ports = routes.ports((*route)[walk_.hops.size()]);
  walk_.choices += ports.size() > 1 ? 1 : 0;
  return ports.empty() ? no_port : ports.front();
}

namespace {

/// A phase in which packets start: one that leads to hosts, if there is such a one.
PhaseId usual_start(const ChoiceTables& choices) {
  for (const PhaseId start : choices.starts)
    if (!choices.phases[start].to_intermediate) return start;
  return choices.starts.front();
}

}  // namespace

/// Of choice tables: the first candidate of a packet, which first changes its phase where it has
/// come to its intermediate destination; port `here` at the last switch.
std::optional<Candidate> Walker::first_candidate(PacketPosition& position, HostId to) {
  const auto& choices = std::get<ChoiceTables>(tables_.paths);
  for (;;) {
    if (!position.column.valid()) return std::nullopt;
    const ChoiceTables::Entry entry = choices.next[position.column][position.at.index()];
    if (entry == ChoiceTables::no_route) return std::nullopt;
    if (entry != ChoiceTables::at_end) {
      const auto all = choices.candidates(entry);
      walk_.choices += all.size() > 1 ? 1 : 0;
      return all.front();
    }
    const Phase& phase = choices.phases[position.phase];
    if (!phase.to_intermediate) return Candidate{here};
    position.phase = phase.next;
    position.column = column_of(tables_, choices, position.phase, to);
  }
}

const Walk& Walker::operator()(HostId from, HostId to, ColumnId column) {
  PacketPosition position = stepper_.start(from, column);
  const auto* choices = std::get_if<ChoiceTables>(&tables_.paths);
  if (choices != nullptr) {
    position.phase = usual_start(*choices);
    if (choices->phases[position.phase].to_intermediate)
      position.column = choices->intermediates.columns.front();
    else if (column == tables_.to_host[to])
      position.column = column_of(tables_, *choices, position.phase, to);
  }
  // A source route ends by itself; a column that visits a switch twice never does.
  // In every phase of choice tables a switch may be visited once.
  const bool endless = !std::holds_alternative<SourceRoutes>(tables_.paths);
  const std::size_t phases = choices == nullptr ? 1 : choices->phases.size();
  const std::size_t longest = endless ? fabric_.switch_count() * phases : ~std::size_t{0};
  walk_.hops.clear();
  walk_.choices = 0;
  walk_.at = position.at;
  walk_.port = no_port;
  walk_.end = RouteEnd::no_entry;
  if (!position.column.valid()) return walk_;
  for (;;) {
    const auto candidate = choices != nullptr
                               ? first_candidate(position, to).value_or(Candidate{no_port})
                               : Candidate{port_for(position)};
    const PortNumber out = candidate.port;
    const ChannelId channel =
        out == here || out == no_port ? ChannelId::none() : fabric_.channel_at(position.at, out);
    walk_.port = out;
    if (!channel.valid()) {
      walk_.end = stepper_.end(to, position.at, out);
      return walk_;
    }
    const auto lane = stepper_.lane(position, candidate);
    if (!lane) {
      walk_.end = RouteEnd::no_lane;
      return walk_;
    }
    if (walk_.hops.size() > longest) {
      walk_.end = RouteEnd::loop;
      return walk_;
    }
    walk_.hops.push_back({channel, *lane});
    position = stepper_.over(position, channel, *lane);
    if (choices != nullptr && candidate.phase != position.phase) {
      position.phase = candidate.phase;
      if (!choices->phases[position.phase].to_intermediate)
        position.column = column_of(tables_, *choices, position.phase, to);
    }
    walk_.at = position.at;
  }
}

std::string to_text(const Fabric& fabric, HostId from, HostId to, const Walk& walk) {
  std::string out = fabric[from].name;
  std::vector<bool> seen(fabric.switch_count(), false);
  for (const Hop& hop : walk.hops) {
    const SwitchId at = fabric.from(hop.channel);
    if (walk.end == RouteEnd::loop && seen[at.index()])
      return out + fmt::format(" -> {}: and round again", fabric[at].name);
    seen[at.index()] = true;
    out += fmt::format(" -> {}:{} lane {}", fabric[fabric.from(hop.channel)].name,
                       fabric.out_port(hop.channel), hop.lane);
  }
  const std::string& last = fabric[walk.at].name;
  switch (walk.end) {
    case RouteEnd::reached:
      return out + fmt::format(" -> {}:{} -> {}", last, fabric[to].port, fabric[to].name);
    case RouteEnd::no_entry:
      return out + fmt::format(" -> {}: no entry for {}", last, fabric[to].name);
    case RouteEnd::loop:
      return out + fmt::format(" -> {}: and round again", last);
    case RouteEnd::dead_port:
      return out + fmt::format(" -> {}:{}: nothing is connected there", last, walk.port);
    case RouteEnd::wrong_host:
      return out + fmt::format(" -> {}:{}: delivered to somebody else", last, walk.port);
    case RouteEnd::no_lane:
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
