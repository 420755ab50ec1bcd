// SPDX-License-Identifier: Apache-2.0
// Allgathers around a ring, and by recursive doubling.
#include "comm/coll/patterns/allgathers.hpp"

#include "comm/coll/patterns/fold.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> ring_allgather_from(const Team& team, Rank root, std::span<std::byte> all,
                                   const Blocks& blocks) {
  const int size = team.size();
  const Rank next = (team.rank() + 1) % size, before = (team.rank() + size - 1) % size;
  Rank mine = (team.rank() + size - root) % size;
  for (int step = 1; step < size; ++step) {
    const Rank theirs = (mine + size - 1) % size;
    const Status status =
        co_await SendRecv(team, next, blocks.block(all, mine), before, blocks.block(all, theirs));
    if (status != Status::ok) co_return status;
    mine = theirs;
  }
  co_return Status::ok;
}

TaskOf<Status> doubling_allgather_from(const Team& team, Rank root, std::span<std::byte> all,
                                       const Blocks& blocks) {
  const int size = team.size();
  const Rank counted = (team.rank() + size - root) % size;
  const auto member = [&](Rank from_root) { return (from_root + root) % size; };
  const Fold fold(counted, size);
  if (fold.leaves) {
    const Result given =
        co_await team.send(member(fold.partner), step_tag, blocks.block(all, counted));
    if (!given.ok()) co_return given.status;
    co_return (co_await team.recv(member(fold.partner), step_tag, all)).status;
  }
  if (fold.partner != nobody) {
    const Result taken =
        co_await team.recv(member(fold.partner), step_tag, blocks.block(all, fold.partner));
    if (!taken.ok()) co_return taken.status;
  }
  for (int have = 1; have < fold.members; have *= 2) {
    const int mine = fold.place & -have, theirs = mine ^ have;
    const Rank partner = member(fold.rank_at(fold.place ^ have));
    const auto places = [&](int from) {
      return blocks.range(all, fold.rank_at(from), fold.rank_at(from + have));
    };
    const Status status = co_await SendRecv(team, partner, places(mine), partner, places(theirs));
    if (status != Status::ok) co_return status;
  }
  if (fold.partner == nobody) co_return Status::ok;
  co_return (co_await team.send(member(fold.partner), step_tag, all)).status;
}

}  // namespace weft::comm
