// SPDX-License-Identifier: Apache-2.0
// Tables as a page shows them: out-ports and lanes in the form that they have, so that the page can
// follow every route hop by hop; loads, groups and proof.
#include "base/base64.hpp"
#include "lab/page/choice_paths.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/report/report.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string bytes_of_ports(std::span<const PortNumber> ports) {
  std::string out;
  out.reserve(2 * ports.size());
  for (const PortNumber port : ports) {
    out += static_cast<char>(port & 0xffU);
    out += static_cast<char>(port >> 8U);
  }
  return out;
}

Json paths_of(const Fabric&, const Tables& tables, const DestinationTables& next) {
  std::string bytes;
  for (const ColumnId column : next.ids()) bytes += bytes_of_ports(next[column]);
  return {{"form", "destination"},
          {"column_of", page_indices(tables.to_host)},
          {"next", base64(bytes)}};
}

Json paths_of(const Fabric& fabric, const Tables& tables, const SourceRoutes& routes) {
  Json all = Json::array();
  for (const ColumnId column : routes.ids())
    for (const SwitchId from : fabric.switches()) {
      const auto route = routes.route(column, from);
      all.push_back(route ? Json(std::vector<PortNumber>(route->begin(), route->end())) : Json());
    }
  return {{"form", "source"},
          {"column_of", page_indices(tables.to_host)},
          {"routes", std::move(all)},
          {"first_group", first_link_group},
          {"port_groups", routes.link_groups()}};
}

Json paths_of(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices) {
  return page_choice_paths(fabric, tables, choices);
}

Json lane_rule(const Fabric&, const OneLane& lanes) {
  return {{"form", lanes.levels_unknown ? "unknown" : "one"}};
}

Json lane_rule(const Fabric& fabric, const TurnLanes& lanes) {
  Json begin = Json::array(), width = Json::array();
  std::string ops;
  for (const SwitchId s : fabric.switches()) {
    const PortNumber ports = fabric[s].ports;
    begin.push_back(ops.size());
    width.push_back(ports + 1);
    for (PortNumber in = 0; in <= ports; ++in)
      for (PortNumber out = 0; out <= ports; ++out)
        ops += static_cast<char>(lanes.at(s, in, out).code());
  }
  return {{"form", "turns"}, {"begin", begin}, {"width", width}, {"ops", base64(ops)}};
}

Json lane_rule(const Fabric& fabric, const ServiceLanes& lanes) {
  std::string levels;
  for (const ColumnId column : lanes.level.ids())
    for (const std::uint8_t level : lanes.level[column]) levels += static_cast<char>(level);
  Json out{{"form", "levels"}, {"level", base64(levels)}, {"by_host", lanes.by_host}};
  if (!lanes.map) return out;
  Json begin = Json::array();
  std::string lane;
  for (const SwitchId s : fabric.switches()) {
    begin.push_back(lane.size());
    for (const Lane each : lanes.map->lane[s.index()]) lane += static_cast<char>(each);
  }
  out["map"] = {{"begin", begin}, {"levels", lanes.map->levels}, {"lane", base64(lane)}};
  return out;
}

Json groups_of(const Tables& tables) {
  Json out = Json::array();
  for (const Group& group : tables.groups) {
    Json each{{"name", group.name}, {"members", page_indices(group.members)}};
    if (group.source) each["source"] = group.source->index();
    if (group.root) each["root"] = group.root->index();
    each["lane"] = group.lane;
    each["out"] = Json::array();
    for (const PortSet& copies : group.out)
      each["out"].push_back({{"on", copies.on.index()}, {"ports", copies.ports}});
    each["up"] = Json::array();
    for (const UpPort& up : group.up)
      each["up"].push_back({{"on", up.on.index()}, {"port", up.port}});
    out.push_back(std::move(each));
  }
  return out;
}

/// Hops of all routes.
std::size_t entries_of(const Fabric& fabric, const Tables&, const SourceRoutes& routes) {
  std::size_t out = 0;
  for (const ColumnId column : routes.ids())
    for (const SwitchId from : fabric.switches())
      if (const auto route = routes.route(column, from)) out += 1 + route->size();
  return out;
}
std::size_t entries_of(const Fabric& fabric, const Tables&, const DestinationTables& next) {
  return next.ids().size() * fabric.switch_count();
}

std::size_t entries_of(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices) {
  return PageChoiceRows(fabric, tables, choices).rows().size() * fabric.switch_count();
}

std::size_t entries_of(const Fabric&, const Tables&, const OneLane&) { return 0; }
std::size_t turns_of(const Fabric& fabric) {
  std::size_t out = 0;
  for (const SwitchId s : fabric.switches())
    out += (fabric[s].ports + std::size_t{1}) * (fabric[s].ports + 1);
  return out;
}
std::size_t entries_of(const Fabric& fabric, const Tables&, const TurnLanes&) {
  return turns_of(fabric);
}
std::size_t entries_of(const Fabric& fabric, const Tables&, const ServiceLanes& lanes) {
  const std::size_t sources = lanes.by_host ? fabric.host_count() : fabric.switch_count();
  const std::size_t levels = lanes.map ? static_cast<std::size_t>(lanes.map->levels) : 0;
  return lanes.level.ids().size() * sources + levels * turns_of(fabric);
}

/// Entries of the tables, and of what says on which lane.
std::size_t entries_of(const Fabric& fabric, const Tables& tables) {
  const auto count = [&](const auto& part) { return entries_of(fabric, tables, part); };
  return std::visit(count, tables.paths) + std::visit(count, tables.lanes);
}

}  // namespace

Json page_routing(const Fabric& fabric, const PageRouting& routing) {
  const Tables& tables = routing.tables;
  const LoadMap loads = routes_over(fabric, tables);
  Json out{{"engine", routing.name.empty() ? tables.engine : routing.name},
           {"lanes", tables.lane_count}};
  out["load"] = Json::array();
  for (const ChannelId c : fabric.channels()) out["load"].push_back(loads.of[c]);
  if (entries_of(fabric, tables) <= most_page_entries) {
    out["paths"] = std::visit([&](const auto& paths) { return paths_of(fabric, tables, paths); },
                              tables.paths);
    out["lane_rule"] =
        std::visit([&](const auto& lanes) { return lane_rule(fabric, lanes); }, tables.lanes);
  }
  out["groups"] = groups_of(tables);
  if (routing.checked != nullptr) out["proof"] = page_proof(fabric, tables, *routing.checked);
  return out;
}

}  // namespace weft
