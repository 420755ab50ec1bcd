// SPDX-License-Identifier: Apache-2.0
// A lane that somebody waits for must be held: every packet that could hold it is tried in turn.
#include "plan/check/choice/blocked_worms.hpp"

#include <algorithm>

namespace weft {
namespace {

using StateId = WaitingStates::StateId;

constexpr std::size_t most_worms = 6, most_lanes_held = 6;
constexpr std::size_t most_steps = 3'000'000;

class WormSearch {
 public:
  explicit WormSearch(const WaitingStates& states)
      : states_(states),
        in_lane_(states.lane_count()),
        before_(states.size()),
        holds_(states.lane_count(), false) {
    for (StateId s = 0; s < states.size(); ++s) {
      if (!states.lane(s).valid()) continue;
      in_lane_[states.lane(s).index()].push_back(s);
      for (const StateId next : states.candidates(s)) before_[next].push_back(s);
    }
  }

  std::optional<BlockedWorms> run() {
    for (std::size_t lane = 0; lane < states_.lane_count(); ++lane)
      if (hold(LaneChannel(lane))) return BlockedWorms{worms_};
    return {};
  }

 private:
  bool is_held(StateId s) const { return holds_[states_.lane(s).index()]; }
  bool is_tired() { return ++steps_ > most_steps; }

  /// Whether the set becomes blocked with some packet that holds this lane.
  bool hold(LaneChannel lane) {
    if (worms_.size() == most_worms) return false;
    for (const StateId s : in_lane_[lane.index()]) {
      if (states_.delivers(s)) continue;
      Worm worm{s};
      holds_[lane.index()] = true;
      const bool found = lengthen_head(worm);
      holds_[lane.index()] = found;
      if (found) return true;
    }
    return false;
  }
  /// With its head where it is, or further on.
  bool lengthen_head(Worm& worm) {
    if (is_tired()) return false;
    const StateId head = worm.back();
    if (!states_.delivers(head) && lengthen_tail(worm)) return true;
    if (worm.size() == most_lanes_held) return false;
    for (const StateId next : states_.candidates(head)) {
      if (is_held(next)) continue;
      holds_[states_.lane(next).index()] = true;
      worm.push_back(next);
      if (lengthen_head(worm)) return true;
      worm.pop_back();
      holds_[states_.lane(next).index()] = false;
    }
    return false;
  }
  /// With its last flit where it is, or further back.
  bool lengthen_tail(Worm& worm) {
    if (is_tired()) return false;
    worms_.push_back(worm);
    if (close()) return true;
    worms_.pop_back();
    if (worm.size() == most_lanes_held) return false;
    for (const StateId last : before_[worm.front()]) {
      if (is_held(last)) continue;
      holds_[states_.lane(last).index()] = true;
      worm.insert(worm.begin(), last);
      if (lengthen_tail(worm)) return true;
      worm.erase(worm.begin());
      holds_[states_.lane(last).index()] = false;
    }
    return false;
  }
  /// Whether all lanes that heads wait for are held, by further packets if need be.
  bool close() {
    for (const Worm& worm : worms_)
      for (const StateId wanted : states_.candidates(worm.back()))
        if (!is_held(wanted)) return hold(states_.lane(wanted));
    return true;
  }

  const WaitingStates& states_;
  std::vector<std::vector<StateId>> in_lane_;  ///< by lane
  std::vector<std::vector<StateId>> before_;   ///< by state: those in lanes that lead to it
  std::vector<bool> holds_;                    ///< by lane
  std::vector<Worm> worms_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<BlockedWorms> find_blocked_worms(const WaitingStates& states) {
  return WormSearch(states).run();
}

}  // namespace weft
