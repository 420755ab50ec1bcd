// SPDX-License-Identifier: Apache-2.0
// Tornado: nearly half-way around in every dimension, (k-1)/2 of k rounded down (Dally and Towles,
// 2004, section 3.2): with shortest paths all traffic of a torus goes in the same direction.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> tornado(const Fabric& fabric, const Params& params) {
  return shifted_pattern(fabric, params, [](std::size_t k) { return (k - 1) / 2; });
}

}  // namespace weft::sim
