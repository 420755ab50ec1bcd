// SPDX-License-Identifier: Apache-2.0
// Numbers to try, and the search for blocked packets.
#include "plan/check/choice/worms.hpp"

#include <algorithm>

#include "plan/check/choice/blocked_set.hpp"
#include "plan/check/choice/blocked_worms.hpp"
#include "plan/check/choice/elimination.hpp"

namespace weft {
namespace {

using StateId = WaitingStates::StateId;
using Numbers = std::vector<std::uint32_t>;
using LaneIsEscape = std::vector<bool>;

/// Waits from lane to lane.
class LaneWaits {
 public:
  explicit LaneWaits(std::size_t lanes) : after_(lanes), tidy_at_(lanes, 64) {}
  void add(LaneChannel from, LaneChannel to) {
    std::vector<LaneChannel>& list = after_[from.index()];
    list.push_back(to);
    if (list.size() < tidy_at_[from.index()]) return;
    tidy(list);
    tidy_at_[from.index()] = std::max<std::size_t>(64, 2 * list.size());
  }

  /// Numbers that grow along every wait (Kahn, 1962), from `first` on; nothing if there is a
  /// circle.
  std::optional<Numbers> numbers(std::uint32_t first) {
    std::vector<std::uint32_t> before(after_.size(), 0);
    for (std::vector<LaneChannel>& list : after_) {
      tidy(list);
      for (const LaneChannel to : list) ++before[to.index()];
    }
    Numbers out(after_.size(), first);
    std::vector<std::size_t> ready;
    for (std::size_t lane = 0; lane < after_.size(); ++lane)
      if (before[lane] == 0) ready.push_back(lane);
    std::size_t numbered = 0;
    for (; !ready.empty(); ++numbered) {
      const std::size_t lane = ready.back();
      ready.pop_back();
      for (const LaneChannel to : after_[lane]) {
        out[to.index()] = std::max(out[to.index()], out[lane] + 1);
        if (--before[to.index()] == 0) ready.push_back(to.index());
      }
    }
    if (numbered < after_.size()) return {};
    return out;
  }

 private:
  static void tidy(std::vector<LaneChannel>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::vector<std::vector<LaneChannel>> after_;
  std::vector<std::size_t> tidy_at_;
};

/// Every candidate is waited for: the plain dependency graph.
std::optional<Numbers> plain_numbers(const WaitingStates& states) {
  LaneWaits waits(states.lane_count());
  for (StateId s = 0; s < states.size(); ++s)
    for (const StateId next : states.candidates(s))
      if (states.lane(s).valid()) waits.add(states.lane(s), states.lane(next));
  return waits.numbers(0);
}

/// Adds the escapes that packets of a state may wait for while they hold an escape lane: those that
/// it offers, and, after any number of other lanes, those that come later.
class EscapeWaits {
 public:
  EscapeWaits(const WaitingStates& states, const LaneIsEscape& escapes)
      : states_(states), escapes_(escapes), seen_by_(states.size(), WaitingStates::no_state) {}

  /// Nothing if that takes too long.
  std::optional<Numbers> numbers() {
    LaneWaits waits(states_.lane_count());
    std::size_t steps = 0;
    for (StateId s = 0; s < states_.size(); ++s)
      if (is_escape(s)) steps += follow(s, waits);
    if (steps > most_steps) return {};
    std::optional<Numbers> out = waits.numbers(1);
    for (std::size_t lane = 0; out && lane < out->size(); ++lane)
      if (!escapes_[lane]) (*out)[lane] = 0;
    return out;
  }

 private:
  static constexpr std::size_t most_steps = 200'000'000;
  bool is_escape(StateId s) const {
    return states_.lane(s).valid() && escapes_[states_.lane(s).index()];
  }
  std::size_t follow(StateId from, LaneWaits& waits) {
    std::size_t steps = 0;
    for (todo_.push_back(from); !todo_.empty();) {
      const StateId at = todo_.back();
      todo_.pop_back();
      for (const StateId next : states_.candidates(at)) {
        ++steps;
        if (is_escape(next)) {
          waits.add(states_.lane(from), states_.lane(next));
        } else if (seen_by_[next] != from) {
          seen_by_[next] = from;
          todo_.push_back(next);
        }
      }
    }
    return steps;
  }

  const WaitingStates& states_;
  const LaneIsEscape& escapes_;
  std::vector<StateId> seen_by_;
  std::vector<StateId> todo_;
};

/// Escapes are the first lanes of every channel, or the last ones.
std::vector<LaneIsEscape> possible_escapes(std::size_t all, std::size_t lanes) {
  std::vector<LaneIsEscape> out;
  for (std::size_t count = 1; count < lanes; ++count)
    for (const bool first : {true, false}) {
      LaneIsEscape& escapes = out.emplace_back(all);
      for (std::size_t lane = 0; lane < all; ++lane)
        escapes[lane] = first ? lane % lanes < count : lane % lanes >= lanes - count;
    }
  return out;
}

}  // namespace

std::optional<StateId> worm_that_contradicts(const WaitingStates& states, const Numbers& number) {
  // By state, one more than the greatest number that its packets may hold; 0: they hold nothing.
  std::vector<std::uint32_t> held(states.size(), 0);
  std::vector<StateId> todo;
  const auto raise = [&](StateId s, std::uint32_t to) {
    if (held[s] >= to) return;
    held[s] = to;
    todo.push_back(s);
  };
  for (StateId s = 0; s < states.size(); ++s)
    if (states.lane(s).valid()) raise(s, number[states.lane(s).index()] + 1);
  while (!todo.empty()) {
    const StateId s = todo.back();
    todo.pop_back();
    for (const StateId next : states.candidates(s)) raise(next, held[s]);
  }
  for (StateId s = 0; s < states.size(); ++s) {
    const auto next = states.candidates(s);
    const bool goes_on = std::any_of(next.begin(), next.end(), [&](StateId candidate) {
      return number[states.lane(candidate).index()] >= held[s];
    });
    if (!states.delivers(s) && !goes_on) return s;
  }
  return {};
}

WormVerdict judge_worms(const WaitingStates& states, std::size_t lanes) {
  const Elimination short_packets = eliminate(states);
  if (!short_packets.is_free()) {
    BlockedWorms out;
    for (const StateId s : small_blocked_set(states, short_packets)) out.worms.push_back({s});
    return out;
  }
  if (auto numbers = plain_numbers(states)) return *numbers;
  Numbers levels = short_packets.number;
  for (std::uint32_t& level : levels)
    if (level == Elimination::unused) level = 0;
  if (!worm_that_contradicts(states, levels)) return levels;
  for (const LaneIsEscape& escapes : possible_escapes(states.lane_count(), lanes))
    if (auto numbers = EscapeWaits(states, escapes).numbers())
      if (!worm_that_contradicts(states, *numbers)) return *numbers;
  if (const auto blocked = find_blocked_worms(states)) return trimmed(states, *blocked);
  return WormsNotJudged{};
}

}  // namespace weft
