// SPDX-License-Identifier: Apache-2.0
// Source routes, lanes by turn, and the test that tables and fabric belong together.
#include "fabric/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "fabric/walk.hpp"

namespace weft {

void SourceRoutes::push_back(const std::optional<std::vector<PortNumber>>& route) {
  if (route)
    tags_.insert(tags_.end(), route->begin(), route->end());
  else
    tags_.push_back(no_port);
  begin_.push_back(tags_.size());
}

std::optional<std::span<const PortNumber>> SourceRoutes::route(ColumnId to, SwitchId from) const {
  const std::size_t place = to.index() * switches_ + from.index();
  const std::span<const PortNumber> tags(tags_.data() + begin_[place],
                                         begin_[place + 1] - begin_[place]);
  if (!tags.empty() && tags.front() == no_port) return std::nullopt;
  return tags;
}

PortNumber SourceRoutes::add_links(std::vector<PortNumber> ports) {
  invariant(link_groups_.size() < most_link_groups, "more groups of links than tags for them");
  link_groups_.push_back(std::move(ports));
  return static_cast<PortNumber>(first_link_group + link_groups_.size() - 1);
}

TurnLanes::TurnLanes(const Fabric& fabric, LaneOp from_host, LaneOp otherwise) {
  std::size_t size = 0;
  for (SwitchId s : fabric.switches()) {
    begin_.push_back(size);
    width_.push_back(fabric[s].ports + 1U);
    size += std::size_t{width_.back()} * width_.back();
  }
  constexpr std::size_t most_turns = std::size_t{1} << 30;
  if (size > most_turns)
    throw Error("lanes by turn need an entry per pair of ports: {} in all, and {} are possible",
                size, most_turns);
  ops_.assign(size, otherwise);
  for (HostId h : fabric.hosts()) {
    const auto row =
        ops_.begin() + static_cast<std::ptrdiff_t>(place(fabric[h].on, fabric[h].port, 0));
    std::fill(row, row + width_[fabric[h].on.index()], from_host);
  }
}

bool TurnLanes::fits(const Fabric& fabric) const {
  if (width_.size() != fabric.switch_count()) return false;
  for (SwitchId s : fabric.switches())
    if (width_[s.index()] != fabric[s].ports + 1U) return false;
  return true;
}

std::size_t column_count(const Tables& tables) {
  return std::visit([](const auto& paths) { return paths.size(); }, tables.paths);
}

bool leave_choices(const Tables& tables) {
  if (std::holds_alternative<ChoiceTables>(tables.paths)) return true;
  const auto* routes = std::get_if<SourceRoutes>(&tables.paths);
  return routes != nullptr && !routes->link_groups().empty();
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

template <class Paths>
void require_width(const Fabric& fabric, const Paths& paths) {
  if (paths.size() != 0 && paths.width() != fabric.switch_count())
    throw Error("tables for {} switches do not fit a fabric with {}", paths.width(),
                fabric.switch_count());
}

void require_ports(const Fabric& fabric, const Tables& /*tables*/, const DestinationTables& next) {
  require_width(fabric, next);
  IdVector<SwitchId, PortNumber> most;  // compact: the tables have millions of entries
  for (SwitchId s : fabric.switches()) most.push_back(fabric[s].ports);
  for (ColumnId c : next.ids()) {
    const std::span<const PortNumber> row = next[c];
    for (SwitchId s : fabric.switches()) {
      const PortNumber port = row[s.index()];
      if (port > most[s] && port != no_port)
        throw Error("switch \"{}\" has {} ports; the tables send packets to port {}",
                    fabric[s].name, most[s], port);
    }
  }
}

/// Follows the routes of one column, by every choice, until they repeat.
class RouteEnds {
 public:
  RouteEnds(const Fabric& fabric, const SourceRoutes& routes) : fabric_(fabric), routes_(routes) {}

  void require(SwitchId from, std::span<const PortNumber> tags) {
    if (tags.size() > 4 * fabric_.switch_count())
      throw Error("a source route from switch \"{}\" is {} ports long", fabric_[from].name,
                  tags.size());
    for (const PortNumber& tag : tags) {
      if (tag == here)
        throw Error("a source route from switch \"{}\" names port 0; ports count from 1",
                    fabric_[from].name);
      if (routes_.ports(tag).empty())
        throw Error("a source route from switch \"{}\" names group g{} of links; there are {}",
                    fabric_[from].name, tag - first_link_group, routes_.link_groups().size());
    }
    todo_.assign(1, {from, tags});
    while (!todo_.empty()) {
      const TagsLeft position = todo_.back();
      todo_.pop_back();
      if (!position.tags.empty()) step(from, position);
    }
  }
  void next_column() { known_.clear(); }

 private:
  struct TagsLeft {
    SwitchId at;
    std::span<const PortNumber> tags;
  };
  void step(SwitchId from, const TagsLeft& position) {
    const auto ports = routes_.ports(position.tags.front());
    if (ports.size() > 1 && has_chosen(position)) return;
    const auto left = position.tags.subspan(1);
    for (const PortNumber port : ports) {
      const Neighbour beyond = fabric_.at_port(position.at, port);
      if (beyond.host.valid() && !left.empty())
        throw Error(
            "a source route from switch \"{}\" is longer than its path: at host \"{}\" {} "
            "left",
            fabric_[from].name, fabric_[beyond.host].name,
            left.size() == 1 ? "a tag is" : fmt::format("{} tags are", left.size()));
      if (beyond.channel.valid()) todo_.push_back({fabric_.to(beyond.channel), left});
    }
  }

  /// Whether it has before; notes that it has now.
  bool has_chosen(const TagsLeft& position) {
    std::vector<bool>& known = known_[as_key(position.tags)];
    known.resize(fabric_.switch_count(), false);
    const bool before = known[position.at.index()];
    known[position.at.index()] = true;
    return before;
  }

  const Fabric& fabric_;
  const SourceRoutes& routes_;
  std::vector<TagsLeft> todo_;
  /// By the tags that are left: the switches that have chosen.
  std::unordered_map<std::string_view, std::vector<bool>> known_;
};

void require_ports(const Fabric& fabric, const Tables& /*tables*/, const SourceRoutes& routes) {
  require_width(fabric, routes);
  for (std::size_t g = 0; g < routes.link_groups().size(); ++g)
    require_links(fabric, routes.link_groups()[g], g);
  RouteEnds ends(fabric, routes);
  for (ColumnId c : routes.ids()) {
    for (SwitchId s : fabric.switches())
      if (const auto route = routes.route(c, s)) ends.require(s, *route);
    ends.next_column();
  }
}

void require_ports(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices) {
  require_choices(fabric, tables, choices);
}

template <class Target>
void require_columns(const Fabric& fabric, const IdVector<Target, ColumnId>& to, const char* kind,
                     std::size_t columns) {
  for (Target target : to.ids())
    if (to[target].valid() && to[target].index() >= columns)
      throw Error("{} \"{}\" has no column in the tables", kind, fabric[target].name);
}

void require_destinations(const Fabric& fabric, const Tables& tables) {
  if (tables.to_host.size() != fabric.host_count())
    throw Error("tables for {} hosts do not fit a fabric with {}", tables.to_host.size(),
                fabric.host_count());
  if (!tables.to_switch.empty() && tables.to_switch.size() != fabric.switch_count())
    throw Error("tables with routes to {} switches do not fit a fabric with {}",
                tables.to_switch.size(), fabric.switch_count());
  require_columns(fabric, tables.to_host, "host", column_count(tables));
  require_columns(fabric, tables.to_switch, "switch", column_count(tables));
  for (const auto& [host, lid, column] : tables.further) {
    if (host.index() >= fabric.host_count() || column.index() >= column_count(tables))
      throw Error("a further LID of host {} has column {}; the fabric has {} hosts, the tables {}",
                  host.index(), column.index(), fabric.host_count(), column_count(tables));
    if (std::holds_alternative<SourceRoutes>(tables.paths))
      throw Error("host \"{}\" has further LIDs; source routes have none", fabric[host].name);
    if (const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
        choices != nullptr && choices->phases.size() > 1)
      throw Error("host \"{}\" has further LIDs; tables with several phases have none",
                  fabric[host].name);
  }
}

// --- lanes

void require_map(const Fabric& fabric, const ServiceLanes::Map& map, int lane_count) {
  if (map.levels < 1 || map.levels > 256)
    throw Error("a map of {} service levels; from 1 to 256 are possible", map.levels);
  if (map.lane.size() != fabric.switch_count())
    throw Error("a map of service levels for {} switches does not fit a fabric with {}",
                map.lane.size(), fabric.switch_count());
  for (SwitchId s : fabric.switches()) {
    const std::vector<Lane>& lanes = map.lane[s.index()];
    const std::size_t ports = fabric[s].ports + std::size_t{1};
    const std::size_t needed = ports * ports * static_cast<std::size_t>(map.levels);
    if (lanes.size() != needed)
      throw Error("switch \"{}\" maps {} service levels with {} entries; its {} ports need {}",
                  fabric[s].name, map.levels, lanes.size(), fabric[s].ports, needed);
    for (const Lane lane : lanes)
      if (lane >= lane_count)
        throw Error("switch \"{}\" maps a level to lane {}; the tables have {} (counted from 0)",
                    fabric[s].name, lane, lane_count);
  }
}

void require_levels(const Fabric& fabric, const Tables& tables, const ServiceLanes& service) {
  const std::size_t columns = column_count(tables);
  if (service.level.size() != columns)
    throw Error("service levels for {} columns do not fit tables with {}", service.level.size(),
                columns);
  const std::size_t sources = service.by_host ? fabric.host_count() : fabric.switch_count();
  if (columns != 0 && service.level.width() != sources)
    throw Error("service levels for {} {} do not fit a fabric with {}", service.level.width(),
                service.by_host ? "hosts" : "switches", sources);
  const int levels = service.map ? service.map->levels : tables.lane_count;
  for (ColumnId c : service.level.ids())
    for (const std::uint8_t level : service.level[c])
      if (level >= levels)
        throw Error("a packet has service level {}; the {} {} (counted from 0)", level,
                    service.map ? "map has" : "tables have lanes for", levels);
}

void require_lanes(const Fabric& /*fabric*/, const Tables& /*tables*/, const OneLane& /*lanes*/) {}

void require_lanes(const Fabric& fabric, const Tables& /*tables*/, const TurnLanes& turns) {
  if (!turns.fits(fabric))
    throw Error("the lanes by turn are those of another fabric: switches or their ports differ");
}

void require_lanes(const Fabric& fabric, const Tables& tables, const ServiceLanes& service) {
  if (service.map) require_map(fabric, *service.map, tables.lane_count);
  require_levels(fabric, tables, service);
}

// --- groups

void require_host(const Fabric& fabric, const Group& group, HostId host) {
  if (host.index() >= fabric.host_count())
    throw Error("group \"{}\" names host {}; the fabric has {} (counted from 0)", group.name,
                host.index(), fabric.host_count());
}

void require_switch(const Fabric& fabric, const Group& group, SwitchId s) {
  if (s.index() >= fabric.switch_count())
    throw Error("group \"{}\" names switch {}; the fabric has {} (counted from 0)", group.name,
                s.index(), fabric.switch_count());
}

void require_port(const Fabric& fabric, const Group& group, SwitchId s, PortNumber port) {
  if (port == 0 || port > fabric[s].ports)
    throw Error("group \"{}\": switch \"{}\" has {} ports, there is no port {}", group.name,
                fabric[s].name, fabric[s].ports, port);
}

void require_up(const Fabric& fabric, const Group& group) {
  if (group.root) require_switch(fabric, group, *group.root);
  if (!group.root && !group.up.empty())
    throw Error("group \"{}\" has ports up, but no root that they could lead to", group.name);
  std::set<SwitchId> seen;
  for (const UpPort& up : group.up) {
    require_switch(fabric, group, up.on);
    require_port(fabric, group, up.on, up.port);
    if (!seen.insert(up.on).second)
      throw Error("group \"{}\": switch \"{}\" has two ports up; one is possible", group.name,
                  fabric[up.on].name);
  }
}

void require_out(const Fabric& fabric, const Group& group) {
  std::set<SwitchId> seen;
  for (const PortSet& set : group.out) {
    require_switch(fabric, group, set.on);
    if (!seen.insert(set.on).second)
      throw Error("group \"{}\": switch \"{}\" has two lists of ports; one is possible", group.name,
                  fabric[set.on].name);
    for (const PortNumber port : set.ports) require_port(fabric, group, set.on, port);
    if (std::set<PortNumber>(set.ports.begin(), set.ports.end()).size() != set.ports.size())
      throw Error("group \"{}\": switch \"{}\" lists a port twice", group.name,
                  fabric[set.on].name);
  }
}

void require_level(const Tables& tables, const Group& group) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr || group.root)
    throw Error("group \"{}\" has a service level; {}", group.name,
                group.root ? "with a root it has a lane" : "the tables have none");
  const int levels = service->map ? service->map->levels : tables.lane_count;
  if (*group.level >= levels)
    throw Error("group \"{}\" has service level {}; the tables have {} (counted from 0)",
                group.name, *group.level, levels);
}

