// SPDX-License-Identifier: Apache-2.0
// What tests of collectives share: the variants of an algorithm, sizes of teams, a cheap network.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "comm/coll/coll.hpp"
#include "support/fabrics.hpp"
#include "support/worlds.hpp"

namespace weft::test {

/// The row as it is, and by puts, in short segments, or with another allgather where it can.
template <class AnyRow>
std::vector<std::string> variants(const AnyRow& row) {
  std::vector<std::string> out{std::string(row.name)};
  for (const Param& param : row.params) {
    if (param.name == "by") out.push_back(out[0] + ":by=puts");
    if (param.name == "segment") out.push_back(out[0] + ":segment=1KiB");
    if (param.name == "allgather") out.push_back(out[0] + ":allgather=recursive_doubling");
  }
  return out;
}

/// 1 to 33 ranks; in slow builds the small ones, and those around powers of two.
inline std::vector<int> team_sizes() {
  std::vector<int> out;
  for (int size = 1; size <= 33; ++size)
    if (!is_slow_build() || size <= 5 || (size + 1) % 8 <= 2) out.push_back(size);
  return out;
}

/// So many ranks on one switch, several on a host where their number allows it.
struct Crossbar {
  explicit Crossbar(int ranks, int most_per_host = 1) {
    while (ranks % most_per_host != 0) --most_per_host;
    options.ranks_per_host = most_per_host;
    machine.emplace("crossbar:hosts=" + std::to_string(ranks / most_per_host), "updown",
                    "hca:mtu=1KiB");
  }
  std::optional<Machine> machine{};
  run::WorldOptions options{};
};

}  // namespace weft::test
