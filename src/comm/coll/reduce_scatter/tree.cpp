// SPDX-License-Identifier: Apache-2.0
// tree: a reduce up a binomial tree to rank 0, which scatters the result down it.
#include "comm/coll/collectives.hpp"

namespace weft::comm {

TaskOf<Status> tree_reduce_scatter(const Team& team, std::span<std::byte> data,
                                   const Blocks& blocks, const Reduction& reduction) {
  const Status status = co_await binomial_reduce(team, 0, data, reduction);
  if (status != Status::ok) co_return status;
  co_return co_await binomial_scatter(team, 0, data, blocks.block(data, team.rank()), blocks);
}

}  // namespace weft::comm
