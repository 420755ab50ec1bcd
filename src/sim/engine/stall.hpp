// SPDX-License-Identifier: Apache-2.0
// Finding packets that wait for each other for ever.
#pragma once
#include <optional>
#include <string>

#include "sim/engine/state.hpp"

namespace weft::sim {

/// A circle of packets none of which can ever move again, in words; nullopt when every packet can
/// still come to its end. Exact: no time-out is involved.
std::optional<std::string> find_stall(const State& state);

}  // namespace weft::sim
