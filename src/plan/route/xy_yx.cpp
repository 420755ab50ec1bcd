// SPDX-License-Identifier: Apache-2.0
// xy_yx (O1TURN: Seo, Ali, Lim, Rafique, 2005): each packet goes in dimension order from the first
// dimension or from the last, by chance or by the shorter queue; the two have lanes of their own.
#include "plan/route/algorithms/base_routes.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/two_phases.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed xy_yx(const Fabric& fabric, const Params& params) {
  const auto first = dimension_order_routes(fabric), last = dimension_order_routes(fabric, true);
  if (const auto* refused = std::get_if<Refused>(&first)) return *refused;
  const auto &xy = std::get<BaseRoutes>(first), &yx = std::get<BaseRoutes>(last);
  if (auto refused = too_few_lanes(xy.lanes + yx.lanes, "both orders", params.whole<int>("lanes")))
    return *refused;
  Tables tables = empty_tables(fabric, false);
  ChoiceTables choices;
  choices.phases = {{"first dimension first"}, {"last dimension first"}};
  choices.starts = {0, 1};
  choices.start_rule = params.is("start", "queue") ? StartRule::queue : StartRule::random;
  add_host_columns(fabric, choices,
                   [&](SwitchId to, SwitchId at) { return xy.step(to, at, 0, 0); });
  choices.phases[1].to_host = add_host_columns(
      fabric, choices, [&](SwitchId to, SwitchId at) { return yx.step(to, at, xy.lanes, 1); });
  tables.lane_count = xy.lanes + yx.lanes;
  tables.paths = std::move(choices);
  return tables;
}

}  // namespace weft
