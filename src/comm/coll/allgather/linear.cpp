// SPDX-License-Identifier: Apache-2.0
// linear: every member sends its block to all others at once.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> linear_allgather(const Team& team, std::span<std::byte> all, const Blocks& blocks) {
  const int size = team.size();
  Ops ops(team.endpoint(), 2 * (static_cast<std::size_t>(size) - 1));
  for (int distance = 1; distance < size; ++distance) {
    const Rank from = (team.rank() + size - distance) % size;
    ops.add([&] { return team.recv(from, step_tag, blocks.block(all, from)); });
  }
  for (int distance = 1; distance < size; ++distance) {
    const Rank to = (team.rank() + distance) % size;
    ops.add([&] { return team.send(to, step_tag, blocks.block(all, team.rank())); });
  }
  co_await ops.all();
  co_return status_of(ops);
}

}  // namespace weft::comm
