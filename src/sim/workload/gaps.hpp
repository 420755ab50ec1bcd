// SPDX-License-Identifier: Apache-2.0
// Gaps between the packets of a Bernoulli process: how many cycles go by without one.
#pragma once
#include <array>
#include <cstdint>

#include "base/chance.hpp"
#include "sim/time.hpp"

namespace weft::sim {

/// A geometric variate, P(k) = p (1-p)^k, bit by bit: q^k is a product over the bits of k, so they
/// are independent, and bit j is set with probability q^(2^j) / (1 + q^(2^j)). Whole numbers only,
/// and one random word serves eight bits.
class Gaps {
 public:
  /// `p` is above zero.
  explicit Gaps(Chance p);

  Cycle operator()(Rng& rng) const {
    Cycle gap = 0;
    std::uint64_t word = 0;
    for (unsigned j = 0; j < bits_; ++j, word >>= 8) {
      if (j % 8 == 0) word = rng.next();
      const std::uint64_t chunk = word & 0xFF, top = set_[j] >> 56;
      bool set = chunk < top;
      if (chunk == top) set = rng.next() < set_[j] << 8;  // the other 56 bits decide
      gap |= Cycle{set} << j;
    }
    return gap;
  }

 private:
  unsigned bits_ = 0;
  std::array<std::uint64_t, 63> set_{};  ///< the probability of each bit, in 2^-64
};

}  // namespace weft::sim
