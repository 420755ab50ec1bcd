// SPDX-License-Identifier: Apache-2.0
// Base routes: of dimension order, of other engines, and with lanes by the number of links.
#include "plan/route/algorithms/base_routes.hpp"

#include <algorithm>

#include "fabric/distances.hpp"
#include "plan/route/algorithms/box.hpp"
#include "plan/route/route.hpp"

namespace weft {
namespace {

BaseRoutes to_targets(const Fabric& fabric, std::vector<SwitchId> targets) {
  BaseRoutes out{1, std::move(targets), {}, {}};
  out.row.assign(fabric.switch_count(), BaseRoutes::no_row);
  for (std::size_t i = 0; i < out.targets.size(); ++i) out.row[out.targets[i]] = i;
  out.next = DestinationTables(out.targets.size(), fabric.switch_count(), no_port);
  out.lane = Grid<Lane>(out.targets.size(), fabric.switch_count(), Lane{0});
  return out;
}

std::vector<SwitchId> switches_of(const Fabric& fabric, bool without_hosts) {
  std::vector<SwitchId> out;
  for (const SwitchId s : fabric.switches())
    if (without_hosts || !fabric.hosts_on(s).empty()) out.push_back(s);
  return out;
}

/// Those of an engine with one lane and a column for every switch with hosts.
BaseRoutesFound by_engine(const Fabric& fabric, std::string_view spec) {
  const Routed routed = route(fabric, spec);
  if (const auto* refused = std::get_if<Refused>(&routed)) return *refused;
  const auto& tables = std::get<Tables>(routed);
  BaseRoutes out = to_targets(fabric, switches_of(fabric, false));
  for (const SwitchId to : out.targets) {
    const auto ports =
        std::get<DestinationTables>(tables.paths)[tables.to_host[fabric.hosts_on(to).front()]];
    std::copy(ports.begin(), ports.end(), out.next[ColumnId(out.row[to])].begin());
  }
  return out;
}

/// The lane grows by one at every link: it is the number of lanes less that of the links to come.
void take_lanes_by_link(const Fabric& fabric, BaseRoutes& routes) {
  std::vector<IdVector<SwitchId, std::uint32_t>> to_come;
  std::uint32_t longest = 1;
  for (const SwitchId to : routes.targets) {
    to_come.push_back(distances(fabric, to));
    for (const SwitchId from : routes.targets)
      if (to_come.back()[from] != unreachable) longest = std::max(longest, to_come.back()[from]);
  }
  routes.lanes = static_cast<int>(longest);
  for (std::size_t i = 0; i < routes.targets.size(); ++i) {
    const ColumnId column(i);
    for (const SwitchId at : fabric.switches()) {
      const std::uint32_t left = to_come[i][at];
      if (left > longest)  // no switch with hosts has a route through this one
        routes.next[column][at.index()] = no_port;
      else if (left != 0)
        routes.lane[column][at.index()] = static_cast<Lane>(longest - left);
    }
  }
}

}  // namespace

BaseRoutesFound dimension_order_routes(const Fabric& fabric, bool last_first) {
  const auto found = Box::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const Box& box = std::get<Box>(found);
  const DimensionOrder order(fabric, box, dimensions_in_order(box.dimensions(), last_first), true);
  BaseRoutes out = to_targets(fabric, switches_of(fabric, true));
  out.lanes = box.has_rings() ? 2 : 1;
  for (const SwitchId to : out.targets) {
    const ColumnId column(out.row[to]);
    if (const auto refused = order.fill(to, out.next[column])) return *refused;
    for (const SwitchId at : fabric.switches()) out.lane[column][at.index()] = order.lane(at, to);
  }
  return out;
}

BaseRoutesFound base_routes(const Fabric& fabric, std::string_view word) {
  if (word == "dor") return dimension_order_routes(fabric);
  if (word == "updown") return by_engine(fabric, "updown:columns=switch");
  if (word == "nue") return by_engine(fabric, "nue:columns=switch");
  BaseRoutesFound out = by_engine(fabric, "minhop:columns=switch");
  if (auto* routes = std::get_if<BaseRoutes>(&out)) take_lanes_by_link(fabric, *routes);
  return out;
}

}  // namespace weft
