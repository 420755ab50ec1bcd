// SPDX-License-Identifier: Apache-2.0
// CandidateSets: what packets may choose among, as switches read it: the sets of choice tables, and
// the groups of links that tags name.
#pragma once
#include <span>
#include <vector>

#include "sim/flit/routing.hpp"

namespace weft::sim {

/// A candidate; its port is counted from 0.
struct LaneChoice {
  std::uint16_t port = 0;
  Lane lane = Candidate::by_lanes;
  PhaseId phase = 0;
  std::uint8_t preference = 0;
};

/// The candidates of a set are in the order of preferences, then ports.
struct ChoiceSet {
  Index begin = 0;
  std::uint16_t count = 0;
  std::uint16_t best = 0;   ///< those of the smallest preference, the first ones
  std::uint16_t usual = 0;  ///< the first one as the set was given
};

class CandidateSets {
 public:
  CandidateSets(const Layout& layout, const Routing& routing);

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
  /// Among the best ones, the first from a port on (0 to the most that a switch has, and one more),
  /// and round.
  Index first_from(Index set, Index port) const { return first_[set * row_ + port]; }

 private:
  void add(std::vector<LaneChoice> choices, Index usual_port);
  void add_groups(Index last);

  const Routing& routing_;
  Index row_ = 2;  ///< of `first_`, by set
  Index own_ = 0;  ///< sets of choice tables; those of groups follow
  std::vector<ChoiceSet> sets_;
  std::vector<LaneChoice> choices_;
  std::vector<std::uint16_t> first_;
};

}  // namespace weft::sim