void require_group(const Fabric& fabric, const Tables& tables, const Group& group) {
  if (group.lane >= tables.lane_count)
    throw Error("group \"{}\" travels on lane {}; the tables have {} (counted from 0)", group.name,
                group.lane, tables.lane_count);
  if (group.level) require_level(tables, group);
  for (HostId member : group.members) require_host(fabric, group, member);
  if (group.source) require_host(fabric, group, *group.source);
  require_out(fabric, group);
  require_up(fabric, group);
}

}  // namespace

ServiceLanes::Map uniform_map(const Fabric& fabric, const std::vector<Lane>& by_level) {
  ServiceLanes::Map map;
  map.levels = static_cast<int>(by_level.size());
  for (SwitchId s : fabric.switches()) {
    const std::size_t ports = fabric[s].ports + std::size_t{1};
    std::vector<Lane>& lanes = map.lane.emplace_back();
    lanes.reserve(ports * ports * by_level.size());
    for (std::size_t i = 0; i < ports * ports; ++i)
      lanes.insert(lanes.end(), by_level.begin(), by_level.end());
  }
  return map;
}

void require_links(const Fabric& fabric, std::span<const PortNumber> ports, std::size_t index) {
  PortNumber most = 0;
  for (SwitchId s : fabric.switches()) most = std::max(most, fabric[s].ports);
  if (ports.empty()) throw Error("group g{} of links is empty", index);
  for (auto port = ports.begin(); port != ports.end(); ++port) {
    if (*port == 0 || *port > most)
      throw Error("group g{} of links has port {}; the switches have ports from 1 to {}", index,
                  *port, most);
    if (std::find(ports.begin(), port, *port) != port)
      throw Error("group g{} of links has port {} twice", index, *port);
  }
}

void require_fit(const Fabric& fabric, const Tables& tables) {
  if (tables.lane_count < 1 || tables.lane_count > most_lanes)
    throw Error("{} lanes: from 1 to {} are possible", tables.lane_count, most_lanes);
  require_destinations(fabric, tables);
  std::visit([&](const auto& paths) { require_ports(fabric, tables, paths); }, tables.paths);
  std::visit([&](const auto& lanes) { require_lanes(fabric, tables, lanes); }, tables.lanes);
  for (const Group& group : tables.groups) require_group(fabric, tables, group);
}

}  // namespace weft
