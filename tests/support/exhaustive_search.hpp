// SPDX-License-Identifier: Apache-2.0
// All that can happen in a small network of packets that wait for any of their candidates.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "plan/check/choice/waiting_states.hpp"

namespace weft::test {

/// Follows all that can happen where every lane holds one packet: whether some packets ever wait
/// for each other for good.
class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(const WaitingStates& states) : states_(states) {
    for (WaitingStates::StateId s = 0; s < states.size(); ++s)
      if (states.lane(s).valid()) place_.try_emplace(states.lane(s).index(), place_.size());
  }
  /// The lanes that packets come to; with more than eight or nine it takes long.
  std::size_t lanes() const { return place_.size(); }
  bool finds_deadlock() {
    std::vector<Configuration> todo{Configuration(place_.size(), empty)};
    seen_.insert(todo.back());
    while (!todo.empty()) {
      const Configuration now = todo.back();
      todo.pop_back();
      if (is_blocked(now)) return true;
      const auto visit = [&](const Configuration& next) {
        if (seen_.insert(next).second) todo.push_back(next);
      };
      for (StateId s = 0; s < states_.size(); ++s)
        if (!states_.lane(s).valid()) move(now, s, now, visit);
      for (std::size_t lane = 0; lane < now.size(); ++lane) {
        if (now[lane] == empty) continue;
        Configuration without = now;
        without[lane] = empty;
        if (states_.delivers(now[lane]))
          visit(without);
        else
          move(now, now[lane], without, visit);
      }
    }
    return false;
  }

 private:
  using StateId = WaitingStates::StateId;
  using Configuration = std::vector<StateId>;  ///< by lane
  static constexpr StateId empty = WaitingStates::no_state;

  std::size_t place_of(StateId s) const { return place_.at(states_.lane(s).index()); }
  void move(const Configuration& now, StateId s, const Configuration& without, const auto& visit) {
    for (const StateId next : states_.candidates(s)) {
      if (now[place_of(next)] != empty) continue;
      Configuration after = without;
      after[place_of(next)] = next;
      visit(after);
    }
  }
  /// Whether packets are left when those are taken out again and again that could go on.
  bool is_blocked(Configuration now) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (StateId& s : now) {
        if (s == empty) continue;
        const auto next = states_.candidates(s);
        if (!states_.delivers(s) && std::none_of(next.begin(), next.end(), [&](StateId each) {
              return now[place_of(each)] == empty;
            }))
          continue;
        s = empty;
        changed = true;
      }
    }
    return std::any_of(now.begin(), now.end(), [](StateId s) { return s != empty; });
  }

  const WaitingStates& states_;
  std::map<std::size_t, std::size_t> place_;  ///< by lane
  std::set<Configuration> seen_;
};

}  // namespace weft::test
