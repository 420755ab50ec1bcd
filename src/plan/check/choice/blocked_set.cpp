// SPDX-License-Identifier: Apache-2.0
// Sets grow from every lane by the states that add the fewest lanes. The smallest then loses one
// lane after another, as long as something is left that is blocked without it.
#include "plan/check/choice/blocked_set.hpp"

#include <algorithm>

namespace weft {
namespace {

using StateId = WaitingStates::StateId;
using LaneIndex = std::size_t;

class BlockedSets {
 public:
  BlockedSets(const WaitingStates& states, const Elimination& found)
      : states_(states), is_left_(states.lane_count()), blocked_in_(states.lane_count()) {
    for (const StateId s : found.blocked) {
      is_left_[lane(s)] = true;
      left_.push_back(lane(s));
    }
    for (StateId s = 0; s < states.size(); ++s)
      if (states.lane(s).valid() && is_left_[lane(s)] && stays_in(s, is_left_))
        blocked_in_[lane(s)].push_back(s);
  }

  std::vector<StateId> smallest() {
    std::vector<LaneIndex> best = left_;
    for (const LaneIndex start : left_) {
      if (is_tired()) break;
      const std::vector<LaneIndex> grown = grow(start, best.size());
      if (grown.size() < best.size()) best = grown;
    }
    best = without_needless(std::move(best));
    return in_order(best);
  }

 private:
  static constexpr std::size_t most_steps = 100'000'000;
  bool is_tired() const { return steps_ > most_steps; }
  LaneIndex lane(StateId s) const { return states_.lane(s).index(); }

