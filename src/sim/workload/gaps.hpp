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
    for (unsigned j = 0; j < bits_; j += 8) {
      const std::uint64_t word = rng.next(), top = top_[j / 8], same = ~(word ^ top);
      // Bytes at once: whether one is equal; then, in the top bit of each, whether it is less.
      if (((~same - ones) & same & used_[j / 8]) != 0) {
        gap |= one_by_one(rng, word, j);
        continue;
      }
      const std::uint64_t difference = ((word | tops) - (top & ~tops)) ^ (same & tops);
      const std::uint64_t less = ((~word & top) | (same & difference)) & tops;
      gap |= ((less >> 7) * 0x0102'0408'1020'4080U >> 56) << j;
    }
    return gap;
  }

 private:
  static constexpr std::uint64_t ones = 0x0101'0101'0101'0101U, tops = ones << 7;
  Cycle one_by_one(Rng& rng, std::uint64_t word, unsigned first) const;

  unsigned bits_ = 0;
  std::array<std::uint64_t, 63> set_{};  ///< the probability of each bit, in 2^-64
  /// The first eight bits of eight probabilities; the top bits of the bytes that are used.
  std::array<std::uint64_t, 8> top_{}, used_{};
};

}  // namespace weft::sim
