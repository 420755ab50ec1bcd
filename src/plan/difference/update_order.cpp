// SPDX-License-Identifier: Apache-2.0
// The dependencies of each kind of order are collected, of destinations for which something changes
// besides those of both tables alone; the first kind without a cycle is the answer.
#include "plan/difference/update_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plan/check/graph/acyclic_dependencies.hpp"
#include "plan/check/graph/rooted.hpp"
#include "plan/check/lost_pairs.hpp"
#include "plan/difference/dependency_set.hpp"
#include "plan/difference/update_rounds.hpp"

namespace weft {
namespace {

using MixedEdges = std::vector<DependencyGraph::Edge>;

bool have_circuits(const Tables& tables) {
  return std::any_of(tables.groups.begin(), tables.groups.end(),
                     [](const Group& group) { return group.root.has_value(); });
}

Tables groups_alone(const Fabric& fabric, Tables tables) {
  tables.to_host = IdVector<HostId, ColumnId>(fabric.host_count());
  tables.further.clear();
  return tables;
}

/// "by old then new entries".
std::string entries_text(const MixedStep& step) {
  constexpr std::array words{"old", "new"};
  std::string out = fmt::format("by {}", words[step.one]);
  if (step.two != step.one) out += fmt::format(" then {}", words[step.two]);
  out += " entries";
  if (step.level_by && (*step.level_by != step.one || *step.level_by != step.two))
    out += fmt::format(", with {} service levels", words[*step.level_by]);
  return out;
}

class UpdatePlanner {
 public:
  UpdatePlanner(const Fabric& fabric, const Tables& before, const Tables& after)
      : fabric_(fabric),
        before_(before),
        after_(after),
        mixed_(fabric, before, after),
        rounds_(fabric, mixed_),
        destinations_(mixed_.destinations()) {
    for (const MixedDestination& to : destinations_) {
      mixed_.aim(to);
      if (mixed_.changes()) changed_.push_back({&to, false});
    }
  }

  UpdateVerdict run();

 private:
  struct ChangedDestination {
    const MixedDestination* to;
    bool drains;
  };

  std::optional<Refused> collect_own();
  DependencySet dependencies_of(Mixing mixing);
  template <class Visit>
  void for_each_step(const MixedDestination& to, Mixing mixing, Visit visit);
  MixedEdges steps_not_in(const AcyclicDependencies& known, const MixedDestination& to);
  MixedCycle in_words(const std::vector<LaneChannel>& nodes, Mixing mixing);
  bool takes_some_step(const MixedCycle& cycle) const;
  void prove_that_none_is_safe(UpdateOrder& out);
  void drain(UpdateOrder& out);
  DependencySet dependencies_after_groups(UpdateOrder& out) const;
  void list_updates(UpdateOrder& out);
  void list_updates(const ChangedDestination& changed, UpdateOrder& out);
  void add_updates(const MixedDestination& to, EntryUpdate update, UpdateOrder& out) const;
  std::vector<SwitchId> switches_to_set(const ChangedDestination& changed) const;
  bool leads_somewhere(SwitchId on) const;

  DependencySet no_dependencies() const {
    return {fabric_.channel_count() + fabric_.host_count(), mixed_.lanes()};
  }

