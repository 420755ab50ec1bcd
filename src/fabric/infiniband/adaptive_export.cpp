// SPDX-License-Identifier: Apache-2.0
// Sets of candidates become groups of ports.
#include "fabric/infiniband/adaptive_export.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fabric/choice_routes.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/lid_entries.hpp"

namespace weft::infiniband {
namespace {

void require_lanes(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices) {
  if (tables.lane_count == 1) return;
  for (const ColumnId column : choices.ids())
    for (const SwitchId s : fabric.switches()) {
      const ChoiceTables::Entry entry = choices.next[column][s.index()];
      if (entry >= choices.set_count()) continue;
      for (const Candidate& each : choices.candidates(entry))
        if (each.lane != Candidate::by_lanes)
          throw RefusedError(
              "{}: switch \"{}\" names port {} with lane {}: InfiniBand's groups name ports, and "
              "lanes follow from the service level",
              tables.engine, fabric[s].name, each.port, each.lane);
    }
}

/// Throws RefusedError for what has no form in adaptive tables.
void require_expressible(const Fabric& fabric, const Tables& tables) {
  if (std::holds_alternative<SourceRoutes>(tables.paths))
    throw RefusedError("{}: source routes: InfiniBand's switches go by destination", tables.engine);
  if (tables.lane_count > 1 && std::holds_alternative<TurnLanes>(tables.lanes))
    throw RefusedError(
        "{}: lanes follow from the lane before: in InfiniBand they follow from the service level",
        tables.engine);
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  if (choices == nullptr) return;
  if (choices->have_detours())
    throw RefusedError(
        "{}: packets have intermediate destinations; InfiniBand's switches know their last one "
        "alone",
        tables.engine);
  require_lanes(fabric, tables, *choices);
}

/// Tables of several phases as such of one, where it does not matter which one a packet is in.
class OnePhase {
 public:
  /// Needs choice tables without intermediate destinations.
  OnePhase(const Fabric& fabric, const Tables& tables)
      : fabric_(fabric),
        tables_(tables),
        choices_(std::get<ChoiceTables>(tables.paths)),
        merged_(0, fabric.switch_count()) {}

  Tables make() && {
    Tables out{tables_.engine, IdVector<HostId, ColumnId>(fabric_.host_count())};
    ChoiceRoutes routes(fabric_, tables_, ChoiceRoutes::FollowedLids::first);
    for (std::size_t aim = 0; aim < routes.host_aims(); ++aim) {
      routes.explore(aim);
      visited_.assign(fabric_.switch_count(), {});
      for (const auto& position : routes.positions()) visited_[position.at].insert(position.phase);
      for (const HostId to : routes.aims()[aim].hosts) out.to_host[to] = column(to);
    }
    out.paths = std::move(merged_);
    return out;
  }

 private:
  using Entry = ChoiceTables::Entry;

  ColumnId column(HostId to) {
    std::vector<Entry> entries;
    for (const SwitchId at : fabric_.switches()) entries.push_back(entry(at, to));
    const auto [known, is_new] = columns_.try_emplace(entries, ColumnId());
    if (is_new) known->second = merged_.next.push_back(entries);
    return known->second;
  }

  Entry entry(SwitchId at, HostId to) {
    if (visited_[at].empty()) return in_phase(choices_.starts.front(), at, to);
    std::set<Entry> all;
    for (const PhaseId phase : visited_[at]) all.insert(in_phase(phase, at, to));
    if (all.size() > 1)
      throw RefusedError(
          "{}: at switch \"{}\" it depends on the phase of packets to \"{}\" which ports they may "
          "take; InfiniBand's switches know their destination alone",
          tables_.engine, fabric_[at].name, fabric_[to].name);
    return *all.begin();
  }

  Entry in_phase(PhaseId phase, SwitchId at, HostId to) {
    const ColumnId from = column_of(tables_, choices_, phase, to);
    const Entry entry = from.valid() ? choices_.next[from][at.index()] : ChoiceTables::no_route;
    if (entry >= choices_.set_count()) return entry;
    const auto all = choices_.candidates(entry);
    std::vector<Candidate> candidates(all.begin(), all.end());
    for (Candidate& each : candidates) {
      each.phase = 0;
      each.lane = Candidate::by_lanes;
    }
    return merged_.add(std::move(candidates));
  }

