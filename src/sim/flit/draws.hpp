// SPDX-License-Identifier: Apache-2.0
// Draws: random numbers of a packet at a switch. They follow from the seed, the cycle and the
// in-lane, not from what was drawn elsewhere: switches may decide in any order.
#pragma once
#include <cstdint>

#include "base/chance.hpp"
#include "base/rng.hpp"
#include "sim/flit/packets.hpp"

namespace weft::sim {

class Draws {
 public:
  Draws(std::uint64_t seed, Cycle now, Index lane)
      : state_(mixed(mixed(seed ^ now * golden_step) ^ lane)) {}
  std::uint64_t next() { return splitmix(state_); }
  /// Uniform in [0, bound); its bias is less than bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(Wide{next()} * bound >> 64U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace weft::sim
