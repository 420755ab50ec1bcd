// SPDX-License-Identifier: Apache-2.0
// Perfect shuffle: the bits of a host's number are rotated left by one.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> shuffle(const Fabric& fabric, const Params& params) {
  const unsigned bits = bits_of_hosts(fabric, params);
  const std::size_t mask = fabric.host_count() - 1;
  return fixed_pattern(fabric, [=](std::size_t from) {
    return bits == 0 ? from : (from << 1 | from >> (bits - 1)) & mask;
  });
}

}  // namespace weft::sim
