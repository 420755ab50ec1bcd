// SPDX-License-Identifier: Apache-2.0
// Numbers that stand for sequences: equal sequences have equal ones, others hardly ever.
#pragma once
#include <cstdint>

namespace weft::trace {

/// The number of a sequence that has one more element (the finish of splitmix64 by Vigna, 2015).
constexpr std::uint64_t mixed(std::uint64_t sequence, std::uint64_t element) {
  std::uint64_t z = (sequence + 0x9e3779b97f4a7c15U) ^ (element * 0xd6e8feb86659fd93U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace weft::trace
