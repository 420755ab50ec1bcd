// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and compiler: xoshiro256** seeded by
// splitmix64 (Blackman and Vigna, 2018), with unbiased ranges and a shuffle of our own.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft {

/// The increment of splitmix64: 2^64 / the golden ratio.
inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15U;

/// The mixing function of splitmix64 (Steele, Lea and Flood, 2014; Vigna, 2015).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// The next number of splitmix64.
constexpr std::uint64_t splitmix(std::uint64_t& state) { return mixed(state += golden_step); }

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) {
    for (auto& word : state_) word = splitmix(seed);
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), without bias; bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t reject_under = (0 - bound) % bound;
    for (;;) {
      const std::uint64_t draw = next();
      if (draw >= reject_under) return draw % bound;
    }
  }

  /// Uniform in [0, 1) with 53 bits.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  template <class Items>
  constexpr void shuffle(Items& items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[below(left)]);
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace weft
