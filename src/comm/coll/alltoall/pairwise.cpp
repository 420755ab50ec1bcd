// SPDX-License-Identifier: Apache-2.0
// pairwise: N - 1 steps with one partner each: in step k the rank whose number differs by the bits
// of k where N is a power of two, otherwise the ranks k ahead and k behind (Thakur, Rabenseifner
// and Gropp, 2005). For long data.
#include <bit>

#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/scratch.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> pairwise_alltoall(const Team& team, std::span<const std::byte> out,
                                 const Blocks& out_blocks, std::span<std::byte> in,
                                 const Blocks& in_blocks) {
  const int size = team.size();
  const Rank me = team.rank();
  const bool power = std::has_single_bit(static_cast<unsigned>(size));
  co_await copy(team, out_blocks.block(out, me), in_blocks.block(in, me));
  for (int step = 1; step < size; ++step) {
    const Rank to = power ? me ^ step : (me + step) % size;
    const Rank from = power ? to : (me + size - step) % size;
    const Status status =
        co_await SendRecv(team, to, out_blocks.block(out, to), from, in_blocks.block(in, from));
    if (status != Status::ok) co_return status;
  }
  co_return Status::ok;
}

}  // namespace weft::comm
