// SPDX-License-Identifier: Apache-2.0
// Choice tables made by hand.
#include "support/choice_worlds.hpp"

#include <algorithm>

#include "fabric/distances.hpp"
#include "plan/route/route.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

/// Destination tables as entries whose candidates are on one lane and lead to one phase.
class Copied {
 public:
  Copied(const Tables& from, ChoiceTables& to)
      : from_(std::get<DestinationTables>(from.paths)), to_(to) {}
  /// A copy of a column, as the next one of the choice tables.
  void operator()(ColumnId column, ColumnId as, Candidate with) {
    for (std::size_t s = 0; s < from_.width(); ++s) {
      const PortNumber port = from_[column][s];
      with.port = port;
      to_.next[as][s] = port == here      ? ChoiceTables::at_end
                        : port == no_port ? ChoiceTables::no_route
                                          : to_.add({with});
    }
  }

 private:
  const DestinationTables& from_;
  ChoiceTables& to_;
};

/// Ports on shortest paths to a switch.
std::vector<PortNumber> ports_towards(const Fabric& fabric, SwitchId at,
                                      const IdVector<SwitchId, std::uint32_t>& hops) {
  std::vector<PortNumber> out;
  for (const ChannelId c : fabric.out(at))
    if (hops[fabric.to(c)] + 1 == hops[at]) out.push_back(fabric.out_port(c));
  return out;
}

Tables empty_tables(const char* name, int lanes) {
  Tables out;
  out.engine = name;
  out.lane_count = lanes;
  return out;
}

IdVector<HostId, ColumnId> shifted(const IdVector<HostId, ColumnId>& columns, std::size_t by) {
  IdVector<HostId, ColumnId> out;
  for (const ColumnId column : columns) out.push_back(ColumnId(column.index() + by));
  return out;
}

/// Up*/down* twice: the first columns on lane 0 and in phase 0, then the others on lane 1.
struct TwoLegs {
  Tables escape, tables;
  ChoiceTables choices;
  std::size_t columns;

  TwoLegs(const Fabric& fabric, const char* name, PhaseId second)
      : escape(routed(fabric, "updown")),
        tables(empty_tables(name, 2)),
        columns(std::get<DestinationTables>(escape.paths).size()) {
    choices = ChoiceTables(2 * columns, fabric.switch_count());
    Copied copied(escape, choices);
    for (std::size_t c = 0; c < columns; ++c) {
      copied(ColumnId(c), ColumnId(c), {.lane = 0, .phase = static_cast<PhaseId>(second - 1)});
      copied(ColumnId(c), ColumnId(columns + c), {.lane = 1, .phase = second});
    }
    tables.to_host = shifted(escape.to_host, columns);
    for (const ColumnId column : escape.to_host)
      if (std::find(choices.intermediates.columns.begin(), choices.intermediates.columns.end(),
                    column) == choices.intermediates.columns.end())
        choices.intermediates.columns.push_back(column);
  }
};

}  // namespace

Tables shortest_groups(const Fabric& fabric) {
  Tables out = empty_tables("shortest groups", 1);
  ChoiceTables choices(fabric.host_count(), fabric.switch_count());
  for (const HostId host : fabric.hosts()) {
    const ColumnId column(host.index());
    out.to_host.push_back(column);
    const auto hops = distances(fabric, fabric[host].on);
    for (const SwitchId s : fabric.switches()) {
      std::vector<Candidate> candidates;
      for (const PortNumber port : ports_towards(fabric, s, hops))
        candidates.push_back({.port = port, .lane = 0});
      choices.next[column][s.index()] = s == fabric[host].on ? ChoiceTables::at_end
                                        : candidates.empty() ? ChoiceTables::no_route
                                                             : choices.add(candidates);
    }
  }
  out.paths = choices;
  return out;
}

Tables with_escape(const Fabric& fabric) {
  const Tables escape = routed(fabric, "updown");
  const auto& columns = std::get<DestinationTables>(escape.paths);
  Tables out = empty_tables("with escape", 2);
  const std::size_t hosts = fabric.host_count();
  ChoiceTables choices(hosts + columns.size(), fabric.switch_count());
  choices.phases = {{.name = "free"}, {.name = "escape"}};
  choices.phases[1].to_host = shifted(escape.to_host, hosts);
  Copied copied(escape, choices);
  for (const ColumnId column : columns.ids())
    copied(column, ColumnId(hosts + column.index()), {.lane = 0, .phase = 1});
  for (const HostId host : fabric.hosts()) {
    const ColumnId column(host.index());
    out.to_host.push_back(column);
    const auto hops = distances(fabric, fabric[host].on);
    for (const SwitchId s : fabric.switches()) {
      const PortNumber last = columns[escape.to_host[host]][s.index()];
      if (s == fabric[host].on) choices.next[column][s.index()] = ChoiceTables::at_end;
      if (s == fabric[host].on || last == no_port) continue;
      std::vector<Candidate> candidates{{.port = last, .lane = 0, .phase = 1, .preference = 1}};
      for (const PortNumber port : ports_towards(fabric, s, hops))
        candidates.push_back({.port = port, .lane = 1});
      choices.next[column][s.index()] = choices.add(candidates);
    }
  }
  out.paths = choices;
  return out;
}

Tables valiant_tables(const Fabric& fabric) {
  TwoLegs legs(fabric, "Valiant", 1);
  legs.choices.phases = {{.name = "away", .to_intermediate = true, .next = 1}, {.name = "home"}};
  legs.tables.paths = legs.choices;
  return legs.tables;
}

Tables ugal_tables(const Fabric& fabric, const DetourDecision& decision) {
  TwoLegs legs(fabric, "UGAL", 2);
  legs.choices.phases = {{.name = "undecided", .detour = 1},
                         {.name = "away", .to_intermediate = true, .next = 2},
                         {.name = "home"}};
  legs.choices.decision = decision;
  legs.tables.paths = legs.choices;
  return legs.tables;
}

Tables as_choice_tables(const Tables& tables) {
  Tables out = tables;
  const auto& from = std::get<DestinationTables>(tables.paths);
  ChoiceTables choices(from.size(), from.width());
  Copied copied(tables, choices);
  for (const ColumnId column : from.ids()) copied(column, column, {});
  out.paths = choices;
  return out;
}

}  // namespace weft::test
