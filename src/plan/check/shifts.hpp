// SPDX-License-Identifier: Apache-2.0
// Shift permutations: every host i sends to host i + k, for every k. The steps of many all-to-all
// exchanges are shifts, and destination-mod-k routing is made for them (Zahavi, 2012).
#pragma once
#include <cstddef>

#include "plan/check/pattern_flows.hpp"

namespace weft {

struct ShiftLoads {
  LinkPeaks routes{};       ///< its patterns are the shifts, by k
  std::size_t all = 0;      ///< shifts that there are: one fewer than hosts
  bool cuts_loops = false;  ///< packets that go round were not followed to their end
};

/// Tries all shifts, or as many random ones as are asked for.
ShiftLoads shift_loads(const Fabric& fabric, const Tables& tables, std::size_t most_shifts);

}  // namespace weft
