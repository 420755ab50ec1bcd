// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiters over the bits of a mask, and over numbers.
#pragma once
#include <bit>
#include <cstdint>

namespace weft::sim {

inline std::uint32_t lowest(std::uint64_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}
inline std::uint64_t bit_at(std::uint32_t i) { return std::uint64_t{1} << (i % 64); }
/// The first bit of `bits` (not 0) from `start` on, and round. (No branch: it would be guessed
/// wrong.)
inline std::uint32_t first_from(std::uint64_t bits, std::uint32_t start) {
  return (lowest(std::rotr(bits, static_cast<int>(start % 64))) + start) % 64;
}
/// How far the number `i` is from a pointer, going up and round: smaller means earlier. Numbers
/// below the pointer wrap, so that it does not matter where they end.
inline std::uint32_t distance(std::uint32_t i, std::uint32_t pointer) {
  return static_cast<std::uint16_t>(i - pointer);
}

}  // namespace weft::sim
