// SPDX-License-Identifier: Apache-2.0
// pairwise: in step k every rank sends the rank k ahead that one's block, and combines what it gets
// with its own; N - 1 steps (Thakur, Rabenseifner and Gropp, 2005).
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {

TaskOf<Status> pairwise_reduce_scatter(const Team& team, std::span<std::byte> data,
                                       const Blocks& blocks, const Reduction& reduction) {
  require_commutative(reduction, "reduce_scatter: pairwise", "tree");
  const int size = team.size();
  const auto mine = blocks.block(data, team.rank());
  const Scratch came(team, size > 1 ? mine.size() : 0, data);
  for (int step = 1; step < size; ++step) {
    const Rank to = (team.rank() + step) % size, from = (team.rank() + size - step) % size;
    const Status status = co_await SendRecv(team, to, blocks.block(data, to), from, came.bytes());
    if (status != Status::ok) co_return status;
    co_await combine(team, reduction, came.bytes(), mine);
  }
  co_return Status::ok;
}

}  // namespace weft::comm
