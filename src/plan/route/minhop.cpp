// SPDX-License-Identifier: Apache-2.0
// minhop: shortest routes, nothing else. What a subnet manager does when nobody chooses; it can
// deadlock wherever the fabric has a ring.
#include "plan/route/algorithms/pair_routes.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed minhop(const Fabric& fabric, const Params& params) {
  return chosen_tables(fabric, nullptr, 1, params);
}

}  // namespace weft
