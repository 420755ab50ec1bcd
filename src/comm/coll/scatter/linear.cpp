// SPDX-License-Identifier: Apache-2.0
// linear: the root sends to all others at once. Members other than the root need to know the size
// of their own block only, as in MPI.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/scratch.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> linear_scatter(const Team& team, Rank root, std::span<const std::byte> all,
                              std::span<std::byte> own, const Blocks& blocks) {
  if (team.rank() != root) co_return (co_await team.recv(root, step_tag, own)).status;
  const int size = team.size();
  Ops sends(team.endpoint(), static_cast<std::size_t>(size) - 1);
  for (int distance = 1; distance < size; ++distance) {
    const Rank to = (root + distance) % size;
    sends.add([&] { return team.send(to, step_tag, blocks.block(all, to)); });
  }
  co_await copy(team, blocks.block(all, root), own);
  co_await sends.all();
  co_return status_of(sends);
}

}  // namespace weft::comm
