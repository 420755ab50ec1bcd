// SPDX-License-Identifier: Apache-2.0
// Effective bisection bandwidth (Hoefler, Schneider and Lumsdaine, 2008): hosts are cut in two
// random halves and paired across the cut; each pair gets the smallest share of a link on its
// route, and a pair that is not reached gets nothing.
#pragma once
#include <cstdint>

#include "fabric/tables.hpp"
#include "plan/check/pattern_flows.hpp"

namespace weft {

struct MatchingBandwidth {
  double mean = 0;   ///< of a pair, as a part of its host's own link; 1 is no contention at all
  double least = 0;  ///< mean of the worst matching
  std::uint64_t pairs = 0, lost = 0;  ///< of all matchings, and how many of them are not reached
  LinkPeaks routes{};
  bool cuts_loops = false;  ///< packets that go round were not followed to their end
};

/// So many that the mean is exact to about half a point: more where there are few hosts.
int matchings_for(std::size_t hosts);

MatchingBandwidth effective_bisection(const Fabric& fabric, const Tables& tables, int matchings,
                                      std::uint64_t seed);

}  // namespace weft
