// SPDX-License-Identifier: Apache-2.0
// Valiant (1981): to a random switch and from there to the destination, each phase on lanes of its
// own. On dragonflies to a random group (Kim, Dally, Scott, Abts, 2008) or switch.
#include "plan/route/algorithms/two_phases.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed valiant(const Fabric& fabric, const Params& params) {
  auto found = two_phases(fabric, params);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  auto& phases = std::get<TwoPhases>(found);
  if (params.is("past", "no")) {
    if (phases.dragonfly) params.reject("past", "dragonflies draw switches of other groups");
    phases.choices().intermediates.rule = IntermediateRule::up_to_last;
  }
  return std::move(phases.tables);
}

}  // namespace weft
