// SPDX-License-Identifier: Apache-2.0
// Sets of candidates become groups of ports.
#include "fabric/infiniband/adaptive_export.hpp"

#include <algorithm>
#include <map>

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
  if (choices->phases.size() > 1)
    throw RefusedError(
        "{}: packets have {} phases; InfiniBand's switches know their destination alone",
        tables.engine, choices->phases.size());
  require_lanes(fabric, tables, *choices);
}

/// Ports by preference, the best first; each list is in ascending order.
using SubGroups = std::vector<std::vector<PortNumber>>;

SubGroups sub_groups(std::span<const Candidate> candidates) {
  std::map<std::uint8_t, std::vector<PortNumber>> by_preference;
  for (const Candidate& each : candidates) by_preference[each.preference].push_back(each.port);
  SubGroups out;
  for (auto& [preference, ports] : by_preference) {
    std::sort(ports.begin(), ports.end());
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
      out_.groups[{known->second, i}] = wanted[i];
    return known->second;
  }

 private:
  AdaptiveSwitch& out_;
  std::map<SubGroups, unsigned> numbers_{};
};

}  // namespace

std::vector<AdaptiveSwitch> adaptive_switches(const Fabric& fabric_in, const Tables& tables) {
  const Fabric fabric = with_addresses(fabric_in);
  require_expressible(fabric, tables);
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
      AdaptiveEntry& entry = table.emplace_back(AdaptiveEntry{to.lid, port, "Static", 0});
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
