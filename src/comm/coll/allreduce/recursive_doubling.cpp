// SPDX-License-Identifier: Apache-2.0
// recursive_doubling: members exchange their partial results with partners 1, 2, 4, … places away
// (Thakur, Rabenseifner and Gropp, 2005). For short data.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"
#include "comm/coll/patterns/fold.hpp"

namespace weft::comm {

TaskOf<Status> doubling_allreduce(const Team& team, std::span<std::byte> data,
                                  const Reduction& reduction) {
  const Fold fold(team.rank(), team.size());
  if (fold.leaves) {
    const Result given = co_await team.send(fold.partner, step_tag, data);
    if (!given.ok()) co_return given.status;
    co_return (co_await team.recv(fold.partner, step_tag, data)).status;
  }
  const Scratch came(team, team.size() > 1 ? data.size() : 0, data);
  if (fold.partner != nobody) {
    const Result taken = co_await team.recv(fold.partner, step_tag, came.bytes());
    if (!taken.ok()) co_return taken.status;
    co_await combine_into(team, reduction, data, came.bytes(), false);
  }
  for (int distance = 1; distance < fold.members; distance *= 2) {
    const Rank partner = fold.rank_at(fold.place ^ distance);
    const Status status = co_await SendRecv(team, partner, data, partner, came.bytes());
    if (status != Status::ok) co_return status;
    co_await combine_into(team, reduction, data, came.bytes(), partner < team.rank());
  }
  if (fold.partner == nobody) co_return Status::ok;
  co_return (co_await team.send(fold.partner, step_tag, data)).status;
}

}  // namespace weft::comm
