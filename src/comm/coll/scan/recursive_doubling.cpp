// SPDX-License-Identifier: Apache-2.0
// recursive_doubling: members exchange the partial results of ever larger groups with partners 1,
// 2, 4, … ranks away, as far as there are any, and add those of lower ranks to their own data, as
// MPICH does; ceil(log2 N) steps.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {

TaskOf<Status> doubling_scan(const Team& team, std::span<std::byte> data,
                             const Reduction& reduction) {
  const std::size_t size = team.size() > 1 ? data.size() : 0;
  const Scratch group(team, size, data), came(team, size, data);
  if (team.size() > 1) co_await copy(team, data, group.bytes());
  for (int distance = 1; distance < team.size(); distance *= 2) {
    const Rank partner = team.rank() ^ distance;
    if (partner >= team.size()) continue;
    const Status status = co_await SendRecv(team, partner, group.bytes(), partner, came.bytes());
    if (status != Status::ok) co_return status;
    const bool from_lower = partner < team.rank();
    if (from_lower) co_await combine(team, reduction, came.bytes(), data);
    co_await combine_into(team, reduction, group.bytes(), came.bytes(), from_lower);
  }
  co_return Status::ok;
}

}  // namespace weft::comm
