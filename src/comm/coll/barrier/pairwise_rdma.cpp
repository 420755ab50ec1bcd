// SPDX-License-Identifier: Apache-2.0
// pairwise_rdma: pairwise exchange by remote writes of the barrier number into flags that are
// polled (Gupta, Tipparaju, Nieplocha and Panda, 2002, section 5.1).
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> pairwise_rdma(Team team, FactoryInputs) {
  Exchanges exchanges = pairwise_exchanges(team.rank(), team.size());
  return exchange_barrier(std::move(team), std::move(exchanges), true);
}

}  // namespace weft::comm
