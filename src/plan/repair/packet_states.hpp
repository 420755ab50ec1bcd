// SPDX-License-Identifier: Apache-2.0
// What decides on which lane a packet takes its next turn: the lane that it is on and, where lanes
// follow from service levels by ports, its level. With it the three forms of lanes are one: a turn
// leads from a state to a state.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// A set of states, a bit for each.
using StateSet = std::uint64_t;

class PacketStates {
 public:
  static constexpr unsigned no_state = 64;

  /// The tables must outlive it; their levels may change, their map and number of lanes not.
  PacketStates(const Fabric& fabric, const Tables& tables);

  /// More than a StateSet holds: then it must not be used.
  bool too_many() const { return lane_.size() > 64; }
  std::size_t count() const { return lane_.size(); }
  std::size_t lane_count() const { return of_lane_.size(); }
  Lane lane(unsigned state) const { return lane_[state]; }
  /// The states of packets on a lane.
  StateSet of_lane(std::size_t lane) const { return of_lane_[lane]; }

  /// Whether packets stay in their state at every turn.
  bool keep_lanes() const { return turns_ == nullptr && map_ == nullptr; }
  /// The state after a turn; no_state where there is no lane for it.
  unsigned after(ChannelId in, ChannelId out, unsigned state) const {
    if (keep_lanes()) return state;
    return turned(in, out, state);
  }
  StateSet after_all(ChannelId in, ChannelId out, StateSet states) const;
  /// States of packets to a column that hosts of a switch send by a channel; nullopt where there is
  /// no lane for some.
  std::optional<StateSet> injected(ColumnId column, SwitchId s, ChannelId out) const;

 private:
  unsigned turned(ChannelId in, ChannelId out, unsigned state) const;
  void number_mapped();
  unsigned from_host(ColumnId column, HostId host, ChannelId out) const;

  const Fabric& fabric_;
  const TurnLanes* turns_ = nullptr;
  const ServiceLanes* service_ = nullptr;
  const ServiceLanes::Map* map_ = nullptr;
  std::vector<Lane> lane_;              ///< by state
  std::vector<std::uint8_t> level_;     ///< by state, with a map
  std::vector<std::uint8_t> by_level_;  ///< by lane and level, with a map: the state
  std::vector<StateSet> of_lane_;
};

/// Calls `visit` with every state of a set.
template <class Visit>
void for_each_state(StateSet states, Visit visit) {
  for (; states != 0; states &= states - 1) visit(static_cast<unsigned>(std::countr_zero(states)));
}

}  // namespace weft
