// SPDX-License-Identifier: Apache-2.0
// UGAL-G (Singh, 2005): as ugal, but the first switch knows the queues of all switches on the way.
// No hardware does; it is the measure of what local queues cannot tell.
#include "plan/route/algorithms/detour_decision.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed ugal_g(const Fabric& fabric, const Params& params) {
  auto found = two_phases(fabric, params);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  auto& phases = std::get<TwoPhases>(found);
  decide_at_start(phases, params, DetourDecision::Queue::path);
  return std::move(phases.tables);
}

}  // namespace weft
