// SPDX-License-Identifier: Apache-2.0
// Moves levels up by one.
#include "live/router/group_level.hpp"

#include <algorithm>

#include "plan/export/opensm_levels.hpp"

namespace weft::live {
namespace {

/// As they are, in the form that has levels.
ServiceLanes in_levels(const Fabric& fabric, const Tables& tables) {
  if (const auto* service = std::get_if<ServiceLanes>(&tables.lanes)) return *service;
  ServiceLanes out;
  out.level = Grid<std::uint8_t>(column_count(tables), fabric.switch_count(), 0);
  return out;
}

}  // namespace

std::optional<Tables> with_free_level(const Fabric& fabric, const Tables& tables) {
  if (std::holds_alternative<TurnLanes>(tables.lanes)) return std::nullopt;
  ServiceLanes service = in_levels(fabric, tables);
  if (!service.map) {
    std::vector<Lane> own;
    for (int lane = 0; lane < tables.lane_count; ++lane) own.push_back(static_cast<Lane>(lane));
    service.map = uniform_map(fabric, own);
  }
  if (service.map->levels >= most_service_levels) return std::nullopt;
  const auto levels = static_cast<std::size_t>(service.map->levels);
  const auto free = static_cast<Lane>(tables.lane_count);
  for (std::vector<Lane>& lanes : service.map->lane) {
    std::vector<Lane> moved;
    for (std::size_t turn = 0; turn < lanes.size(); turn += levels) {
      moved.push_back(free);
      moved.insert(moved.end(), lanes.begin() + static_cast<std::ptrdiff_t>(turn),
                   lanes.begin() + static_cast<std::ptrdiff_t>(turn + levels));
    }
    lanes = std::move(moved);
  }
  ++service.map->levels;
  for (ColumnId column : service.level.ids())
    for (std::uint8_t& level : service.level[column]) ++level;
  Tables out = tables;
  out.lanes = std::move(service);
  ++out.lane_count;
  return out;
}

}  // namespace weft::live
