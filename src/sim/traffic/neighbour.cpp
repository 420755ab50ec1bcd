// SPDX-License-Identifier: Apache-2.0
// Neighbour: one further in every dimension, around the edge.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> neighbour(const Fabric& fabric, const Params& params) {
  return shifted_pattern(fabric, params, [](std::size_t) { return std::size_t{1}; });
}

}  // namespace weft::sim
