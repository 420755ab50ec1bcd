// SPDX-License-Identifier: Apache-2.0
// tree: a reduce up a binomial tree to rank 0, and a broadcast down it.
#include "comm/coll/collectives.hpp"

namespace weft::comm {

TaskOf<Status> tree_allreduce(const Team& team, std::span<std::byte> data,
                              const Reduction& reduction) {
  const Status status = co_await binomial_reduce(team, 0, data, reduction);
  if (status != Status::ok) co_return status;
  co_return co_await binomial_broadcast(team, 0, data);
}

}  // namespace weft::comm
