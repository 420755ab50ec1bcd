// SPDX-License-Identifier: Apache-2.0
// linear: the root sends to all others at once.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> linear_broadcast(const Team& team, Rank root, std::span<std::byte> data) {
  if (team.rank() != root) co_return (co_await team.recv(root, step_tag, data)).status;
  const int size = team.size();
  Ops sends(team.endpoint(), static_cast<std::size_t>(size) - 1);
  for (int distance = 1; distance < size; ++distance)
    sends.add([&] { return team.send((root + distance) % size, step_tag, data); });
  co_await sends.all();
  co_return status_of(sends);
}

}  // namespace weft::comm
