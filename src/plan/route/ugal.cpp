// SPDX-License-Identifier: Apache-2.0
// UGAL-L (Singh, 2005; Kim, Dally, Scott, Abts, 2008): the first switch compares the queue of the
// packet's own route with that of a route by a random intermediate destination.
#include "plan/route/algorithms/detour_decision.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed ugal(const Fabric& fabric, const Params& params) {
  auto found = two_phases(fabric, params, {.takes_booksim = true});
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  auto& phases = std::get<TwoPhases>(found);
  decide_at_start(
      phases, params,
      params.is("queue", "lane") ? DetourDecision::Queue::lane : DetourDecision::Queue::port);
  return std::move(phases.tables);
}

}  // namespace weft
