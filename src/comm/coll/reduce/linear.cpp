// SPDX-License-Identifier: Apache-2.0
// linear: the root receives the data of all others one after another, from the last rank on, so
// that operands stay in the order of ranks.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {

TaskOf<Status> linear_reduce(const Team& team, Rank root, std::span<std::byte> data,
                             const Reduction& reduction) {
  if (team.rank() != root) co_return (co_await team.send(root, step_tag, data)).status;
  const Scratch came(team, team.size() > 1 ? data.size() : 0, data);
  // Higher ranks combine here until it is the root's turn, if the order matters.
  const bool apart = !reduction.commutative && root != team.size() - 1;
  const Scratch higher(team, apart ? data.size() : 0, data);
  for (Rank from = team.size() - 1; from >= 0; --from) {
    if (from == root) {
      if (!apart) continue;
      co_await combine(team, reduction, data, higher.bytes());
      co_await copy(team, higher.bytes(), data);
      continue;
    }
    const bool first = apart && from == team.size() - 1;
    const auto into = first ? higher.bytes() : came.bytes();
    const Result result = co_await team.recv(from, step_tag, into);
    if (!result.ok()) co_return result.status;
    if (!first)
      co_await combine(team, reduction, into, apart && from > root ? higher.bytes() : data);
  }
  co_return Status::ok;
}

}  // namespace weft::comm