  bool stays_in(StateId s, const std::vector<bool>& set) {
    const auto next = states_.candidates(s);
    steps_ += next.size() + 1;
    return !next.empty() &&
           std::all_of(next.begin(), next.end(), [&](StateId to) { return set[lane(to)]; });
  }
  /// The lanes that a state waits for, each once, in order; those of a set are left out.
  std::vector<LaneIndex> wanted(StateId s, const std::vector<bool>& except) {
    std::vector<LaneIndex> out;
    for (const StateId to : states_.candidates(s))
      if (!except[lane(to)]) out.push_back(lane(to));
    steps_ += states_.candidates(s).size() + 1;
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  std::vector<bool> marks_of(const std::vector<LaneIndex>& lanes) const {
    std::vector<bool> out(states_.lane_count(), false);
    for (const LaneIndex each : lanes) out[each] = true;
    return out;
  }

  /// From a lane on, as long as it is smaller than `most`; then whatever it has got.
  std::vector<LaneIndex> grow(LaneIndex start, std::size_t most) {
    std::vector<LaneIndex> set{start};
    marks_.resize(states_.lane_count(), false);
    marks_[start] = true;
    for (std::size_t i = 0; i < set.size() && set.size() < most; ++i) {
      std::vector<LaneIndex> fewest;
      bool is_first = true;
      for (const StateId s : blocked_in_[set[i]]) {
        std::vector<LaneIndex> more = wanted(s, marks_);
        if (is_first || more.size() < fewest.size()) fewest = std::move(more);
        is_first = false;
        if (fewest.empty()) break;
      }
      for (const LaneIndex each : fewest) {
        marks_[each] = true;
        set.push_back(each);
      }
    }
    for (const LaneIndex each : set) marks_[each] = false;
    return set;
  }

  /// The largest part of a set without one of its lanes that is blocked by itself.
  std::vector<LaneIndex> blocked_without(const std::vector<LaneIndex>& set, LaneIndex one) {
    std::vector<bool> inside = marks_of(set);
    inside[one] = false;
    for (bool changes = true; changes;) {
      changes = false;
      for (const LaneIndex each : set) {
        if (is_tired()) return {};
        if (!inside[each]) continue;
        const auto& in = blocked_in_[each];
        if (std::any_of(in.begin(), in.end(), [&](StateId s) { return stays_in(s, inside); }))
          continue;
        inside[each] = false;
        changes = true;
      }
    }
    std::vector<LaneIndex> out;
    for (const LaneIndex each : set)
      if (inside[each]) out.push_back(each);
    return out;
  }
  std::vector<LaneIndex> without_needless(std::vector<LaneIndex> set) {
    std::sort(set.begin(), set.end());
    const std::vector<LaneIndex> tried = set;
    for (const LaneIndex one : tried) {
      if (is_tired()) break;
      if (!std::binary_search(set.begin(), set.end(), one)) continue;
      if (auto less = blocked_without(set, one); !less.empty()) set = std::move(less);
    }
    return set;
  }

  /// In every lane the state that waits for the fewest, in the order of waits.
  std::vector<StateId> in_order(const std::vector<LaneIndex>& set) {
    const std::vector<bool> inside = marks_of(set), nothing(states_.lane_count(), false);
    std::vector<bool> is_listed(states_.lane_count(), false);
    std::vector<StateId> out;
    for (const LaneIndex start : set)
      for (LaneIndex at = start; !is_listed[at];) {
        is_listed[at] = true;
        std::vector<LaneIndex> fewest;
        StateId chosen = WaitingStates::no_state;
        for (const StateId s : blocked_in_[at]) {
          if (!stays_in(s, inside)) continue;
          std::vector<LaneIndex> waits_for = wanted(s, nothing);
          if (chosen != WaitingStates::no_state && waits_for.size() >= fewest.size()) continue;
          fewest = std::move(waits_for);
          chosen = s;
        }
        out.push_back(chosen);
        const auto next = std::find_if(fewest.begin(), fewest.end(),
                                       [&](LaneIndex each) { return !is_listed[each]; });
        if (next != fewest.end()) at = *next;
      }
    return out;
  }

  const WaitingStates& states_;
  std::vector<bool> is_left_, marks_{};           ///< by lane
  std::vector<std::vector<StateId>> blocked_in_;  ///< by lane: all candidates are left
  std::vector<LaneIndex> left_{};
  std::size_t steps_ = 0;
};

using Worms = std::vector<Worm>;

std::vector<LaneChannel> sorted(std::vector<LaneChannel> lanes) {
  std::sort(lanes.begin(), lanes.end());
  return lanes;
}
std::vector<LaneChannel> held_by(const WaitingStates& states, const Worms& worms) {
  std::vector<LaneChannel> out;
  for (const Worm& worm : worms)
    for (const StateId s : worm) out.push_back(states.lane(s));
  return sorted(std::move(out));
}

/// Without the packets that can go on, again and again.
Worms blocked_ones(const WaitingStates& states, Worms worms) {
  for (std::size_t before = worms.size() + 1; before != worms.size();) {
    before = worms.size();
    const auto held = held_by(states, worms);
    std::erase_if(worms, [&](const Worm& worm) {
      const auto wants = states.candidates(worm.back());
      return std::any_of(wants.begin(), wants.end(), [&](StateId s) {
        return !std::binary_search(held.begin(), held.end(), states.lane(s));
      });
    });
  }
  return worms;
}

}  // namespace

std::vector<StateId> small_blocked_set(const WaitingStates& states, const Elimination& found) {
  return BlockedSets(states, found).smallest();
}

BlockedWorms trimmed(const WaitingStates& states, BlockedWorms blocked) {
  Worms worms = std::move(blocked.worms);
  for (std::size_t i = 0; i < worms.size();) {
    Worms fewer = worms;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    fewer = blocked_ones(states, std::move(fewer));
    if (fewer.empty())
      ++i;
    else
      worms = std::move(fewer);
  }
  std::vector<LaneChannel> wanted;
  for (const Worm& worm : worms)
    for (const StateId s : states.candidates(worm.back())) wanted.push_back(states.lane(s));
  wanted = sorted(std::move(wanted));
  for (Worm& worm : worms) {
    const auto is_wanted = [&](StateId s) {
      return std::binary_search(wanted.begin(), wanted.end(), states.lane(s));
    };
    worm.erase(worm.begin(), std::find_if(worm.begin(), worm.end() - 1, is_wanted));
  }
  return {worms};
}

}  // namespace weft
