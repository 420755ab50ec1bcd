// SPDX-License-Identifier: Apache-2.0
// The elimination, with a work list: a lane goes when its last state without an escape gets one.
#include "plan/check/choice/elimination.hpp"

#include <algorithm>

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

}  // namespace

Elimination eliminate(const WaitingStates& states) { return LaneElimination(states).run(); }

}  // namespace weft
