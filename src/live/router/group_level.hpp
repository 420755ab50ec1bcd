// SPDX-License-Identifier: Apache-2.0
// Service level 0 for multicast: groups have this level unless somebody asks for another, and so
// have packets of programs that ask OpenSM for no level.
#pragma once
#include <optional>

#include "fabric/tables.hpp"

namespace weft::live {

/// The tables with the levels of all pairs one higher, and level 0 on a lane that they do not use;
/// nullopt where lanes go by turns, or InfiniBand has no more levels.
std::optional<Tables> with_free_level(const Fabric& fabric, const Tables& tables);

}  // namespace weft::live
