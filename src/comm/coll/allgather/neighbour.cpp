// SPDX-License-Identifier: Apache-2.0
// neighbour: exchanges with the two neighbours in turn: the own block at first, then the two blocks
// that came last; N / 2 steps for an even N (Chen, Zhang, Zhang and Yuan, 2005). An odd N takes the
// ring instead.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {
namespace {

/// Ranks 2i and 2i + 1 are twins: they exchange their blocks, then every rank exchanges pairs of
/// blocks with the other neighbour and with its twin in turn.
TaskOf<Status> exchange_with_neighbours(const Team& team, std::span<std::byte> all,
                                        const Blocks& blocks) {
  const int size = team.size(), pairs = size / 2;
  const bool even = team.rank() % 2 == 0;
  const Rank up = (team.rank() + 1) % size, down = (team.rank() + size - 1) % size;
  const Rank twin = even ? up : down, other = even ? down : up;
  const Status first =
      co_await SendRecv(team, twin, blocks.block(all, team.rank()), twin, blocks.block(all, twin));
  if (first != Status::ok) co_return first;
  const auto pair = [&](int i) { return blocks.range(all, 2 * i, 2 * i + 2); };
  int given = team.rank() / 2;
  for (int step = 1; step < pairs; ++step) {
    // Even ranks get the pairs 1 before, 1 after, 2 before, … theirs, odd ones the reverse.
    const int away = even == (step % 2 == 1) ? pairs - (step + 1) / 2 : (step + 1) / 2;
    const int taken = (team.rank() / 2 + away) % pairs;
    const Rank partner = step % 2 == 1 ? other : twin;
    const Status status = co_await SendRecv(team, partner, pair(given), partner, pair(taken));
    if (status != Status::ok) co_return status;
    given = taken;
  }
  co_return Status::ok;
}

}  // namespace

TaskOf<Status> neighbour_allgather(const Team& team, std::span<std::byte> all,
                                   const Blocks& blocks) {
  return team.size() % 2 == 0 ? exchange_with_neighbours(team, all, blocks)
                              : ring_allgather(team, all, blocks);
}

}  // namespace weft::comm
