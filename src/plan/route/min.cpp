// SPDX-License-Identifier: Apache-2.0
// min: minimal routes on dragonflies (Kim, Dally, Scott, Abts, 2008): a local link to a switch with
// a link to the other group, that link, and a local link there; each but the first two may be
// missing. Some pairs have routes as short over two global links: these are never taken, as they
// would overload such links. Lane 1 is that of the last local link, lane 0 of all before.
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/dragonfly_routes.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Local links after a global one are on lane 1; routes make no other turns.
TurnLanes last_local_apart(const Fabric& fabric, const SwitchGroups& groups) {
  TurnLanes turns(fabric, LaneOp::set(0), LaneOp());
  for (const SwitchId s : fabric.switches())
    for (const ChannelId back : fabric.out(s))
      for (const ChannelId out : fabric.out(s)) {
        const bool from_local = groups.is_local(fabric, back);
        if (from_local == groups.is_local(fabric, out)) continue;
        turns.at(s, fabric.out_port(back), fabric.out_port(out)) =
            LaneOp::set(from_local ? Lane{0} : Lane{1});
      }
  return turns;
}

}  // namespace

Routed min_on_dragonfly(const Fabric& fabric, const Params&) {
  const auto found = DragonflyRoutes::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const auto& routes = std::get<DragonflyRoutes>(found);
  Tables tables = empty_tables(fabric, false);
  auto& next = std::get<DestinationTables>(tables.paths);
  for (const SwitchId to : destinations(fabric)) {
    const auto ports = next[tables.to_host[fabric.hosts_on(to).front()]];
    for (const SwitchId at : fabric.switches())
      ports[at.index()] = at == to ? here : routes.one_port(at, to).front();
  }
  if (routes.groups().size() == 1 || routes.groups().have_spines()) return tables;
  tables.lane_count = 2;
  tables.lanes = last_local_apart(fabric, routes.groups());
  return tables;
}

}  // namespace weft
