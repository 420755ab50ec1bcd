// SPDX-License-Identifier: Apache-2.0
// Steering: the tables as the engine asks them: which port, and which lanes.
#pragma once
#include <optional>
#include <vector>

#include "fabric/tables.hpp"
#include "sim/lanes.hpp"

namespace weft::sim {

class Steering {
 public:
  Steering(const Fabric& fabric, const Tables& tables);

  struct Way {
    PortNumber port = no_port;  ///< no_port: there is none
    std::uint8_t lane_class = 0;
  };
  /// From switch `at`, entered by port `in`, after `slot.hops` switches.
  Way operator()(SwitchId at, PortNumber in, const Slot& slot) const {
    const ColumnId column = tables_.to_host[slot.packet.to];
    if (!column.valid()) return {};
    const PortNumber port =
        next_ != nullptr ? (*next_)[column][at.index()] : source_route(at, column, slot);
    if (port == here || port == fabric_[slot.packet.to].port)
      if (fabric_[slot.packet.to].on == at) return {fabric_[slot.packet.to].port, 0};
    if (port == here || port == no_port || !fabric_.channel_at(at, port).valid()) return {};
    if (one_lane_) return {port, 0};
    return {port, lane_class(at, in, port, slot)};
  }
  /// The ports a switch copies packets of a group to.
  const std::vector<PortNumber>& copies(std::uint32_t group, SwitchId at) const;

 private:
  PortNumber source_route(SwitchId at, ColumnId column, const Slot& slot) const;
  std::uint8_t lane_class(SwitchId at, PortNumber in, PortNumber out, const Slot& slot) const;

  const Fabric& fabric_;
  const Tables& tables_;
  const DestinationTables* next_;
  bool one_lane_;
  std::vector<std::vector<const std::vector<PortNumber>*>> copies_;  ///< by group, switch
};

}  // namespace weft::sim
