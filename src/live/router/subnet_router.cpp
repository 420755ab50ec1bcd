// SPDX-License-Identifier: Apache-2.0
// A sweep: read, route, prove, answer.
#include "live/router/subnet_router.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "fabric/format/format.hpp"
#include "live/router/group_level.hpp"
#include "plan/check/survey.hpp"

namespace weft::live {
namespace {

std::string size_of(const Fabric& fabric) {
  return fmt::format("{}, {}, {}", counted(fabric.switch_count(), "switch", "switches"),
                     counted(fabric.host_count(), "host", "hosts"),
                     counted(fabric.link_count(), "link", "links"));
}

Fabric read_subnet(const std::string& text) {
  Fabric out = read_fabric({"the subnet of OpenSM", text}, "ibnetdiscover");
  for (SwitchId s : out.switches())
    if (out[s].lid == 0) throw Error("switch \"{}\" has no LID yet", out[s].name);
  for (HostId h : out.hosts())
    if (out[h].lid == 0) throw Error("host \"{}\" has no LID yet", out[h].name);
  return out;
}

}  // namespace

/// Tables that leave a lane to multicast if they can.
std::variant<Tables, Refused> SubnetRouter::new_tables(const Fabric& fabric, unsigned lanes) const {
  if (lanes > 2)
    if (auto tables = source_(fabric, lanes - 1); std::holds_alternative<Tables>(tables))
      return tables;
  return source_(fabric, lanes);
}

std::variant<SubnetTables, Refused> SubnetRouter::route(const RouteRequest& request,
                                                        LogLines& log) {
  Fabric fabric = read_subnet(request.subnet);
  auto tables = new_tables(fabric, request.lanes);
  if (auto* refused = std::get_if<Refused>(&tables)) return std::move(*refused);
  RoutedSubnet next{std::move(fabric), std::get<Tables>(std::move(tables))};
  next.tables.groups.clear();
  certify(next, request, log);
  auto answer = subnet_answer(next.fabric, next.tables, request.lanes);
  if (auto* refused = std::get_if<Refused>(&answer))
    return Refused{fmt::format("{}: {}", next.tables.engine, refused->why)};
  next.spare = std::get<SubnetAnswer>(answer).spare;
  last_ = std::move(next);
  return std::get<SubnetAnswer>(std::move(answer)).tables;
}

/// Finds a tree for multicast, and proves that nothing can deadlock, as far as that is so.
void SubnetRouter::certify(RoutedSubnet& next, const RouteRequest& request, LogLines& log) const {
  const Fabric& fabric = next.fabric;
  if (const Survey found = survey(fabric, next.tables); !found.complete())
    log.warnings.push_back(fmt::format("{} of {} pairs of hosts are not reached",
                                       found.pairs - found.apart - found.reached, found.pairs));
  const auto alone = deadlock(fabric, next.tables);
  next.certified = std::holds_alternative<Certificate>(alone);
  next.tree = tree_towards(fabric, SwitchId(0));
  const std::string what = fmt::format("{} on {}", next.tables.engine, size_of(fabric));
  if (!next.certified) {
    log.warnings.push_back(what + ": the tables can deadlock");
    if (const auto* cycle = std::get_if<DependencyCycle>(&alone))
      for (const std::string& line : cycle->describe(fabric)) log.warnings.push_back("  " + line);
    if (const auto* refused = std::get_if<Refused>(&alone)) log.warnings.push_back(refused->why);
    return;
  }
  std::set<std::uint8_t> levels(request.multicast_levels.begin(), request.multicast_levels.end());
  if (levels.empty()) levels.insert(0);
  if (find_tree(next, levels, request.lanes)) {
    log.notes.push_back(what + ": free of deadlock, multicast included");
    return;
  }
  log.notes.push_back(what + ": free of deadlock, but for multicast");
  log.warnings.emplace_back(
      "multicast can deadlock with unicast on the lanes that there are; engines of fewer lanes, "
      "such as updown, leave one to it");
}

bool SubnetRouter::find_tree(RoutedSubnet& next, const std::set<std::uint8_t>& levels,
                             unsigned lanes) {
  const auto found = [&](const Tables& tables) {
    const SpareLevels spare = spare_levels(tables, lanes);
    std::vector<GroupLane> ways;
    for (const std::uint8_t level : levels) ways.push_back(group_lane_of(tables, spare, level));
    return safe_tree(next.fabric, tables, ways);
  };
  auto tree = found(next.tables);
  if (!tree && next.tables.lane_count < static_cast<int>(lanes))
    if (auto moved = with_free_level(next.fabric, next.tables))
      if ((tree = found(*moved))) next.tables = std::move(*moved);
  if (!tree) return false;
  next.tree = std::move(*tree);
  next.levels = levels;
  return true;
}

DeadlockVerdict SubnetRouter::verdict(const std::set<std::uint8_t>& levels) const {
  std::vector<GroupLane> ways;
  for (const std::uint8_t level : levels)
    ways.push_back(group_lane_of(last_->tables, last_->spare, level));
  return deadlock(last_->fabric, with_groups(last_->tables, last_->fabric, last_->tree, ways));
}

TreeTables SubnetRouter::tree(const TreeRequest& request, LogLines& log) {
  if (!last_) throw Error("no subnet has been routed");
  std::set<std::uint8_t> levels = last_->levels;
  levels.insert(request.levels.begin(), request.levels.end());
  if (last_->certified && levels != last_->levels) {
    if (std::holds_alternative<Certificate>(verdict(levels)))
      last_->levels = levels;
    else
      log.warnings.push_back(fmt::format("group 0x{:x} can deadlock with unicast", request.lid));
  }
  Group group{fmt::format("0x{:x}", request.lid), {}};
  const TreeTables out = branches(request, group, log);
  Tables& tables = last_->tables;
  std::erase_if(tables.groups, [&](const Group& other) { return other.name == group.name; });
  if (group.members.size() > 1) {
    const GroupLane lane =
        group_lane_of(tables, last_->spare, request.levels.empty() ? 0 : request.levels.front());
    group.lane = lane.lane;
    group.level = lane.level;
    tables.groups.push_back(std::move(group));
  }
  return out;
}

/// The part of the tree between the members; fills in the group, whose members are hosts.
TreeTables SubnetRouter::branches(const TreeRequest& request, Group& group, LogLines& log) const {
  const Fabric& fabric = last_->fabric;
  IdVector<SwitchId, bool> marked(fabric.switch_count(), false);
  IdVector<SwitchId, std::bitset<256>> ports(fabric.switch_count());
  const std::set<std::uint64_t> wanted(request.members.begin(), request.members.end());
  std::size_t found = 0;
  for (HostId h : fabric.hosts())
    if (wanted.contains(fabric[h].port_guid)) {
      group.members.push_back(h);
      marked[fabric[h].on] = true;
      ports[fabric[h].on].set(fabric[h].port);
      ++found;
    }
  for (SwitchId s : fabric.switches())
    if (wanted.contains(fabric[s].guid)) {
      marked[s] = true;
      ports[s].set(0);
      ++found;
    }
  if (found < wanted.size())
    log.warnings.push_back(fmt::format("group {}: {} of {} members are not in the subnet",
                                       group.name, wanted.size() - found, wanted.size()));
  const auto ways = branches_between(fabric, last_->tree, marked);
  TreeTables out;
  for (SwitchId s : fabric.switches()) {
    for (ChannelId c : ways[s]) ports[s].set(fabric.out_port(c));
    if (ports[s].none()) continue;
    out.push_back({fabric[s].guid, ports[s]});
    PortSet& set = group.out.emplace_back(PortSet{s, {}});
    for (std::size_t port = 1; port < ports[s].size(); ++port)
      if (ports[s][port]) set.ports.push_back(static_cast<PortNumber>(port));
  }
  return out;
}

}  // namespace weft::live
