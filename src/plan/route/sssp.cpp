// SPDX-License-Identifier: Apache-2.0
// SSSP (Hoefler, Schneider and Lumsdaine, 2009): one destination after the other, the shortest
// route with the least load on it so far. Links come first and load second, so every route is
// minimal whatever the loads. Not free of deadlock by itself.
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {

Routed sssp(const Fabric& fabric, const Params&) {
  ColumnEngine engine(fabric, nullptr, 1);
  return column_tables(fabric, engine, {.balanced = true, .per_host = true, .whole_route = true});
}

}  // namespace weft
