// SPDX-License-Identifier: Apache-2.0
// Policies of switches: which of the ports that its tables allow a packet takes. The flit simulator
// decides on what the switch knows in the cycle (sim/flit/choices.hpp).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/params.hpp"
#include "base/units.hpp"

namespace weft::sim {

enum class Preferred {
  next,     ///< the next port, round-robin
  any,      ///< each with the same chance
  credits,  ///< that with the most credits
  queue,    ///< that with the shortest queue
  first,    ///< the first of the table's entry, another one where it is busy
  flows,    ///< the one that the flow had before
};

struct PortPolicy {
  Preferred takes = Preferred::next;
  std::uint32_t draws = 0;  ///< candidates that are looked at, drawn at random; 0: all
  Delay idle{};             ///< after which a flow may get another port
};

/// A policy with its parameters: those that it does not have stay unused.
struct PolicyRow {
  std::string_view name, summary;
  std::vector<Param> params;
  Preferred takes;
};
std::span<const PolicyRow> policies();
/// "queue:draws=2". Throws Error.
PortPolicy policy_from(std::string_view spec);

}  // namespace weft::sim
