// SPDX-License-Identifier: Apache-2.0
// The effective bisection bandwidth of tables of which a few columns change: routes of the same
// random matchings are kept, and only those of changed columns are followed again. Gives what
// effective_bisection() (plan/check/matchings.hpp) gives for the computers.
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

class MatchingFlows {
 public:
  /// Of destination tables, between computers. Both must outlive it.
  MatchingFlows(const Fabric& fabric, const Tables& tables, int matchings, std::uint64_t seed);

  /// The mean with these tables, which differ from the first ones in the columns that are marked.
  double mean(const Tables& changed, const std::vector<bool>& columns);

 private:
  struct MatchedPair {
    HostId from{}, to{};
    std::uint32_t begin = 0, end = 0;  ///< its channels in `channels`
    bool reached = false;
  };
  struct Matching {
    std::vector<MatchedPair> pairs{};
    std::vector<ChannelId> channels{};
    std::vector<double> flows{};  ///< by channel
  };
  /// A pair's route in other tables.
  struct Detour {
    std::size_t pair;
    MatchedPair route;
  };
  void follow(const Tables& tables, MatchedPair& pair, std::vector<ChannelId>& channels) const;
  double mean_of(const Matching& matching, const Tables& changed, const std::vector<bool>& columns);
  double share(const MatchedPair& pair, const std::vector<ChannelId>& channels) const;

  const Fabric& fabric_;
  IdVector<ChannelId, double> speed_;
  std::vector<Matching> matchings_;
  std::vector<double> flows_;  ///< of the matching at hand
  std::vector<Detour> detours_;
  std::vector<ChannelId> detour_channels_;
};

}  // namespace weft
