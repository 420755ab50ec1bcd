// SPDX-License-Identifier: Apache-2.0
// Finding packets that wait for each other for ever.
#pragma once
#include <optional>
#include <string>

#include "sim/flit/branches.hpp"
#include "sim/flit/choices.hpp"

namespace weft::sim {

/// A dependency cycle of packets none of which can ever move again, human-readable; nullopt when
/// every packet can still come to its end. Exact: no time-out is involved.
std::optional<std::string> find_stall(const Units& units, const Routing& routing,
                                      const Branches& branches, const Choices& choices);

}  // namespace weft::sim