  const Fabric& fabric_;
  const Tables& tables_;
  const ChoiceTables& choices_;
  ChoiceTables merged_;
  IdVector<SwitchId, std::set<PhaseId>> visited_{};  ///< by packets to the hosts looked at
  std::map<std::vector<Entry>, ColumnId> columns_{};
};

Tables in_one_phase(const Fabric& fabric, const Tables& tables) {
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  if (choices == nullptr || choices->phases.size() == 1) return tables;
  if (!tables.to_switch.empty())
    throw RefusedError(
        "{}: packets have {} phases, and there are routes to switches; InfiniBand's switches know "
        "their destination alone",
        tables.engine, choices->phases.size());
  return OnePhase(fabric, tables).make();
}

/// Ports by preference, the best first; each list is in ascending order.
using SubGroups = std::vector<std::vector<PortNumber>>;

SubGroups sub_groups(std::span<const Candidate> candidates) {
  std::map<std::uint8_t, std::vector<PortNumber>> by_preference;
  for (const Candidate& each : candidates) by_preference[each.preference].push_back(each.port);
  SubGroups out;
  for (auto& [preference, ports] : by_preference) {
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    out.push_back(std::move(ports));
  }
  return out;
}

/// The tables with one port per entry.
Tables static_part(const Fabric& fabric, const Tables& tables) {
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  if (choices == nullptr) return tables;
  DestinationTables next(choices->size(), fabric.switch_count(), no_port);
  for (const ColumnId column : choices->ids())
    for (const SwitchId s : fabric.switches()) {
      const ChoiceTables::Entry entry = choices->next[column][s.index()];
      if (entry == ChoiceTables::at_end) next[column][s.index()] = here;
      if (entry < choices->set_count())
        next[column][s.index()] = sub_groups(choices->candidates(entry)).front().front();
    }
  Tables out = tables;
  out.paths = std::move(next);
  return out;
}

/// The groups of a switch, numbered from 1 on as they come.
class GroupNumbers {
 public:
  explicit GroupNumbers(AdaptiveSwitch& out) : out_(out) {}

  unsigned operator()(const SubGroups& wanted) {
    const auto [known, is_new] =
        numbers_.try_emplace(wanted, static_cast<unsigned>(numbers_.size() + 1));
    for (unsigned i = 0; is_new && i < wanted.size(); ++i)
      out_.groups[{known->second, i}].ports = wanted[i];
    return known->second;
  }

 private:
  AdaptiveSwitch& out_;
  std::map<SubGroups, unsigned> numbers_{};
};

}  // namespace

std::vector<AdaptiveSwitch> adaptive_switches(const Fabric& fabric_in, const Tables& tables_in) {
  const Fabric fabric = with_addresses(fabric_in);
  require_expressible(fabric, tables_in);
  const Tables tables = in_one_phase(fabric, tables_in);
  const Tables one_port = static_part(fabric, tables);
  const LidEntries entries(fabric, one_port);
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  std::vector<AdaptiveSwitch> out;
  for (const SwitchId s : fabric.switches()) {
    AdaptiveSwitch& each = out.emplace_back();
    each.guid = fabric[s].guid;
    GroupNumbers group(each);
    auto& table = each.entries[0];
    for (const LidDestination& to : entries.destinations()) {
      const PortNumber port = entries.port(s, to);
      if (port == no_port) continue;
      AdaptiveEntry& entry =
          table.emplace_back(AdaptiveEntry{.lid = to.lid, .port = port, .state = "Static"});
      if (choices == nullptr || !to.column.valid()) continue;
      const ChoiceTables::Entry set = choices->next[to.column][s.index()];
      if (set >= choices->set_count() || choices->candidates(set).size() == 1) continue;
      entry.state = "Free";
      entry.group = group(sub_groups(choices->candidates(set)));
    }
  }
  return out;
}

}  // namespace weft::infiniband
