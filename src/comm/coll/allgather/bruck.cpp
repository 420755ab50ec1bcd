// SPDX-License-Identifier: Apache-2.0
// bruck: in step k every rank gets 2^k blocks, or what is missing, from the rank 2^k ahead;
// ceil(log2 N) steps for any N (Bruck, Ho, Kipnis, Upfal and Weathersby, 1997). Blocks are received
// in their place instead of being rotated in the end.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/around.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> bruck_allgather(const Team& team, std::span<std::byte> all, const Blocks& blocks) {
  const int size = team.size();
  for (int have = 1; have < size; have *= 2) {
    const int count = std::min(have, size - have);
    const Rank ahead = (team.rank() + have) % size, behind = (team.rank() + size - have) % size;
    const BlocksAround<std::byte> given(team, all, blocks, team.rank(), count);
    const BlocksAround<std::byte> taken(team, all, blocks, ahead, count);
    co_await given.pack();
    const Status status = co_await SendRecv(team, behind, given.bytes(), ahead, taken.bytes());
    if (status != Status::ok) co_return status;
    co_await taken.unpack();
  }
  co_return Status::ok;
}

}  // namespace weft::comm
