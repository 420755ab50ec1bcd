// SPDX-License-Identifier: Apache-2.0
// DL, descending layers (Koibuchi, Jouraku, Watanabe and Amano, 2003): every lane is an up*/down*
// network of its own; a packet that must turn up again descends to the next lower lane.
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/pair_routes.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Lanes with which every route is a shortest one.
int lanes_for_minimal(const Fabric& fabric, const Orientation& orientation) {
  ColumnEngine engine(fabric, &orientation, most_lanes);
  int most = 0;
  for (SwitchId to : destinations(fabric)) {
    engine.label(to);
    for (SwitchId from : fabric.switches())
      if (engine.reached(from)) most = std::max(most, engine.turns(from));
  }
  return most + 1;
}

TurnLanes descents(const Fabric& fabric, const Orientation& orientation, int lanes) {
  TurnLanes turns(fabric, LaneOp::set(static_cast<Lane>(lanes - 1)), LaneOp::keep());
  for (SwitchId s : fabric.switches())
    for (ChannelId entering : fabric.out(s)) {
      const ChannelId in = reverse(entering);
      for (ChannelId out : fabric.out(s))
        if (!orientation.up(fabric, in) && orientation.up(fabric, out))
          turns.at(s, fabric.in_port(in), fabric.out_port(out)) = LaneOp::minus_one();
    }
  return turns;
}

}  // namespace

Routed dl(const Fabric& fabric, const Params& params) {
  const Orientation orientation = orientation_from(fabric, params);
  const int lanes = params.is("lanes", "minimal") ? lanes_for_minimal(fabric, orientation)
                                                  : params.whole<int>("lanes");
  Routed routed = chosen_tables(fabric, &orientation, lanes, params);
  if (auto* tables = std::get_if<Tables>(&routed)) {
    tables->lane_count = lanes;
    tables->lanes = descents(fabric, orientation, lanes);
  }
  return routed;
}

}  // namespace weft