  const Fabric& fabric_;
  const Tables& before_;
  const Tables& after_;
  MixedTables mixed_;
  UpdateRounds rounds_;
  std::vector<MixedDestination> destinations_;
  std::vector<ChangedDestination> changed_;
  DependencySet new_ = no_dependencies();   ///< of the new tables alone
  DependencySet both_ = no_dependencies();  ///< and of the old tables
};

/// What the tables alone depend on, groups included; says why that is unknown. On one lane the old
/// routes that change are explored later, and the others are among the new ones.
std::optional<Refused> UpdatePlanner::collect_own() {
  const auto after = dependencies(fabric_, after_);
  if (const auto* refused = std::get_if<Refused>(&after)) return *refused;
  new_.insert(std::get<DependencyGraph>(after));
  both_ = new_;
  if (mixed_.mix() && mixed_.one_lane() && before_.groups.empty()) return std::nullopt;
  const auto before = dependencies(fabric_, before_);
  if (const auto* refused = std::get_if<Refused>(&before)) return *refused;
  both_.insert(std::get<DependencyGraph>(before));
  return std::nullopt;
}

/// Packets to switches are management packets, which have a lane of their own.
template <class Visit>
void UpdatePlanner::for_each_step(const MixedDestination& to, Mixing mixing, Visit visit) {
  if (!mixed_.mix() || to.lids.empty()) return;
  mixed_.aim(to);
  if (mixed_.one_lane())
    mixed_.explore_changes(mixing, visit);
  else
    mixed_.explore(mixing, visit);
}

DependencySet UpdatePlanner::dependencies_of(Mixing mixing) {
  DependencySet out = both_;
  for (const ChangedDestination& changed : changed_)
    for_each_step(*changed.to, mixing, [&](const MixedStep& step) {
      out.insert({out.node(step.first), out.node(step.second)});
    });
  return out;
}

/// A wait that no destination makes is one of a group.
MixedCycle UpdatePlanner::in_words(const std::vector<LaneChannel>& nodes, Mixing mixing) {
  MixedCycle out;
  std::vector<Hop> hops;
  for (LaneChannel n : nodes) {
    hops.push_back(new_.hop(n));
    out.waits.push_back({hops.back().channel, hops.back().lane});
  }
  for (const MixedDestination& to : destinations_) {
    mixed_.aim(to);
    if (!mixed_.mix() || to.lids.empty() || !takes_some_step(out)) continue;
    mixed_.explore(mixing, [&](const MixedStep& step) {
      for (std::size_t i = 0; i < hops.size(); ++i) {
        if (out.waits[i].to.host.valid() || step.first != hops[i] ||
            step.second != hops[(i + 1) % hops.size()])
          continue;
        out.waits[i].to = to.lids.front();
        out.waits[i].entries = entries_text(step);
      }
    });
  }
  return out;
}

/// Cheap: whether packets to the destination may make a wait that has no destination yet.
bool UpdatePlanner::takes_some_step(const MixedCycle& cycle) const {
  const auto takes = [&](ChannelId c) {
    return c.index() < fabric_.channel_count() && (mixed_.out_channel(0, fabric_.from(c)) == c ||
                                                   mixed_.out_channel(1, fabric_.from(c)) == c);
  };
  const auto& waits = cycle.waits;
  for (std::size_t i = 0; i < waits.size(); ++i)
    if (!waits[i].to.host.valid() && takes(waits[i].channel) &&
        takes(waits[(i + 1) % waits.size()].channel))
      return true;
  return false;
}

/// Cycles of dependencies that arise in every order are the proof. With several lanes there may be
/// none: packets that came by old entries may have, on new routes, levels that another order spares
/// them.
void UpdatePlanner::prove_that_none_is_safe(UpdateOrder& out) {
  Mixing mixing = Mixing::every_order;
  std::vector<LaneChannel> cycle = find_cycle(dependencies_of(mixing).graph());
  out.proved = !cycle.empty();
  if (cycle.empty()) {
    mixing = Mixing::nearest_first;
    cycle = find_cycle(dependencies_of(mixing).graph());
  }
  out.cycle = in_words(cycle, mixing);
}

/// Those of the new tables and, as long as they go together, of the old groups.
DependencySet UpdatePlanner::dependencies_after_groups(UpdateOrder& out) const {
  if (before_.groups.empty()) return new_;
  DependencySet with_groups = new_;
  const auto old_groups = dependencies(fabric_, groups_alone(fabric_, before_));
  if (const auto* graph = std::get_if<DependencyGraph>(&old_groups)) with_groups.insert(*graph);
  out.groups_drain = !find_cycle(with_groups.graph()).empty();
  return out.groups_drain ? new_ : with_groups;
}

MixedEdges UpdatePlanner::steps_not_in(const AcyclicDependencies& known,
                                       const MixedDestination& to) {
  MixedEdges out;
  for_each_step(to, Mixing::nearest_first, [&](const MixedStep& step) {
    const DependencyGraph::Edge edge{new_.node(step.first), new_.node(step.second)};
    if (!known.contains(edge)) out.push_back(edge);
  });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Destinations are taken in one by one, those with the fewest dependencies of their own first; one
/// that closes a cycle drains. As dependencies are only added, it would close one in the end, too:
/// none of the drained destinations can be spared alone.
void UpdatePlanner::drain(UpdateOrder& out) {
  const DependencySet base = dependencies_after_groups(out);
  AcyclicDependencies kept(base.graph());
  std::vector<std::pair<std::size_t, std::size_t>> by_count;
  for (std::size_t i = 0; i < changed_.size(); ++i)
    by_count.emplace_back(steps_not_in(kept, *changed_[i].to).size(), i);
  std::sort(by_count.begin(), by_count.end());
  DependencySet all = base;
  for (const auto& [count, i] : by_count) {
    const MixedDestination& to = *changed_[i].to;
    const MixedEdges edges = steps_not_in(kept, to);
    changed_[i].drains = !to.lids.empty() && (!mixed_.mix() || !kept.insert(edges));
    if (changed_[i].drains)
      out.drained.insert(out.drained.end(), to.lids.begin(), to.lids.end());
    else
      for (const auto& edge : edges) all.insert(edge);
  }
  std::sort(out.drained.begin(), out.drained.end());
  out.certificate = numbered(all.graph(), static_cast<int>(mixed_.lanes()));
}

/// Packets that meet other entries wait for nothing.
bool UpdatePlanner::leads_somewhere(SwitchId on) const {
  const PortNumber port = mixed_.port(0, on);
  if (port == no_port) return false;
  const Neighbour there = fabric_.at_port(on, port);
  return port == here || there.channel.valid() || there.host.valid();
}

/// Where levels or lanes change as well, packets may be on wrong lanes on any part of a route, and
/// all entries are cleared.
std::vector<SwitchId> UpdatePlanner::switches_to_set(const ChangedDestination& changed) const {
  if (!changed.drains || !mixed_.lanes_differ()) return changed.to->changed;
  std::vector<SwitchId> all;
  for (SwitchId s : fabric_.switches()) all.push_back(s);
  return all;
}

void UpdatePlanner::list_updates(const ChangedDestination& changed, UpdateOrder& out) {
  const MixedDestination& to = *changed.to;
  mixed_.aim(to);
  const std::vector<SwitchId> switches = switches_to_set(changed);
  rounds_.load(switches);
  for (SwitchId s : switches) {
    PortNumber was = mixed_.port(0, s);
    const PortNumber is = mixed_.port(1, s);
    if (changed.drains && leads_somewhere(s)) {
      add_updates(to, {0, s, {}, {}, was, no_port}, out);
      was = no_port;
    }
    if (was == is) continue;
    const unsigned round = rounds_.round(s);
    add_updates(to, {round, s, {}, {}, was, is}, out);
    if (round != UpdateRounds::last)
      out.rounds = std::max(out.rounds, round);
    else if (!changed.drains && !to.lids.empty() && out.safe != SafeUpdate::in_any_order)
      out.waits |= mixed_.on_route(0, s);
  }
}

/// One for each LID of the destination.
void UpdatePlanner::add_updates(const MixedDestination& to, EntryUpdate update,
                                UpdateOrder& out) const {
  if (to.lids.empty()) {
    update.to_switch = to.last;
    out.updates.push_back(update);
  }
  for (const HostLid& lid : to.lids) {
    update.to = lid;
    out.updates.push_back(update);
  }
}

void UpdatePlanner::list_updates(UpdateOrder& out) {
  if (!mixed_.mix()) return;
  for (const ChangedDestination& changed : changed_) list_updates(changed, out);
  bool has_last = false;
  for (EntryUpdate& update : out.updates) {
    if (update.round == UpdateRounds::last) {
      update.round = out.rounds + 1;
      has_last = true;
    }
    if (!update.to.host.valid() || fabric_[update.to.host].on != update.on) continue;
    for (PortNumber* port : {&update.before, &update.after})
      if (*port == here) *port = fabric_[update.to.host].port;
  }
  out.rounds += has_last ? 1 : 0;
  std::sort(out.updates.begin(), out.updates.end());
}

UpdateVerdict UpdatePlanner::run() {
  if ((have_circuits(before_) || have_circuits(after_)) &&
      (!changed_.empty() || before_.groups != after_.groups))
    return Refused{
        "groups with a root are circuits, and what these wait for depends on all routes"};
  if (auto refused = collect_own()) return *refused;
  const Refused unknown{
      "the service levels are not known; if all packets travel on one lane, it can deadlock"};
  const bool levels_unknown = are_levels_unknown(before_) || are_levels_unknown(after_);
  const int lanes = static_cast<int>(mixed_.lanes());
  if (!find_cycle(new_.graph()).empty()) {
    if (levels_unknown) return unknown;
    return std::get<DependencyCycle>(deadlock(fabric_, after_));
  }
  UpdateOrder out;
  const DependencyGraph any = dependencies_of(Mixing::any).graph();
  const std::vector<LaneChannel> cycle = find_cycle(any);
  if (cycle.empty()) {
    out.certificate = numbered(any, lanes);
  } else if (const auto nearest_first = dependencies_of(Mixing::nearest_first).graph();
             find_cycle(nearest_first).empty()) {
    out.safe = SafeUpdate::in_rounds;
    out.certificate = numbered(nearest_first, lanes);
    if (!levels_unknown) out.cycle = in_words(cycle, Mixing::any);
  } else {
    if (levels_unknown) return unknown;
    out.safe = SafeUpdate::after_drain;
    prove_that_none_is_safe(out);
    drain(out);
  }
  list_updates(out);
  return out;
}

}  // namespace

std::vector<std::string> MixedCycle::describe(const Fabric& fabric) const {
  const auto place = [&](const MixedWait& wait) {
    return place_text(fabric, wait.channel, wait.lane);
  };
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const auto& [host, lid] = waits[i].to;
    lines.push_back(
        fmt::format("{} waits for {}", place(waits[i]), place(waits[(i + 1) % waits.size()])));
    if (host.valid())
      lines.back() += fmt::format(", for packets to {}{} {}", fabric[host].name,
                                  by_lid(fabric, host, lid), waits[i].entries);
  }
  return lines;
}

UpdateVerdict update_order(const Fabric& fabric, const Tables& before, const Tables& after) {
  if (std::holds_alternative<ChoiceTables>(before.paths) ||
      std::holds_alternative<ChoiceTables>(after.paths))
    return Refused{
        "orders are known for tables with one port per entry; these leave switches a choice"};
  return UpdatePlanner(fabric, before, after).run();
}

}  // namespace weft
