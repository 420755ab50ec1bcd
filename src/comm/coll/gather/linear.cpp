// SPDX-License-Identifier: Apache-2.0
// linear: the root receives from all others at once. Members other than the root need to know the
// size of their own block only, as in MPI.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/scratch.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> linear_gather(const Team& team, Rank root, std::span<const std::byte> own,
                             std::span<std::byte> all, const Blocks& blocks) {
  if (team.rank() != root) co_return (co_await team.send(root, step_tag, own)).status;
  const int size = team.size();
  Ops receives(team.endpoint(), static_cast<std::size_t>(size) - 1);
  for (int distance = 1; distance < size; ++distance) {
    const Rank from = (root + distance) % size;
    receives.add([&] { return team.recv(from, step_tag, blocks.block(all, from)); });
  }
  co_await copy(team, own, blocks.block(all, root));
  co_await receives.all();
  co_return status_of(receives);
}

}  // namespace weft::comm
