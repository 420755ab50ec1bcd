// SPDX-License-Identifier: Apache-2.0
// tree: every rank waits for its children, notifies its parent, and is released down the same tree.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> tree_barrier(Team team, FactoryInputs inputs) {
  const auto degree = inputs.params.whole<int>("degree");
  Exchanges exchanges = tree_exchanges(team.rank(), team.size(), degree).both();
  return exchange_barrier(std::move(team), std::move(exchanges), by_puts(inputs.params));
}

}  // namespace weft::comm
