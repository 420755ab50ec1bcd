// SPDX-License-Identifier: Apache-2.0
// Distances between switches, and connected components.
#pragma once
#include <cstdint>

#include "fabric/fabric.hpp"

namespace weft {

inline constexpr std::uint32_t unreachable = 0xFFFF'FFFF;

/// Links from `from` to every switch; `unreachable` where there is no path.
IdVector<SwitchId, std::uint32_t> distances(const Fabric& fabric, SwitchId from);

/// The connected component of every switch, numbered from 0.
IdVector<SwitchId, std::uint32_t> components(const Fabric& fabric);

}  // namespace weft
