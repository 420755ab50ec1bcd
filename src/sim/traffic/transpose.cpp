// SPDX-License-Identifier: Apache-2.0
// Matrix transpose of k x k hosts, where host x + k*y is at (x, y), in two forms. "rhinet" (the
// RHiNET-2 cluster paper, section 4): to (k-y-1, k-x-1), or to (k-x-1, k-y-1) when x+y = k-1, the
// diagonal that the first rule would leave in place; so nobody but the middle of an odd k sends to
// itself. It is the default because every host then loads the network. "matrix": to (y, x), which
// is what BookSim 2 calls transpose (it swaps the halves of a number's bits); the diagonal sends to
// itself.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

std::size_t side_of_hosts(const Fabric& fabric, const Params& params) {
  const std::size_t hosts = fabric.host_count();
  std::size_t k = 0;
  while (k * k < hosts) ++k;
  if (k * k != hosts)
    throw Error("{}: the fabric has {} hosts; a square number is needed", params.owner(), hosts);
  return k;
}

}  // namespace

std::unique_ptr<Pattern> transpose(const Fabric& fabric, const Params& params) {
  const bool matrix = params.is("form", "matrix");
  const std::size_t k = side_of_hosts(fabric, params);
  return fixed_pattern(fabric, [=](std::size_t from) {
    const std::size_t x = from % k, y = from / k;
    const auto host_at = [k](std::size_t a, std::size_t b) { return a + k * b; };
    if (matrix) return host_at(y, x);
    if (x + y == k - 1) return host_at(k - x - 1, k - y - 1);
    return host_at(k - y - 1, k - x - 1);
  });
}

}  // namespace weft::sim
