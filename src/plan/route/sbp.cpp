// SPDX-License-Identifier: Apache-2.0
// SBP, structured channel pools (Merlin and Schweitzer, 1980): the i-th link of a route uses lane
// i, so any routes are safe, at the price of as many lanes as the longest route has links.
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/pair_routes.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed sbp(const Fabric& fabric, const Params& params) {
  const auto limit = params.whole<int>("lanes");
  ColumnEngine engine(fabric, nullptr, 1);
  int lanes = 1;
  for (SwitchId to : destinations(fabric)) {
    engine.label(to);
    const auto longest = engine.longest();
    if (longest.length > static_cast<std::uint32_t>(limit))
      return Refused{
          fmt::format("needs a lane per link: {} from switch \"{}\" to \"{}\", and there "
                      "are {} lanes",
                      longest.length, fabric[longest.from].name, fabric[to].name, limit)};
    lanes = std::max(lanes, static_cast<int>(longest.length));
  }
  Routed routed = chosen_tables(fabric, nullptr, 1, params);
  if (auto* tables = std::get_if<Tables>(&routed)) {
    tables->lane_count = lanes;
    tables->lanes = TurnLanes(fabric, LaneOp::set(0), LaneOp::plus_one());
  }
  return routed;
}

}  // namespace weft
