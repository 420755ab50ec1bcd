// SPDX-License-Identifier: Apache-2.0
// Taking turns, over numbers and over bits of a mask.
#pragma once
#include <bit>
#include <cstdint>

namespace weft::sim {

/// How far `i` is from the pointer `from`, going up and round.
inline std::uint32_t distance(std::uint32_t i, std::uint32_t from, std::uint32_t count) {
  return i >= from ? i - from : i + count - from;
}
inline std::uint32_t after(std::uint32_t i, std::uint32_t count) {
  return i + 1 == count ? 0 : i + 1;
}
inline std::uint32_t lowest(std::uint64_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}
/// The first bit of `bits` (not 0) from `start` on, and round. (No branch: it would be guessed
/// wrong.)
inline std::uint32_t first_from(std::uint64_t bits, std::uint32_t start) {
  return (lowest(std::rotr(bits, static_cast<int>(start))) + start) % 64;
}

}  // namespace weft::sim
