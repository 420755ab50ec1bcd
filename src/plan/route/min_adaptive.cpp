// SPDX-License-Identifier: Apache-2.0
// Minimal adaptive routing with escape lanes (Duato, 1993): any port that leads closer, on lanes
// that may deadlock by themselves, or deterministic routes on lanes that cannot; a packet that has
// escaped keeps to these. On dragonflies all canonical minimal routes are offered, which need no
// escape: local, global and local links have lanes that grow.
#include "fabric/distances.hpp"
#include "plan/route/algorithms/base_routes.hpp"
#include "plan/route/algorithms/box.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/dragonfly_routes.hpp"
#include "plan/route/algorithms/two_phases.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

using Steps = std::optional<std::vector<Candidate>>;

constexpr PhaseId adaptive = 0, escaped = 1;

/// Every lane from `first` to the last of each port that leads closer.
std::vector<Candidate> closer(const Fabric& fabric,
                              const IdVector<SwitchId, std::uint32_t>& distance, SwitchId at,
                              int first, int end) {
  std::vector<Candidate> out;
  for (const ChannelId c : fabric.out(at))
    for (int lane = first; lane < end && distance[fabric.to(c)] < distance[at]; ++lane)
      out.push_back({fabric.out_port(c), static_cast<Lane>(lane), adaptive});
  return out;
}

/// Adaptive lanes up to so many in all; `preference` is that of the lanes to escape to.
struct AdaptiveLanes {
  int count;
  std::uint8_t preference;
};

Tables with_escape(const Fabric& fabric, const BaseRoutes& escape, AdaptiveLanes lanes) {
  Tables tables = empty_tables(fabric, false);
  ChoiceTables choices;
  choices.phases = {{"adaptive"}, {"escaped"}};
  SwitchId aimed;
  IdVector<SwitchId, std::uint32_t> distance;
  add_host_columns(fabric, choices, [&](SwitchId to, SwitchId at) -> Steps {
    if (at == to) return std::nullopt;
    if (aimed != to) distance = distances(fabric, to);
    aimed = to;
    if (distance[at] == unreachable) return std::vector<Candidate>{};
    std::vector<Candidate> out = closer(fabric, distance, at, escape.lanes, lanes.count);
    Steps last_resort = escape.step(to, at, 0, escaped);
    for (Candidate& candidate : *last_resort) {
      candidate.preference = lanes.preference;
      out.push_back(candidate);
    }
    return out;
  });
  choices.phases[escaped].to_host = add_host_columns(
      fabric, choices, [&](SwitchId to, SwitchId at) { return escape.step(to, at, 0, escaped); });
  tables.paths = std::move(choices);
  tables.lane_count = lanes.count;
  return tables;
}

/// Lane 1 inside the last group, lane 0 before; of a dragonfly+ all on lane 0.
Tables all_canonical(const Fabric& fabric, const DragonflyRoutes& routes) {
  Tables tables = empty_tables(fabric, false);
  ChoiceTables choices;
  const SwitchGroups& groups = routes.groups();
  add_host_columns(fabric, choices, [&](SwitchId to, SwitchId at) -> Steps {
    if (at == to) return std::nullopt;
    const bool last = groups.of(at) == groups.of(to) && !groups.have_spines();
    std::vector<Candidate> out;
    for (const PortNumber port : routes.ports(at, to))
      out.push_back({port, static_cast<Lane>(last ? 1 : 0)});
    return out;
  });
  tables.paths = std::move(choices);
  tables.lane_count = groups.have_spines() ? 1 : 2;
  return tables;
}

Routed on_dragonfly(const Fabric& fabric, const DragonflyRoutes& routes, const Params& params) {
  Tables tables = all_canonical(fabric, routes);
  if (params.is("lanes", "auto")) return tables;
  if (auto refused = too_few_lanes(tables.lane_count, "all minimal routes of a dragonfly",
                                   params.whole<int>("lanes")))
    return *refused;
  return tables;
}

}  // namespace

Routed min_adaptive(const Fabric& fabric, const Params& params) {
  std::string word = params.written("escape");
  if (word == "auto") {
    word = std::holds_alternative<Box>(Box::find(fabric)) ? "dor" : "updown";
    const auto found = DragonflyRoutes::find(fabric);
    const auto* routes = std::get_if<DragonflyRoutes>(&found);
    if (word != "dor" && routes != nullptr && routes->groups().size() > 1 &&
        routes->groups().alike())
      return on_dragonfly(fabric, *routes, params);
  }
  const auto found = base_routes(fabric, word);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const auto& escape = std::get<BaseRoutes>(found);
  const int needed = escape.lanes + 1;
  const int lanes = params.is("lanes", "auto") ? needed : params.whole<int>("lanes");
  if (auto refused = too_few_lanes(
          needed, fmt::format("{} routes to escape to and adaptive ones", word), lanes))
    return *refused;
  const std::uint8_t preference = params.is("prefer", "adaptive") ? 1 : 0;
  return with_escape(fabric, escape, {lanes, preference});
}

}  // namespace weft
