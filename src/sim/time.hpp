// SPDX-License-Identifier: Apache-2.0
// Simulated time is counted in cycles of the fastest link: the time of one flit on it.
#pragma once
#include <cstdint>

namespace weft::sim {

using Cycle = std::uint64_t;
inline constexpr Cycle never = ~Cycle{0};

}  // namespace weft::sim
