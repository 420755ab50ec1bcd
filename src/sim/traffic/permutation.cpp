// SPDX-License-Identifier: Apache-2.0
// Random permutation: every host sends to one host and hears from one, drawn once.
#include <numeric>

#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

bool moves_all(const std::vector<std::size_t>& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] == i) return false;
  return true;
}

}  // namespace

std::unique_ptr<Pattern> permutation(const Fabric& fabric, const Params& params) {
  const bool self = params.flag("self");
  if (!self) require_two_hosts(fabric, params);
  Rng rng(params.whole<std::uint64_t>("seed"));
  std::vector<std::size_t> to(fabric.host_count());
  std::iota(to.begin(), to.end(), 0);
  do rng.shuffle(to);
  while (!self && !moves_all(to));  // one in e = 2.7 does, whatever the number of hosts
  return fixed_pattern(fabric, [&](std::size_t from) { return to[from]; });
}

}  // namespace weft::sim
