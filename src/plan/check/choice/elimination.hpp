// SPDX-License-Identifier: Apache-2.0
// Deadlocks of packets that wait for any of their candidates and hold one buffer (virtual
// cut-through): an exact answer in linear time. Lanes are taken out whose packets all have a
// candidate that is out already; what stays can be full of packets that wait for each other.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/check/choice/waiting_states.hpp"

namespace weft {

struct Elimination {
  static constexpr std::uint32_t unused = ~std::uint32_t{0};
  /// By lane: from every state some candidate has a larger number, or it is delivered; `unused`
  /// where no packet comes, or if lanes are left.
  std::vector<std::uint32_t> number;
  /// For every lane that is left a state all of whose candidates are left; in the order of lanes.
  std::vector<WaitingStates::StateId> blocked;

  bool is_free() const { return blocked.empty(); }
};

Elimination eliminate(const WaitingStates& states);

}  // namespace weft
