// SPDX-License-Identifier: Apache-2.0
// The waiting states of packets that tables leave choices to, with those of multicast copies, which
// wait for their own port; and which packets they are.
#pragma once
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "fabric/choice_routes.hpp"
#include "fabric/route_set.hpp"
#include "plan/check/choice/waiting_states.hpp"

namespace weft {

/// A packet that is in a state, and the lane that its head stands in.
struct WaitingPacket {
  Hop holds{};
  HostId from{}, to{};  ///< none: a copy of a group
  ColumnId column{};    ///< that gives its LID
  std::string group{};
  std::size_t choices = 0;  ///< that it has next
};

class TableStates {
 public:
  /// Needs tables that leave choices. Groups with a root must not be among them.
  TableStates(const Fabric& fabric, const Tables& tables);
  const WaitingStates& states() const { return states_; }
  WaitingPacket packet(WaitingStates::StateId state);
  Hop hop(LaneChannel lane) const {
    return {ChannelId(lane.index() / lanes_), static_cast<Lane>(lane.index() % lanes_)};
  }

 private:
  using StateId = WaitingStates::StateId;
  using StateList = std::vector<StateId>;
  using JointKey = std::tuple<ChannelId, Lane, PhaseId, std::uint8_t>;

  LaneChannel lane(ChannelId channel, unsigned lane) const {
    return LaneChannel(channel.index() * lanes_ + lane);
  }
  // Of choice tables.
  void add_choices();
  StateList add_positions(std::size_t aim);
  void set_choices(std::size_t aim, const StateList& own);
  void add_becoming(const ChoiceRoutes::Position& position, StateId own, StateList& out) const;
  WaitingPacket choice_packet(std::size_t aim, std::size_t place);
  // Of source routes.
  void add_routes();
  std::size_t explore(std::size_t column);
  WaitingPacket route_packet(std::size_t column, std::size_t place);
  // Of groups.
  void add_groups();
  void add_group(const Group& group);

  const Fabric& fabric_;
  const Tables& tables_;
  std::size_t lanes_;
  WaitingStates states_;
  std::vector<std::size_t> begin_;  ///< the first state of every aim, or column; then of groups
  std::optional<ChoiceRoutes> choices_{};
  std::map<JointKey, std::size_t> arrivals_{}, detours_{};
  std::vector<StateList> after_arrival_{}, after_detour_{};  ///< what they become, by aim
  std::optional<RouteSet> routes_{};
  std::vector<std::vector<HostId>> hosts_to_{};  ///< by column
  std::vector<HostId> sources_{};
};

}  // namespace weft
