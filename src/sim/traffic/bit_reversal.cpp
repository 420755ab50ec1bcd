// SPDX-License-Identifier: Apache-2.0
// Bit reversal: host (a0, a1, …, an-1) in binary sends to (an-1, …, a1, a0).
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> bit_reversal(const Fabric& fabric, const Params& params) {
  const unsigned bits = bits_of_hosts(fabric, params);
  return fixed_pattern(fabric, [=](std::size_t from) {
    std::size_t to = 0;
    for (unsigned j = 0; j < bits; ++j) to |= (from >> j & 1U) << (bits - 1 - j);
    return to;
  });
}

}  // namespace weft::sim
