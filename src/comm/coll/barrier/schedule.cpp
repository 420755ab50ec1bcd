// SPDX-License-Identifier: Apache-2.0
// schedule: gathers along a visiting order backwards and releases along it, as RHiNET-2 does.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> schedule_barrier(Team team, FactoryInputs inputs) {
  check_schedule(inputs.schedule, team.size());
  Exchanges exchanges = schedule_exchanges(team.rank(), inputs.schedule).both();
  return exchange_barrier(std::move(team), std::move(exchanges), by_puts(inputs.params));
}

}  // namespace weft::comm
