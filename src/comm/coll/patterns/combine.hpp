// SPDX-License-Identifier: Apache-2.0
// Combining the operands of a reduction, and reductions that must keep the order of ranks.
#pragma once
#include <span>
#include <string_view>

#include "comm/coll/patterns/scratch.hpp"
#include "comm/coll/patterns/steps.hpp"
#include "comm/coll/reduction.hpp"
#include "comm/task.hpp"

namespace weft::comm {

/// Writes left op right to the place of right. Of unbacked operands nothing is combined; the time
/// is the same.
Task combine(const Team& team, const Reduction& reduction, std::span<const std::byte> left,
             std::span<std::byte> right);
/// Combines what has come from another member, of a lower or higher rank, with `mine`, which the
/// result replaces.
Task combine_into(const Team& team, const Reduction& reduction, std::span<std::byte> mine,
                  std::span<std::byte> came, bool from_lower);

/// Throws Error for a reduction that does not commute; others than this algorithm keep its order.
void require_commutative(const Reduction& reduction, std::string_view algorithm,
                         std::string_view others);

/// Runs a reduce whose operands are combined in the order of ranks counted from the root, around
/// the end. Where that would matter, rank 0 gets the result and sends it to the root, as MPICH
/// does.
template <class Reduces, class... More>
TaskOf<Status> reduce_in_order(const Team& team, Rank root, std::span<std::byte> data,
                               const Reduction& reduction, Reduces reduces, More... more) {
  if (reduction.commutative || root == 0)
    co_return co_await reduces(team, root, data, reduction, more...);
  const Scratch own(team, team.rank() == 0 ? data.size() : 0, data);
  if (team.rank() == 0) co_await copy(team, data, own.bytes());
  const Status status =
      co_await reduces(team, 0, team.rank() == 0 ? own.bytes() : data, reduction, more...);
  if (status != Status::ok) co_return status;
  if (team.rank() != 0 && team.rank() != root) co_return Status::ok;
  Op last =
      team.rank() == 0 ? team.send(root, step_tag, own.bytes()) : team.recv(0, step_tag, data);
  const Result result = co_await last;
  co_return result.status;
}

}  // namespace weft::comm
