// SPDX-License-Identifier: Apache-2.0
// dissemination: in step k every rank notifies the rank 2^k ahead; ceil(log2 N) steps for any N.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> dissemination(Team team, FactoryInputs inputs) {
  Exchanges exchanges = dissemination_exchanges(team.rank(), team.size());
  return exchange_barrier(std::move(team), std::move(exchanges), by_puts(inputs.params));
}

}  // namespace weft::comm
