// SPDX-License-Identifier: Apache-2.0
// ring: a reduce-scatter and an allgather around a ring, 2 (N - 1) steps of an N-th of the data
// (Patarasuk and Yuan, 2009). For long data.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {

TaskOf<Status> ring_allreduce(const Team& team, std::span<std::byte> data,
                              const Reduction& reduction) {
  require_commutative(reduction, "allreduce: ring",
                      "linear, rabenseifner, recursive_doubling or tree");
  const Blocks shares = Blocks::shares(team.size(), data.size(), reduction.element);
  const Status scattered = co_await ring_reduce_scatter(team, data, shares, reduction);
  if (scattered != Status::ok) co_return scattered;
  co_return co_await ring_allgather(team, data, shares);
}

}  // namespace weft::comm
