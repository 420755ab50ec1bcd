// SPDX-License-Identifier: Apache-2.0
// ring: the partial result of a block goes once around a ring and ends at its member; N - 1 steps
// (the first half of the allreduce of Patarasuk and Yuan, 2009).
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {

TaskOf<Status> ring_reduce_scatter(const Team& team, std::span<std::byte> data,
                                   const Blocks& blocks, const Reduction& reduction) {
  require_commutative(reduction, "reduce_scatter: ring", "tree");
  const int size = team.size();
  const Rank next = (team.rank() + 1) % size, before = (team.rank() + size - 1) % size;
  const Scratch scratch(team, size > 1 ? blocks.largest() : 0, data);
  for (int step = 1; step < size; ++step) {
    const Rank given = (team.rank() + size - step) % size, taken = (given + size - 1) % size;
    const auto mine = blocks.block(data, taken), came = scratch.first(mine.size());
    const Status status = co_await SendRecv(team, next, blocks.block(data, given), before, came);
    if (status != Status::ok) co_return status;
    co_await combine(team, reduction, came, mine);
  }
  co_return Status::ok;
}

}  // namespace weft::comm
