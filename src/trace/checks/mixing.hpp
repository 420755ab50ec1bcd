// SPDX-License-Identifier: Apache-2.0
// Numbers that stand for sequences: equal sequences have equal ones, others hardly ever.
#pragma once
#include <cstdint>

#include "base/rng.hpp"

namespace weft::trace {

/// The number of a sequence that has one more element.
constexpr std::uint64_t mixed(std::uint64_t sequence, std::uint64_t element) {
  return weft::mixed((sequence + golden_step) ^ (element * 0xd6e8feb86659fd93U));
}

}  // namespace weft::trace
