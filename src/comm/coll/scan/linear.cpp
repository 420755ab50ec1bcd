// SPDX-License-Identifier: Apache-2.0
// linear: every rank combines what the rank before sends with its own data and sends it to the
// next; N - 1 steps.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {

TaskOf<Status> linear_scan(const Team& team, std::span<std::byte> data,
                           const Reduction& reduction) {
  if (team.rank() > 0) {
    const Scratch came(team, data.size(), data);
    const Result result = co_await team.recv(team.rank() - 1, step_tag, came.bytes());
    if (!result.ok()) co_return result.status;
    co_await combine(team, reduction, came.bytes(), data);
  }
  if (team.rank() + 1 == team.size()) co_return Status::ok;
  co_return (co_await team.send(team.rank() + 1, step_tag, data)).status;
}

}  // namespace weft::comm
