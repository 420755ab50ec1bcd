// SPDX-License-Identifier: Apache-2.0
// Dimension order (Dally and Seitz, 1987): correct one coordinate after the other, each in the
// shorter direction. On a torus two lanes: lane 1 until the wrap link of a dimension is taken, lane
// 0 from there on (RHiNET-2, section IV.B). xy is the same on a two-dimensional mesh.
#include "plan/route/algorithms/box.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

TurnLanes lanes_by_turn(const Fabric& fabric, const Box& box) {
  TurnLanes turns(fabric, LaneOp::set(1), LaneOp::set(1));
  for (SwitchId s : fabric.switches())
    for (ChannelId out : fabric.out(s)) {
      if (box.wraps(out))
        for (std::uint32_t in = 1; in <= fabric[s].ports; ++in)
          turns.at(s, static_cast<PortNumber>(in), fabric.out_port(out)) = LaneOp::set(0);
      for (ChannelId entering : fabric.out(s))
        if (!box.wraps(out) && box.dimension(entering) == box.dimension(out))
          turns.at(s, fabric.out_port(entering), fabric.out_port(out)) = LaneOp::keep();
    }
  return turns;
}

/// As Torus-2QoS does it: bit d of the service level says whether the route crosses the wrap link
/// of dimension d; on links of dimension d the lane is that bit.
ServiceLanes lanes_by_service(const Fabric& fabric, const Box& box, const Tables& tables) {
  const auto& next = std::get<DestinationTables>(tables.paths);
  ServiceLanes lanes{Grid<std::uint8_t>(next.size(), fabric.switch_count(), 0)};
  for (ColumnId column : next.ids())
    for (SwitchId from : fabric.switches()) {
      unsigned level = 0;
      for (SwitchId at = from; next[column][at.index()] != here;) {
        const ChannelId c = fabric.channel_at(at, next[column][at.index()]);
        if (box.wraps(c)) level |= 1U << box.dimension(c);
        at = fabric.to(c);
      }
      lanes.level[column][from.index()] = static_cast<std::uint8_t>(level);
    }
  ServiceLanes::Map map;
  map.levels = 1 << box.dimensions();
  for (SwitchId s : fabric.switches()) {
    const std::size_t width = fabric[s].ports + std::size_t{1};
    std::vector<Lane> lane(width * width * static_cast<std::size_t>(map.levels), 0);
    for (ChannelId out : fabric.out(s))
      for (std::size_t in = 0; in < width; ++in)
        for (std::size_t level = 0; level < static_cast<std::size_t>(map.levels); ++level)
          lane[(in * width + fabric.out_port(out)) * static_cast<std::size_t>(map.levels) + level] =
              static_cast<Lane>(level >> box.dimension(out) & 1U);
    map.lane.push_back(std::move(lane));
  }
  lanes.map = std::move(map);
  return lanes;
}

/// Destination tables in dimension order; refused where a link is missing.
std::optional<Refused> fill(const Fabric& fabric, const DimensionOrder& order, Tables& tables) {
  auto& next = std::get<DestinationTables>(tables.paths);
  for (SwitchId to : fabric.switches()) {
    if (fabric.hosts_on(to).empty()) continue;
    const auto column = next[tables.to_host[fabric.hosts_on(to).front()]];
    if (auto refused = order.fill(to, column)) return refused;
  }
  return std::nullopt;
}

}  // namespace

Routed dor(const Fabric& fabric, const Params& params) {
  const auto found = Box::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const Box& box = std::get<Box>(found);
  const bool spread = params.is("select", "balanced");
  const auto dimensions = dimensions_in_order(box.dimensions(), params.is("order", "last"));
  const DimensionOrder order(fabric, box, dimensions, spread);
  Tables tables = empty_tables(fabric, false);
  if (const auto refused = fill(fabric, order, tables)) return *refused;

  if (!box.has_rings() || params.is("lanes", "one")) return tables;
  tables.lane_count = 2;
  if (params.is("lanes", "turn")) {
    tables.lanes = lanes_by_turn(fabric, box);
  } else {
    if (box.dimensions() > 4)
      return Refused{"16 service levels serve 4 dimensions; use lanes=turn"};
    tables.lanes = lanes_by_service(fabric, box, tables);
  }
  return tables;
}

Routed xy(const Fabric& fabric, const Params& params) {
  const auto found = Box::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const Box& box = std::get<Box>(found);
  if (box.dimensions() != 2 || box.ring(0) || box.ring(1))
    return Refused{"needs a mesh of two dimensions without wrap links; dor serves the others"};
  return dor(fabric, params);
}

}  // namespace weft
