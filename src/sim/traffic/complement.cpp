// SPDX-License-Identifier: Apache-2.0
// Complement: host i of n sends to n-1-i. With a power of two all bits of the number are inverted;
// on a grid every coordinate is mirrored.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> complement(const Fabric& fabric, const Params&) {
  const std::size_t last = fabric.host_count() - 1;
  return fixed_pattern(fabric, [=](std::size_t from) { return last - from; });
}

}  // namespace weft::sim
