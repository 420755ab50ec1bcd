// SPDX-License-Identifier: Apache-2.0
// BaseRoutes: deterministic routes whose lanes follow from switch and destination alone. They are
// the phases of routing by intermediate destinations, and the escape lanes of adaptive routing.
#pragma once
#include <string_view>
#include <variant>
#include <vector>

#include "base/params.hpp"
#include "fabric/tables.hpp"

namespace weft {

struct BaseRoutes {
  int lanes = 1;
  std::vector<SwitchId> targets;  ///< switches that routes lead to: a row each in the tables
  DestinationTables next;
  Grid<Lane> lane;                        ///< of the link behind the port
  IdVector<SwitchId, std::size_t> row{};  ///< of a target; no_row of other switches
  static constexpr std::size_t no_row = ~std::size_t{0};

  /// What a packet does next, going on in a phase, its lanes counted from `first_lane`; nullopt at
  /// the end, empty where there is no route.
  std::optional<std::vector<Candidate>> step(SwitchId to, SwitchId at, int first_lane,
                                             PhaseId phase) const {
    const ColumnId column(row[to]);
    const PortNumber port = next[column][at.index()];
    if (port == here) return std::nullopt;
    if (port == no_port) return std::vector<Candidate>{};
    const Lane own = lane[column][at.index()];
    return std::vector{Candidate{port, static_cast<Lane>(first_lane + own), phase}};
  }
};

using BaseRoutesFound = std::variant<BaseRoutes, Refused>;

/// Dimension order, from the first dimension or the last; two lanes where there are rings. Routes
/// lead to all switches.
BaseRoutesFound dimension_order_routes(const Fabric& fabric, bool last_first = false);

/// By the word of a parameter: "dor"; "updown" and "nue", with one lane; "shortest": shortest
/// routes, the lane by the number of links. All but the first lead to switches with hosts.
BaseRoutesFound base_routes(const Fabric& fabric, std::string_view word);

/// Appends a column: `step` says for every switch what BaseRoutes::step does.
template <class Step>
ColumnId add_column(const Fabric& fabric, ChoiceTables& choices, Step step) {
  std::vector<ChoiceTables::Entry> row(fabric.switch_count(), ChoiceTables::no_route);
  for (const SwitchId at : fabric.switches()) {
    const std::optional<std::vector<Candidate>> candidates = step(at);
    if (!candidates)
      row[at.index()] = ChoiceTables::at_end;
    else if (!candidates->empty())
      row[at.index()] = choices.add(*candidates);
  }
  return choices.next.push_back(row);
}

/// Appends a column for every switch with hosts, by step(to, at), and returns them by host.
template <class Step>
IdVector<HostId, ColumnId> add_host_columns(const Fabric& fabric, ChoiceTables& choices,
                                            Step step) {
  IdVector<HostId, ColumnId> out(fabric.host_count(), ColumnId::none());
  for (const SwitchId to : fabric.switches()) {
    if (fabric.hosts_on(to).empty()) continue;
    const ColumnId column = add_column(fabric, choices, [&](SwitchId at) { return step(to, at); });
    for (const HostId host : fabric.hosts_on(to)) out[host] = column;
  }
  return out;
}

}  // namespace weft
