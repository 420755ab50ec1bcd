// SPDX-License-Identifier: Apache-2.0
// A sweep: read, route, prove, answer.
#include "live/router/subnet_router.hpp"

#include <algorithm>
#include <tuple>

#include "base/words.hpp"
#include "fabric/difference.hpp"
#include "fabric/format/format.hpp"
#include "fabric/rematch.hpp"
#include "fabric/size_text.hpp"
#include "live/router/group_level.hpp"
#include "live/router/subnet_changes.hpp"
#include "plan/check/survey.hpp"
#include "plan/export/answering_switches.hpp"
#include "plan/repair/sticky.hpp"

namespace weft::live {
namespace {

Fabric read_subnet(const std::string& text) {
  Fabric out = read_fabric({"the subnet of OpenSM", text}, "ibnetdiscover");
  for (SwitchId s : out.switches())
    if (out[s].lid == 0) throw Error("switch \"{}\" has no LID yet", out[s].name);
  for (HostId h : out.hosts())
    if (out[h].lid == 0) throw Error("host \"{}\" has no LID yet", out[h].name);
  return out;
}

std::string names_of(const Fabric& fabric, const std::vector<HostLid>& lids) {
  std::vector<std::string> names;
  for (const HostLid& each : lids) names.push_back(fabric[each.host].name);
  return first_of(names);
}

/// Tables in which every LID of an LMC has a column, that of the first where it has no other.
Tables with_all_lids(const Fabric& fabric, Tables tables) {
  std::set<std::pair<HostId, unsigned>> known;
  for (const FurtherColumn& each : tables.further) known.insert({each.host, each.lid});
  for (HostId h : fabric.hosts())
    for (unsigned lid = 1; lid < 1U << fabric[h].lmc; ++lid)
      if (tables.to_host[h].valid() && !known.contains({h, lid}))
        tables.further.push_back({h, lid, tables.to_host[h]});
  std::sort(tables.further.begin(), tables.further.end(), [](const auto& a, const auto& b) {
    return std::tie(a.column, a.host, a.lid) < std::tie(b.column, b.host, b.lid);
  });
  return tables;
}

/// How groups of these levels choose their lanes.
std::vector<GroupLane> group_lanes(const Tables& tables, const SpareLevels& spare,
                                   const std::set<std::uint8_t>& levels) {
  std::vector<GroupLane> out;
  for (const std::uint8_t level : levels) out.push_back(group_lane_of(tables, spare, level));
  return out;
}

/// The tables of switches without lanes, which are not compared.
std::vector<SwitchTables> entries_of(const SubnetTables& tables) {
  std::vector<SwitchTables> out;
  for (const SwitchTables& at : tables.switches)
    out.push_back({at.guid, at.ports, at.port_by_lid, {}});
  return out;
}

/// The tree of another time, if all its links are there and it joins all that is there now.
std::optional<MulticastTree> same_tree(const RoutedSubnet& then, const Fabric& now) {
  const Partners partner = partners(then.fabric, now);
  MulticastTree out;
  out.up.assign(now.switch_count(), ChannelId::none());
  IdVector<SwitchId, bool> known(now.switch_count(), false);
  for (SwitchId s : then.fabric.switches()) {
    const SwitchId here = partner.switches[s];
    if (!here.valid()) continue;
    known[here] = true;
    const ChannelId up = then.tree.up[s];
    if (!up.valid()) continue;
    out.up[here] = now.channel_at(here, then.fabric.out_port(up));
    if (!out.up[here].valid() || now.to(out.up[here]) != partner.switches[then.fabric.to(up)])
      return std::nullopt;
  }
  if (std::find(known.begin(), known.end(), false) != known.end()) return std::nullopt;
  if (!joins_all(now, out)) return std::nullopt;
  return out;
}

}  // namespace

/// Tables that leave a lane to multicast if they can.
std::variant<Tables, Refused> SubnetRouter::new_tables(const Fabric& fabric, unsigned lanes) const {
  if (lanes > 2)
    if (auto tables = source_(fabric, lanes - 1); std::holds_alternative<Tables>(tables))
      return tables;
  auto out = source_(fabric, lanes);
  if (auto* refused = std::get_if<Refused>(&out); refused != nullptr && lanes == 1)
    refused->why += " (OpenSM runs without QoS, -Q, so there is one lane)";
  return out;
}

/// Tables of before that serve the subnet as it is: the source's own if all is there that they were
/// made for, else the last ones with few changes; nullopt where neither will do.
std::optional<SubnetRouter::KeptTables> SubnetRouter::kept_tables(const Fabric& fabric,
                                                                  LogLines& log) const {
  if (!last_) return std::nullopt;
  const bool back = home_ && fabric.switch_count() == home_->fabric.switch_count() &&
                    fabric.host_count() == home_->fabric.host_count() &&
                    has_all(fabric, home_->fabric);
  std::string why;
  for (const auto* then : {back ? &home_ : &last_, &home_}) {
    auto before = try_rematch((*then)->tables, (*then)->fabric, fabric);
    if (const auto* refused = std::get_if<Refused>(&before)) {
      why = refused->why;
      continue;
    }
    Tables& tables = std::get<NotedTables>(before).tables;
    tables.groups.clear();
    if (back) return KeptTables{std::move(tables), std::nullopt};
    auto sticky = sticky_tables(fabric, tables);
    if (auto* found = std::get_if<StickyTables>(&sticky)) {
      Tables complete = with_answering_switches(fabric, found->tables);
      const std::uint64_t fewest = found->fewest + mended_entries(fabric, found->tables, complete);
      return KeptTables{std::move(complete), then == &last_ ? std::optional(fewest) : std::nullopt};
    }
    why = std::get<Refused>(sticky).why;
  }
  log.notes.push_back("all is routed anew: " + why);
  return std::nullopt;
}

std::variant<SubnetTables, Refused> SubnetRouter::route(const RouteRequest& request,
                                                        LogLines& log) {
  Fabric fabric = read_subnet(request.subnet);
  if (last_) log.notes = described_changes(last_->fabric, fabric);
  if (auto kept = sticky_ ? kept_tables(fabric, log) : std::nullopt) {
    auto answer = take({fabric, std::move(kept->tables)}, request, kept->fewest, log);
    if (std::holds_alternative<SubnetTables>(answer)) return answer;
  }
  auto tables = new_tables(fabric, request.lanes);
  if (auto* refused = std::get_if<Refused>(&tables)) return std::move(*refused);
  Tables complete =
      with_all_lids(fabric, with_answering_switches(fabric, std::get<Tables>(std::move(tables))));
  auto answer = take({std::move(fabric), std::move(complete)}, request, std::nullopt, log);
  const bool is_part = home_ && has_all(home_->fabric, last_->fabric);
  if (sticky_ && std::holds_alternative<SubnetTables>(answer) && !is_part) home_ = last_;
  return answer;
}

void SubnetRouter::resume(Fabric fabric, Tables tables) {
  tables.groups.clear();
  last_ = {std::move(fabric), std::move(tables)};
  last_->tree = tree_towards(last_->fabric, SwitchId(0));
  if (auto answer = subnet_answer(last_->fabric, last_->tables, most_lanes);
      std::holds_alternative<SubnetAnswer>(answer))
    last_->entries = entries_of(std::get<SubnetAnswer>(answer).tables);
  home_ = last_;
}

/// Proves what can be proven, and remembers it.
SubnetRouter::Answered SubnetRouter::take(RoutedSubnet next, const RouteRequest& request,
                                          std::optional<std::uint64_t> fewest, LogLines& log) {
  next.tables.groups.clear();
  LogLines verdict;
  certify(next, request, verdict);
  auto answer = subnet_answer(next.fabric, next.tables, request.lanes);
  if (auto* refused = std::get_if<Refused>(&answer))
    return Refused{fmt::format("{}: {}", next.tables.engine, refused->why)};
  log.notes.insert(log.notes.end(), verdict.notes.begin(), verdict.notes.end());
  log.warnings.insert(log.warnings.end(), verdict.warnings.begin(), verdict.warnings.end());
  next.spare = std::get<SubnetAnswer>(answer).spare;
  SubnetTables& tables = std::get<SubnetAnswer>(answer).tables;
  next.entries = entries_of(tables);
  if (last_) compare(next, fewest, log);
  last_ = std::move(next);
  return std::move(tables);
}

/// Says how many entries change, and whether they may do so in the order in which OpenSM sets them.
void SubnetRouter::compare(RoutedSubnet& next, std::optional<std::uint64_t> fewest,
                           LogLines& log) const {
  const auto [changed, all] = changed_entries(last_->entries, next.fabric, next.entries);
  if (changed == 0) {
    next.update = last_->update;  // of the last sweep that changed something
    return;
  }
  const bool same_places = have_same_places(last_->fabric, next.fabric);
  log.notes.push_back(
      fmt::format("{} of {} entries are changed{}", changed, all,
                  fewest && same_places ? fmt::format(", {} had to be", *fewest) : ""));
  const auto not_judged = [&](const std::string& why) {
    log.notes.push_back("the order of these updates is not judged: " + why);
  };
  if (!same_places) return not_judged("hosts have moved, or have other LIDs");
  auto before = try_rematch(last_->tables, last_->fabric, next.fabric);
  if (const auto* refused = std::get_if<Refused>(&before)) return not_judged(refused->why);
  Tables& unicast = std::get<NotedTables>(before).tables;
  unicast.groups.clear();
  auto verdict = update_order(next.fabric, unicast, next.tables);
  if (const auto* refused = std::get_if<Refused>(&verdict)) return not_judged(refused->why);
  auto* order = std::get_if<UpdateOrder>(&verdict);
  if (order == nullptr) return;  // the new tables can deadlock by themselves
  if (order->safe == SafeUpdate::in_any_order)
    log.notes.emplace_back("unicast cannot deadlock meanwhile, in any order of these updates");
  else if (order->safe == SafeUpdate::in_rounds)
    log.notes.push_back(
        fmt::format("unicast is safe meanwhile if these updates come in {}, nearest first",
                    counted(order->rounds, "round", "rounds")));
  else
    log.notes.push_back(
        fmt::format("unicast {} meanwhile unless packets to {} are gone before",
                    order->proved ? "can deadlock in any order of these updates" : "may deadlock",
                    names_of(next.fabric, order->drained)));
  next.update = std::move(*order);
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
  const std::string what = fmt::format("{} on {}", next.tables.engine, size_text(fabric));
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
                             unsigned lanes) const {
  const auto tree = last_ ? same_tree(*last_, next.fabric) : std::nullopt;
  const auto found = [&](const Tables& tables) -> std::optional<MulticastTree> {
    const auto lanes_of_groups = group_lanes(tables, spare_levels(tables, lanes), levels);
    if (tree && std::holds_alternative<Certificate>(deadlock(
                    next.fabric, with_groups(tables, next.fabric, *tree, lanes_of_groups))))
      return tree;
    return safe_tree(next.fabric, tables, lanes_of_groups);
  };
  auto safe = found(next.tables);
  if (!safe && next.tables.lane_count < static_cast<int>(lanes))
    if (auto moved = with_free_level(next.fabric, next.tables))
      if ((safe = found(*moved))) next.tables = std::move(*moved);
  if (!safe) return false;
  next.tree = std::move(*safe);
  next.levels = levels;
  return true;
}

DeadlockVerdict SubnetRouter::verdict(const std::set<std::uint8_t>& levels) const {
  const RoutedSubnet& now = *last_;
  return deadlock(now.fabric, with_groups(now.tables, now.fabric, now.tree,
                                          group_lanes(now.tables, now.spare, levels)));
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
  if (const std::size_t parts = tree_count(fabric, last_->tree, marked); parts > 1)
    log.warnings.push_back(fmt::format("group {}: no tree joins its members, which are in {} parts",
                                       group.name, parts));
  const auto links = branches_between(fabric, last_->tree, marked);
  TreeTables out;
  for (SwitchId s : fabric.switches()) {
    for (ChannelId c : links[s]) ports[s].set(fabric.out_port(c));
    if (ports[s].none()) continue;
    out.push_back({fabric[s].guid, ports[s]});
    PortSet& set = group.out.emplace_back(PortSet{s, {}});
    for (std::size_t port = 1; port < ports[s].size(); ++port)
      if (ports[s][port]) set.ports.push_back(static_cast<PortNumber>(port));
  }
  return out;
}

}  // namespace weft::live
