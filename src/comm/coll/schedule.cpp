// SPDX-License-Identifier: Apache-2.0
// schedule: gathers along a visiting order backwards and releases along it, as RHiNET-2 does.
#include "comm/coll/patterns/exchanges.hpp"
#include "comm/coll/collectives.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> schedule_barrier(Team team, Making making) {
  check_schedule(making.schedule, team.size());
  Exchanges exchanges = schedule_exchanges(team.rank(), making.schedule).both();
  return exchange_barrier(std::move(team), std::move(exchanges), by_puts(making.params));
}

}  // namespace weft::comm
