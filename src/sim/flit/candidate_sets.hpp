// SPDX-License-Identifier: Apache-2.0
// CandidateSets: what packets may choose among, as switches read it: the sets of choice tables, and
// the groups of links that tags name.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "sim/flit/routing.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {

/// A candidate; its port is counted from 0.
struct LaneChoice {
  std::uint16_t port = 0;
  Lane lane = Candidate::by_lanes;
  PhaseId phase = 0;
  std::uint8_t preference = 0;
};

/// The candidates of a set are in the order of preferences, then ports, then lanes.
struct ChoiceSet {
  Index begin = 0;
  std::uint16_t count = 0;
  std::uint16_t best = 0;   ///< those of the smallest preference, the first ones
  std::uint16_t usual = 0;  ///< the first one as the set was given
  /// Wherever tables name the set, its candidates lead to switches, on lanes that they name: there
  /// is nothing to be checked for a packet.
  bool sound = false;
};

/// An entry of choice tables as the simulator reads it: where there is one candidate, and its set
/// is sound, the candidate itself.
class NextHops {
 public:
  NextHops() = default;
  explicit NextHops(ChoiceTables::Entry entry) : word_(entry) {}
  explicit NextHops(const LaneChoice& only)
      : word_(one | Index{only.phase} << 24U | Index{only.lane} << 16U | only.port) {}

  bool is_end() const { return word_ == ChoiceTables::at_end; }
  bool leads_on() const { return word_ < ChoiceTables::no_route; }
  bool is_one() const { return (word_ & kind) == one; }
  LaneChoice only() const {
    return {static_cast<std::uint16_t>(word_), static_cast<Lane>(word_ >> 16U),
            static_cast<PhaseId>(word_ >> 24U & (most_phases - 1))};
  }
  /// Of an entry that leads on, by more than one candidate, or by one that is to be checked.
  Index set() const { return word_; }

 private:
  static constexpr Index one = 1U << 30U, kind = 3U << 30U;
  Index word_ = ChoiceTables::no_route;
};
static_assert((most_phases & (most_phases - 1)) == 0);

class CandidateSets {
 public:
  CandidateSets(const Units& units, const Routing& routing);

  /// The number of the set of a tag. Groups are added when they are first asked for.
  Index of_tag(PortNumber tag) {
    const Index group = tag - Index{first_link_group};
    if (own_ + group >= sets_.size()) add_groups(group);
    return own_ + group;
  }
  const ChoiceSet& operator[](Index set) const { return sets_[set]; }
  const LaneChoice* choices(const ChoiceSet& set) const { return &choices_[set.begin]; }
  std::span<const LaneChoice> all(Index set) const {
    return {choices(sets_[set]), sets_[set].count};
  }
  /// Whether all sets with several candidates are sound.
  bool are_sound() const {
    return std::all_of(sets_.begin(), sets_.end(),
                       [](const ChoiceSet& set) { return set.sound || set.count < 2; });
  }
  /// Among the best ones, the first from a turn on, and round.
  Index first_from(Index set, Index turn) const { return first_[set * row_ + turn]; }
  /// The turn behind that of a candidate.
  Index turn_after(const LaneChoice& choice) const { return turn_of(choice) + 1; }

 private:
  /// Ports take turns, and the lanes of a port.
  Index turn_of(const LaneChoice& choice) const {
    return choice.port * lanes_ + (choice.lane == Candidate::by_lanes ? 0U : choice.lane);
  }
  void add(std::vector<LaneChoice> choices, Index usual_port);
  void check(const Units& units, const ChoiceTables& tables);
  bool is_sound(const Units& units, Index at, Index set) const;
  void add_groups(Index last);

  const Routing& routing_;
  Index lanes_;           ///< that candidates name
  Index most_ports_ = 0;  ///< of a switch
  Index row_ = 0;         ///< of `first_`, by set
  Index own_ = 0;         ///< sets of choice tables; those of groups follow
  std::vector<ChoiceSet> sets_;
  std::vector<LaneChoice> choices_;
  std::vector<std::uint16_t> first_;
};

}  // namespace weft::sim
