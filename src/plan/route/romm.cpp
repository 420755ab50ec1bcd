// SPDX-License-Identifier: Apache-2.0
// ROMM (Nesson and Johnsson, 1995): to a random switch on a shortest path and from there to the
// destination, both in dimension order, on lanes of their own. Routes stay shortest.
#include "plan/route/algorithms/two_phases.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed romm(const Fabric& fabric, const Params& params) {
  auto found = two_dimension_orders(fabric, params.whole<int>("lanes"));
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  auto& phases = std::get<TwoPhases>(found);
  phases.choices().intermediates.rule = IntermediateRule::between;
  return std::move(phases.tables);
}

}  // namespace weft
