// SPDX-License-Identifier: Apache-2.0
// All that can happen in a small network of packets that wait for any of their candidates.
#pragma once
#include <algorithm>
#include <cstdint>
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

/// The same packets where switches commit to one of the candidates when a packet comes: a state for
/// each, which waits for that alone.
inline WaitingStates committed_states(const WaitingStates& any) {
  using StateId = WaitingStates::StateId;
  WaitingStates out(any.lane_count());
  std::vector<StateId> first;  // by state of the others
  for (StateId s = 0; s < any.size(); ++s)
    for (std::size_t i = 0; i < std::max<std::size_t>(any.candidates(s).size(), 1); ++i) {
      const StateId added = out.add(any.lane(s));
      if (i == 0) first.push_back(added);
    }
  StateId from = 0;
  for (StateId s = 0; s < any.size(); ++s) {
    if (any.delivers(s)) out.set_candidates(from++, {});
    for (const StateId next : any.candidates(s)) {
      std::vector<StateId> all;
      for (std::size_t i = 0; i < std::max<std::size_t>(any.candidates(next).size(), 1); ++i)
        all.push_back(static_cast<StateId>(first[next] + i));
      out.set_candidates(from++, all);
    }
  }
  return out;
}

/// All packets that hold lanes one behind the other, and all sets of these that share none: whether
/// in some of them all that the packets wait for is held.
class ExhaustiveWorms {
 public:
  explicit ExhaustiveWorms(const WaitingStates& states) : states_(states) {
    for (StateId s = 0; s < states.size(); ++s)
      if (states.lane(s).valid()) bit_.try_emplace(states.lane(s).index(), Lanes{1} << bit_.size());
    for (StateId s = 0; s < states.size(); ++s)
      if (states.lane(s).valid()) lengthen(s, bit(s));
  }
  bool finds_deadlock() const {
    std::set<Worm> seen{{0, 0}};
    std::vector<Worm> todo{{0, 0}};
    while (!todo.empty()) {
      const auto [held, wanted] = todo.back();
      todo.pop_back();
      if (held != 0 && (wanted & ~held) == 0) return true;
      for (const Worm& worm : worms_)
        if ((worm.first & held) == 0)
          if (const Worm both{held | worm.first, wanted | worm.second}; seen.insert(both).second)
            todo.push_back(both);
    }
    return false;
  }

 private:
  using StateId = WaitingStates::StateId;
  using Lanes = std::uint32_t;
  using Worm = std::pair<Lanes, Lanes>;  ///< held, and wanted

  Lanes bit(StateId s) const { return bit_.at(states_.lane(s).index()); }
  void lengthen(StateId head, Lanes held) {
    Lanes wanted = 0;
    for (const StateId next : states_.candidates(head)) wanted |= bit(next);
    if (wanted != 0) worms_.emplace(held, wanted);
    for (const StateId next : states_.candidates(head))
      if ((bit(next) & held) == 0) lengthen(next, held | bit(next));
  }

  const WaitingStates& states_;
  std::map<std::size_t, Lanes> bit_;  ///< by lane
  std::set<Worm> worms_;
};

}  // namespace weft::test
