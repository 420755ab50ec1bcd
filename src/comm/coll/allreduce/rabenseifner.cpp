// SPDX-License-Identifier: Apache-2.0
// rabenseifner: a reduce-scatter by recursive halving, then an allgather by recursive doubling
// (Thakur, Rabenseifner and Gropp, 2005). For long data.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/halving.hpp"

namespace weft::comm {

TaskOf<Status> rabenseifner_allreduce(const Team& team, std::span<std::byte> data,
                                      const Reduction& reduction) {
  const Fold fold(team.rank(), team.size());
  if (fold.leaves) {
    const Result given = co_await team.send(fold.partner, step_tag, data);
    if (!given.ok()) co_return given.status;
    co_return (co_await team.recv(fold.partner, step_tag, data)).status;
  }
  HalvedVector vector(team, fold, 0, data, reduction.element);
  const Status scattered = co_await vector.reduce_scatter(reduction);
  if (scattered != Status::ok) co_return scattered;
  const Status gathered = co_await vector.allgather();
  if (gathered != Status::ok || fold.partner == nobody) co_return gathered;
  co_return (co_await team.send(fold.partner, step_tag, data)).status;
}

}  // namespace weft::comm
