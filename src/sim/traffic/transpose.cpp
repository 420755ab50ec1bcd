// SPDX-License-Identifier: Apache-2.0
// Matrix transpose of k x k hosts: host x + k*y, at (x, y), sends to the one at (y, x). The
// diagonal sends to itself. Where k is a power of two, the halves of a number's bits change places,
// as Dally and Towles ("Principles and Practices of Interconnection Networks", 2004, table 3.1) and
// BookSim 2 define it.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> transpose(const Fabric& fabric, const Params& params) {
  const std::size_t k = side_of_hosts(fabric, params);
  return fixed_pattern(fabric, [=](std::size_t from) { return from / k + k * (from % k); });
}

}  // namespace weft::sim
