// SPDX-License-Identifier: Apache-2.0
// The transpose of the RHiNET-2 cluster paper (section 4) for k x k hosts, where host x + k*y is at
// (x, y): to (k-y-1, k-x-1), or to (k-x-1, k-y-1) when x+y = k-1, the diagonal that the first rule
// would leave in place. So nobody but the middle of an odd k sends to itself.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> rhinet_transpose(const Fabric& fabric, const Params& params) {
  const std::size_t k = side_of_hosts(fabric, params);
  return fixed_pattern(fabric, [=](std::size_t from) {
    const std::size_t x = from % k, y = from / k;
    const auto host_at = [k](std::size_t a, std::size_t b) { return a + k * b; };
    if (x + y == k - 1) return host_at(k - x - 1, k - y - 1);
    return host_at(k - y - 1, k - x - 1);
  });
}

}  // namespace weft::sim
