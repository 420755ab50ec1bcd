// SPDX-License-Identifier: Apache-2.0
// Chances and random draws in whole numbers only: the same on every machine and compiler.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/rng.hpp"

namespace weft {

__extension__ using Wide = unsigned __int128;

/// A probability as a whole number of 2^-63.
class Chance {
 public:
  static constexpr std::uint64_t one = std::uint64_t{1} << 63;

  constexpr Chance() = default;
  constexpr explicit Chance(std::uint64_t parts) : parts_(parts) {}

  /// Draws whether it happens; an impossible event consumes no random number.
  bool operator()(Rng& rng) const { return parts_ != 0 && rng.next() >> 1 < parts_; }
  constexpr std::uint64_t parts() const { return parts_; }
  double value() const { return static_cast<double>(parts_) * 0x1.0p-63; }

 private:
  std::uint64_t parts_ = 0;
};

/// Parses "0.25". Throws Error unless it is a number from 0 to 1.
Chance chance_from(std::string_view text);

/// Uniform in [0, bound), bound > 0, without bias and mostly without a division (Lemire, 2019,
/// "Fast random integer generation in an interval").
inline std::uint64_t draw_below(Rng& rng, std::uint64_t bound) {
  Wide product = Wide{rng.next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t reject_under = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < reject_under) product = Wide{rng.next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace weft
