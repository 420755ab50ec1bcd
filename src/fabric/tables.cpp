// SPDX-License-Identifier: Apache-2.0
// Source routes, lanes by turn, and the test that tables and fabric belong together.
#include "fabric/tables.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "fabric/walk.hpp"

namespace weft {

void SourceRoutes::push_back(const std::optional<std::vector<PortNumber>>& route) {
  if (route)
    ports_.insert(ports_.end(), route->begin(), route->end());
  else
    ports_.push_back(no_port);
  begin_.push_back(ports_.size());
}

std::optional<std::span<const PortNumber>> SourceRoutes::route(ColumnId to, SwitchId from) const {
  const std::size_t place = to.index() * switches_ + from.index();
  const std::span<const PortNumber> ports(ports_.data() + begin_[place],
                                          begin_[place + 1] - begin_[place]);
  if (!ports.empty() && ports.front() == no_port) return std::nullopt;
  return ports;
}

TurnLanes::TurnLanes(const Fabric& fabric, LaneOp from_host, LaneOp otherwise) {
  std::size_t size = 0;
  for (SwitchId s : fabric.switches()) {
    begin_.push_back(size);
    width_.push_back(fabric[s].ports + 1U);
    size += std::size_t{width_.back()} * width_.back();
  }
  ops_.assign(size, otherwise);
  for (HostId h : fabric.hosts()) {
    const auto row =
        ops_.begin() + static_cast<std::ptrdiff_t>(place(fabric[h].on, fabric[h].port, 0));
    std::fill(row, row + width_[fabric[h].on.index()], from_host);
  }
}

std::size_t column_count(const Tables& tables) {
  return std::visit([](const auto& paths) { return paths.size(); }, tables.paths);
}

Tables as_source_routes(const Fabric& fabric, const Tables& tables) {
  const auto* next = std::get_if<DestinationTables>(&tables.paths);
  if (next == nullptr) return tables;
  SourceRoutes routes(fabric.switch_count());
  for (ColumnId column : next->ids())
    for (SwitchId from : fabric.switches()) routes.push_back(follow(fabric, (*next)[column], from));
  Tables out = tables;
  out.paths = std::move(routes);
  return out;
}

namespace {

void require_ports(const Fabric& fabric, const DestinationTables& next) {
  if (next.size() != 0 && next.width() != fabric.switch_count())
    throw Error("tables for {} switches do not fit a fabric with {}", next.width(),
                fabric.switch_count());
  for (ColumnId c : next.ids())
    for (SwitchId s : fabric.switches()) {
      const PortNumber port = next[c][s.index()];
      if (port != no_port && port > fabric[s].ports)
        throw Error("switch \"{}\" has {} ports; the tables send packets to port {}",
                    fabric[s].name, fabric[s].ports, port);
    }
}

void require_ports(const Fabric& fabric, const SourceRoutes& routes) {
  for (ColumnId c : routes.ids())
    for (SwitchId s : fabric.switches()) {
      const auto route = routes.route(c, s);
      if (route && route->size() > 4 * fabric.switch_count())
        throw Error("a source route from switch \"{}\" is {} ports long", fabric[s].name,
                    route->size());
    }
}

void require_groups(const Fabric& fabric, const Tables& tables) {
  for (const Group& group : tables.groups) {
    if (group.lane >= tables.lane_count)
      throw Error("group \"{}\" travels on lane {}; the tables have {} (counted from 0)",
                  group.name, group.lane, tables.lane_count);
    for (const PortSet& set : group.out)
      for (PortNumber port : set.ports)
        if (port == 0 || port > fabric[set.on].ports)
          throw Error("group \"{}\": switch \"{}\" has {} ports, there is no port {}", group.name,
                      fabric[set.on].name, fabric[set.on].ports, port);
  }
}

}  // namespace

void require_fit(const Fabric& fabric, const Tables& tables) {
  if (tables.lane_count < 1 || tables.lane_count > most_lanes)
    throw Error("{} lanes: from 1 to {} are possible", tables.lane_count, most_lanes);
  if (tables.to_host.size() != fabric.host_count())
    throw Error("tables for {} hosts do not fit a fabric with {}", tables.to_host.size(),
                fabric.host_count());
  const std::size_t columns = column_count(tables);
  for (HostId h : fabric.hosts())
    if (tables.to_host[h].valid() && tables.to_host[h].index() >= columns)
      throw Error("host \"{}\" has no column in the tables", fabric[h].name);
  std::visit([&](const auto& paths) { require_ports(fabric, paths); }, tables.paths);
  require_groups(fabric, tables);
}

}  // namespace weft
