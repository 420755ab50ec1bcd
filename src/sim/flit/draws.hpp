// SPDX-License-Identifier: Apache-2.0
// Draws: random numbers of a packet at a switch. They follow from the seed, the cycle and the
// in-lane, not from what was drawn elsewhere: switches may decide in any order.
#pragma once
#include <cstdint>

#include "base/chance.hpp"
#include "sim/flit/packets.hpp"

namespace weft::sim {

class Draws {
 public:
  Draws(std::uint64_t seed, Cycle now, Index lane)
      : state_(mixed(mixed(seed ^ now * 0x9e3779b97f4a7c15U) ^ lane)) {}
  /// As splitmix64 (Steele, Lea and Flood, 2014).
  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  /// Uniform in [0, bound); its bias is less than bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(Wide{next()} * bound >> 64U);
  }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

}  // namespace weft::sim
