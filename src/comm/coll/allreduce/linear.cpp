// SPDX-License-Identifier: Apache-2.0
// linear: rank 0 receives the data of all others one after another, and sends the result to all.
#include "comm/coll/collectives.hpp"

namespace weft::comm {

TaskOf<Status> linear_allreduce(const Team& team, std::span<std::byte> data,
                                const Reduction& reduction) {
  const Status status = co_await linear_reduce(team, 0, data, reduction);
  if (status != Status::ok) co_return status;
  co_return co_await linear_broadcast(team, 0, data);
}

}  // namespace weft::comm
