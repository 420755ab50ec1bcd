// SPDX-License-Identifier: Apache-2.0
// Filling a LaneTable.
#include "sim/flit/lane_table.hpp"

#include <bit>

#include "sim/flit/shared_rows.hpp"

namespace weft::sim {
namespace {

/// A turn of a switch.
struct SwitchTurn {
  SwitchId at;
  PortNumber in, out;
};

Lane class_after(const Fabric& fabric, const Tables& tables, const SwitchTurn& turn,
                 unsigned before) {
  if (const auto* turns = std::get_if<TurnLanes>(&tables.lanes))
    return static_cast<Lane>(turns->at(turn.at, turn.in, turn.out)(before));
  const auto& map = std::get<ServiceLanes>(tables.lanes).map;
  return map ? (*map)(turn.at, fabric[turn.at], turn.in, turn.out, before)
             : static_cast<Lane>(before);
}

/// Whether lanes depend on more than the service level.
bool differ_by_turn(const Tables& tables) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  return service == nullptr || service->map;
}

/// How many classes, or levels, a packet may have before a turn.
int count_before(const Tables& tables) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  return service != nullptr && service->map ? service->map->levels : tables.lane_count;
}

}  // namespace

LaneTable::LaneTable(const Fabric& fabric, const Tables& tables) {
  if (std::holds_alternative<OneLane>(tables.lanes)) return;
  const auto count = static_cast<unsigned>(count_before(tables));
  bits_ = static_cast<Index>(std::bit_width(count - 1));
  const bool differ = differ_by_turn(tables);
  SharedRows<Lane> rows(classes_);
  std::vector<Lane> row;
  for (SwitchId s : fabric.switches())
    for (Index in = 1; in <= fabric[s].ports; ++in) {
      if (in > 1 && !differ) {
        row_of_.push_back(row_of_.back());
        continue;
      }
      row.assign(std::size_t{fabric[s].ports} << bits_, 0);
      for (const ChannelId c : fabric.out(s)) {
        const PortNumber out = fabric.out_port(c);
        for (unsigned before = 0; before < count; ++before)
          row[((out - 1U) << bits_) + before] =
              class_after(fabric, tables, {s, static_cast<PortNumber>(in), out}, before);
      }
      row_of_.push_back(static_cast<Index>(rows.add(row) >> bits_));
    }
}

bool LaneTable::is_closed(Index classes) const {
  const std::size_t befores = std::size_t{1} << bits_;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (i % befores < classes && classes_[i] >= classes) return false;
  return true;
}

}  // namespace weft::sim
