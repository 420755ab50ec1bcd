// SPDX-License-Identifier: Apache-2.0
// pairwise: pairwise exchange with recursive doubling, the barrier of MPICH and MVICH 1.0.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> pairwise(Team team, FactoryInputs inputs) {
  Exchanges exchanges = pairwise_exchanges(team.rank(), team.size());
  return exchange_barrier(std::move(team), std::move(exchanges), by_puts(inputs.params));
}

}  // namespace weft::comm
