// SPDX-License-Identifier: Apache-2.0
// A sweep: read, route, prove, answer.
#include "live/router/subnet_router.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/words.hpp"
#include "fabric/difference.hpp"
#include "fabric/distances.hpp"
#include "fabric/format/format.hpp"
#include "fabric/rematch.hpp"
#include "live/router/group_level.hpp"
#include "plan/check/survey.hpp"
#include "plan/export/answering_switches.hpp"
#include "plan/repair/sticky.hpp"

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

/// "h1, h2 and 7 more".
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  const std::size_t count = std::min(names.size(), most);
  return fmt::format(
      "{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "),
      names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

std::string_view word_of(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::switch_missing:
    case DifferenceKind::host_missing:
    case DifferenceKind::cable_missing:
      return "gone";
    case DifferenceKind::switch_new:
    case DifferenceKind::host_new:
    case DifferenceKind::cable_new:
      return "new";
    default:
      return "changed";
  }
}

/// What has come and gone.
void note_changes(const Fabric& before, const Fabric& now, LogLines& log) {
  std::map<std::string_view, std::vector<std::string>> by_word;
  for (const FabricDifference& each : differences(before, now))
    by_word[word_of(each.kind)].push_back(each.what);
  for (const auto& [word, what] : by_word)
    log.notes.push_back(fmt::format("{}: {}", word, first_of(what)));
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

/// Entries towards hosts by ports at which nothing is any more, and which lead somewhere again.
std::uint64_t mended_entries(const Fabric& fabric, const Tables& before, const Tables& after) {
  const auto& was = std::get<DestinationTables>(before.paths);
  const auto& is = std::get<DestinationTables>(after.paths);
  std::vector<ColumnId> columns(after.to_host.begin(), after.to_host.end());
  for (const FurtherColumn& further : after.further) columns.push_back(further.column);
  std::uint64_t out = 0;
  for (ColumnId column : columns) {
    if (!column.valid()) continue;
    for (SwitchId s : fabric.switches()) {
      const PortNumber port = was[column][s.index()];
      const bool dead = port != here && !fabric.channel_at(s, port).valid();
      out += dead && is[column][s.index()] != port ? 1 : 0;
    }
  }
  return out;
}

/// Entries towards hosts that are other than before, of those that there are now.
struct EntryCount {
  std::size_t changed = 0, all = 0;
};
EntryCount changed_entries(const RoutedSubnet& before, const RoutedSubnet& now) {
  std::map<std::uint64_t, const SwitchTables*> was;
  for (const SwitchTables& at : before.entries) was[at.guid] = &at;
  EntryCount out;
  for (const SwitchTables& at : now.entries) {
    const auto found = was.find(at.guid);
    for (HostId h : now.fabric.hosts())
      for (std::size_t i = 0; i < std::size_t{1} << now.fabric[h].lmc; ++i, ++out.all) {
        const std::size_t lid = now.fabric[h].lid + i;
        const bool known = found != was.end() && lid < found->second->port_by_lid.size();
        out.changed += (known ? found->second->port_by_lid[lid] : 0xFF) != at.port_by_lid[lid];
      }
  }
  return out;
}

/// Whether hosts are where they were, with the LIDs that they had, and nobody has another's LID.
bool have_same_places(const Fabric& before, const Fabric& now) {
  const Partners partner = partners(before, now);
  std::map<Lid, HostId> by_lid;
  for (HostId h : now.hosts()) by_lid[now[h].lid] = h;
  for (HostId h : before.hosts()) {
    const Host& was = before[h];
    const auto heir = by_lid.find(was.lid);
    if (heir != by_lid.end() && heir->second != partner.hosts[h]) return false;
    if (!partner.hosts[h].valid()) continue;
    const Host& is = now[partner.hosts[h]];
    if (is.lid != was.lid || is.lmc != was.lmc || is.port != was.port ||
        is.on != partner.switches[was.on])
      return false;
  }
  return true;
}

/// Whether all links, switches and hosts of another time are there.
bool has_all(const Fabric& now, const Fabric& then) {
  const Partners partner = partners(then, now);
  for (SwitchId s : partner.switches)
    if (!s.valid()) return false;
  for (HostId h : then.hosts())
    if (const HostId same = partner.hosts[h];
        !same.valid() || now[same].on != partner.switches[then[h].on] ||
        now[same].port != then[h].port || now[same].lmc != then[h].lmc)
      return false;
  for (LinkId l : then.links()) {
    const auto& [a, b, wire] = then[l];
    const SwitchId from = partner.switches[a.on];
    const ChannelId c = from.valid() ? now.channel_at(from, a.port) : ChannelId::none();
    if (!c.valid() || now.to(c) != partner.switches[b.on] || now.in_port(c) != b.port) return false;
  }
  return true;
}

SwitchId root_of(const Fabric& fabric, const MulticastTree& tree, SwitchId s) {
  while (tree.up[s].valid()) s = fabric.to(tree.up[s]);
  return s;
}

/// In how many trees the marked switches are.
std::size_t part_count(const Fabric& fabric, const MulticastTree& tree,
                       const IdVector<SwitchId, bool>& marked) {
  std::set<SwitchId> roots;
  for (SwitchId s : fabric.switches())
    if (marked[s]) roots.insert(root_of(fabric, tree, s));
  return roots.size();
}

/// Whether a tree joins all switches with hosts that links join.
bool joins_all(const Fabric& fabric, const MulticastTree& tree) {
  IdVector<SwitchId, bool> seen(fabric.switch_count(), false);
  for (SwitchId start : fabric.switches()) {
    if (seen[start] || fabric.hosts_on(start).empty()) continue;
    const SwitchId root = root_of(fabric, tree, start);
    const auto links = distances(fabric, start);
    for (SwitchId s : fabric.switches()) {
      if (links[s] == unreachable || fabric.hosts_on(s).empty()) continue;
      seen[s] = true;
      if (root_of(fabric, tree, s) != root) return false;
    }
  }
  return true;
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
  if (last_) note_changes(last_->fabric, fabric, log);
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
    last_->entries = std::get<SubnetAnswer>(std::move(answer)).tables.switches;
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
  for (const SwitchTables& at : tables.switches)
    next.entries.push_back({at.guid, at.ports, at.port_by_lid, {}});
  if (last_) compare(next, fewest, log);
  last_ = std::move(next);
  return std::move(tables);
}

/// Says how many entries change, and whether they may do so in the order in which OpenSM sets them.
void SubnetRouter::compare(RoutedSubnet& next, std::optional<std::uint64_t> fewest,
                           LogLines& log) const {
  const auto [changed, all] = changed_entries(*last_, next);
  if (changed == 0) next.update = last_->update;  // of the last sweep that changed something
  if (changed == 0) return;
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
                             unsigned lanes) const {
  const auto tree = last_ ? same_tree(*last_, next.fabric) : std::nullopt;
  const auto found = [&](const Tables& tables) -> std::optional<MulticastTree> {
    const SpareLevels spare = spare_levels(tables, lanes);
    std::vector<GroupLane> ways;
    for (const std::uint8_t level : levels) ways.push_back(group_lane_of(tables, spare, level));
    if (tree && std::holds_alternative<Certificate>(
                    deadlock(next.fabric, with_groups(tables, next.fabric, *tree, ways))))
      return tree;
    return safe_tree(next.fabric, tables, ways);
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
  if (const std::size_t parts = part_count(fabric, last_->tree, marked); parts > 1)
    log.warnings.push_back(fmt::format("group {}: no tree joins its members, which are in {} parts",
                                       group.name, parts));
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
