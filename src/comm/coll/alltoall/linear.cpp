// SPDX-License-Identifier: Apache-2.0
// linear: every member sends to, and receives from, all others at once.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/scratch.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> linear_alltoall(const Team& team, std::span<const std::byte> out,
                               const Blocks& out_blocks, std::span<std::byte> in,
                               const Blocks& in_blocks) {
  const int size = team.size();
  const Rank me = team.rank();
  co_await copy(team, out_blocks.block(out, me), in_blocks.block(in, me));
  Ops ops(team.endpoint(), 2 * (static_cast<std::size_t>(size) - 1));
  for (int distance = 1; distance < size; ++distance) {
    const Rank from = (me + size - distance) % size;
    ops.add([&] { return team.recv(from, step_tag, in_blocks.block(in, from)); });
  }
  for (int distance = 1; distance < size; ++distance) {
    const Rank to = (me + distance) % size;
    ops.add([&] { return team.send(to, step_tag, out_blocks.block(out, to)); });
  }
  co_await ops.all();
  co_return status_of(ops);
}

}  // namespace weft::comm
