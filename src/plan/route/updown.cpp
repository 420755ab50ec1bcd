// SPDX-License-Identifier: Apache-2.0
// up*/down* (Autonet; Schroeder et al., 1991): no route goes up again after it went down. With
// several lanes the routes are spread over them and keep theirs (RHiNET-2, section IV.A).
#include "plan/route/algorithms/pair_routes.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Each host keeps one lane; neighbours on a switch, and switches, take turns.
void spread_over_lanes(const Fabric& fabric, Tables& tables, int lanes) {
  tables.lane_count = lanes;
  if (lanes == 1) return;
  TurnLanes turns(fabric, LaneOp::set(0), LaneOp::keep());
  for (SwitchId s : fabric.switches()) {
    auto place = static_cast<int>(s.index() % static_cast<std::size_t>(lanes));
    for (HostId h : fabric.hosts_on(s)) {
      const LaneOp start = LaneOp::set(static_cast<Lane>(place++ % lanes));
      for (ChannelId out : fabric.out(s)) turns.at(s, fabric[h].port, fabric.out_port(out)) = start;
    }
  }
  tables.lanes = std::move(turns);
}

}  // namespace

Routed updown(const Fabric& fabric, const Params& params) {
  const Orientation orientation = orientation_from(fabric, params);
  const auto lanes = params.whole<int>("lanes");
  Routed routed = chosen_tables(fabric, &orientation, 1, params);
  if (auto* tables = std::get_if<Tables>(&routed)) spread_over_lanes(fabric, *tables, lanes);
  return routed;
}

}  // namespace weft
