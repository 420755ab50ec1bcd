// SPDX-License-Identifier: Apache-2.0
// up*/down* (Autonet; Schroeder et al., 1991): no route goes up again after it went down. With
// several lanes the routes are spread over them and keep theirs (RHiNET-2, section IV.A).
#include "plan/route/parts/columns.hpp"
#include "plan/route/parts/pair_routes.hpp"
#include "plan/route/rows.hpp"

namespace weft {

void spread_over_lanes(const Fabric& fabric, Tables& tables, int lanes) {
  tables.lane_count = lanes;
  if (lanes == 1) return;
  TurnLanes turns(fabric, LaneOp::set(0), LaneOp::keep());
  for (SwitchId s : fabric.switches()) {
    int place = 0;
    for (HostId h : fabric.hosts_on(s)) {
      const LaneOp start = LaneOp::set(static_cast<Lane>(place++ % lanes));
      for (ChannelId out : fabric.out(s)) turns.at(s, fabric[h].port, fabric.out_port(out)) = start;
    }
  }
  tables.lanes = std::move(turns);
}

Routed updown(const Fabric& fabric, const Params& params) {
  const Orientation orientation = orientation_from(fabric, params);
  const auto lanes = static_cast<int>(params.integer("lanes", 1, most_lanes));
  Tables tables;
  if (params.choice("form", {"tables", "source"}) == 1) {
    tables = pair_tables(fabric, &orientation, 1, selection_from(params).balanced);
  } else {
    ColumnEngine engine(fabric, &orientation, 1);
    tables = column_tables(fabric, engine, selection_from(params));
  }
  spread_over_lanes(fabric, tables, lanes);
  return tables;
}

}  // namespace weft
