// SPDX-License-Identifier: Apache-2.0
// The elimination, with a work list: a lane goes when its last state without an escape gets one.
#include "plan/check/choice/elimination.hpp"

#include <algorithm>
#include <deque>

namespace weft {
namespace {

using StateId = WaitingStates::StateId;

/// Lists of states by lane, in one array.
struct StatesByLane {
  std::vector<std::size_t> begin;
  std::vector<StateId> states;

  std::span<const StateId> operator[](std::size_t lane) const {
    return {states.data() + begin[lane], states.data() + begin[lane + 1]};
  }
};

/// The states that name a lane among their candidates, once for each time.
StatesByLane naming_states(const WaitingStates& all) {
  StatesByLane out{std::vector<std::size_t>(all.lane_count() + 2, 0),
                   std::vector<StateId>(all.candidate_count())};
  for (StateId s = 0; s < all.size(); ++s)
    for (const StateId next : all.candidates(s)) ++out.begin[all.lane(next).index() + 2];
  for (std::size_t lane = 2; lane < out.begin.size(); ++lane)
    out.begin[lane] += out.begin[lane - 1];
  for (StateId s = 0; s < all.size(); ++s)
    for (const StateId next : all.candidates(s))
      out.states[out.begin[all.lane(next).index() + 1]++] = s;
  out.begin.pop_back();
  return out;
}

/// Takes lanes out, round by round.
class LaneElimination {
 public:
  explicit LaneElimination(const WaitingStates& states)
      : states_(states),
        naming_(naming_states(states)),
        has_escape_(states.size()),
        without_escape_(states.lane_count(), 0),
        is_used_(states.lane_count()),
        round_(states.lane_count(), in_no_round) {
    for (StateId s = 0; s < states.size(); ++s) {
      if (!states.lane(s).valid()) continue;
      is_used_[states.lane(s).index()] = true;
      has_escape_[s] = states.delivers(s);
      if (!has_escape_[s]) ++without_escape_[states.lane(s).index()];
    }
  }

  Elimination run() {
    std::vector<std::size_t> going;
    for (std::size_t lane = 0; lane < states_.lane_count(); ++lane)
      if (is_used_[lane] && without_escape_[lane] == 0) going.push_back(lane);
    std::uint32_t rounds = 0;
    for (; !going.empty(); ++rounds) {
      for (const std::size_t lane : going) round_[lane] = rounds;
      going = released_by(going);
    }
    return result(rounds);
  }

 private:
  static constexpr std::uint32_t in_no_round = ~std::uint32_t{0};

  /// The lanes whose last state without an escape gets one when these are out.
  std::vector<std::size_t> released_by(const std::vector<std::size_t>& gone) {
    std::vector<std::size_t> out;
    for (const std::size_t lane : gone)
      for (const StateId s : naming_[lane]) {
        const LaneChannel of = states_.lane(s);
        if (!of.valid() || has_escape_[s]) continue;
        has_escape_[s] = true;
        if (--without_escape_[of.index()] == 0) out.push_back(of.index());
      }
    return out;
  }

  Elimination result(std::uint32_t rounds) const {
    Elimination out;
    out.number.assign(states_.lane_count(), Elimination::unused);
    std::vector<bool> has_witness(states_.lane_count());
    for (StateId s = 0; s < states_.size(); ++s) {
      const LaneChannel lane = states_.lane(s);
      if (!lane.valid() || round_[lane.index()] != in_no_round || has_escape_[s]) continue;
      if (has_witness[lane.index()]) continue;
      has_witness[lane.index()] = true;
      out.blocked.push_back(s);
    }
    std::sort(out.blocked.begin(), out.blocked.end(),
              [&](StateId a, StateId b) { return states_.lane(a) < states_.lane(b); });
    if (!out.blocked.empty()) return out;
    for (std::size_t lane = 0; lane < states_.lane_count(); ++lane)
      if (is_used_[lane]) out.number[lane] = rounds - 1 - round_[lane];
    return out;
  }

  const WaitingStates& states_;
  StatesByLane naming_;
  std::vector<bool> has_escape_;               ///< by state: delivered, or a candidate is out
  std::vector<std::uint32_t> without_escape_;  ///< by lane: states that have none
  std::vector<bool> is_used_;                  ///< by lane
  std::vector<std::uint32_t> round_;           ///< by lane: in which it went
};

/// The shortest circle through the lane of a blocked state; by lane, its blocked state.
std::vector<StateId> circle_through(const WaitingStates& states,
                                    const std::vector<StateId>& blocked_in, StateId start) {
  std::vector<StateId> before(states.lane_count(), WaitingStates::no_state);
  std::deque<StateId> queue{start};
  while (!queue.empty()) {
    const StateId at = queue.front();
    queue.pop_front();
    for (const StateId next : states.candidates(at)) {
      const StateId waiting = blocked_in[states.lane(next).index()];
      if (waiting == start) {
        std::vector<StateId> circle{at};
        while (circle.back() != start) circle.push_back(before[states.lane(circle.back()).index()]);
        std::reverse(circle.begin(), circle.end());
        return circle;
      }
      if (waiting == WaitingStates::no_state ||
          before[states.lane(waiting).index()] != WaitingStates::no_state)
        continue;
      before[states.lane(waiting).index()] = at;
      queue.push_back(waiting);
    }
  }
  return {};
}

}  // namespace

Elimination eliminate(const WaitingStates& states) { return LaneElimination(states).run(); }

std::vector<StateId> blocked_circle(const WaitingStates& states, const Elimination& found) {
  constexpr std::size_t starts_tried = 64;
  std::vector<StateId> blocked_in(states.lane_count(), WaitingStates::no_state);
  for (const StateId s : found.blocked) blocked_in[states.lane(s).index()] = s;
  std::vector<StateId> best;
  std::size_t tried = 0;
  for (const StateId s : found.blocked) {
    const std::vector<StateId> circle = circle_through(states, blocked_in, s);
    if (!circle.empty() && (best.empty() || circle.size() < best.size())) best = circle;
    if (!best.empty() && ++tried == starts_tried) break;
  }
  return best;
}

}  // namespace weft
