// SPDX-License-Identifier: Apache-2.0
// WaitingStates: the packets that a network may hold. A state is the lane that a packet's head
// stands in, and all that steers it; of the candidates that it has next it may take any. States
// that packets cannot reach from a host must not be added: they would cause false alarms.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "plan/check/graph/dependencies.hpp"

namespace weft {

class WaitingStates {
 public:
  using StateId = std::uint32_t;
  static constexpr StateId no_state = std::numeric_limits<StateId>::max();

  explicit WaitingStates(std::size_t lanes) : lanes_(lanes) {}

  /// A packet whose head is in a lane; none: at its host, where it holds nothing.
  StateId add(LaneChannel lane) {
    lane_.push_back(lane);
    return static_cast<StateId>(lane_.size() - 1);
  }
  /// What the packets of a state may become, by every choice. Of each state it is called once, in
  /// the order of states; no candidates: they are delivered, as hosts take what comes.
  void set_candidates(StateId state, std::span<const StateId> next) {
    invariant(state + std::size_t{1} == begin_.size(), "states get their candidates in order");
    next_.insert(next_.end(), next.begin(), next.end());
    begin_.push_back(next_.size());
  }

  std::size_t lane_count() const { return lanes_; }
  std::size_t size() const { return lane_.size(); }
  LaneChannel lane(StateId state) const { return lane_[state]; }
  std::span<const StateId> candidates(StateId state) const {
    return {next_.data() + begin_[state], next_.data() + begin_[state + 1]};
  }
  bool delivers(StateId state) const { return begin_[state] == begin_[state + 1]; }
  std::size_t candidate_count() const { return next_.size(); }

 private:
  std::size_t lanes_;
  std::vector<LaneChannel> lane_;
  std::vector<std::size_t> begin_{0};
  std::vector<StateId> next_;
};

}  // namespace weft
