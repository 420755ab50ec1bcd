// SPDX-License-Identifier: Apache-2.0
// halving: recursive halving: members exchange half of the blocks that they have with partners
// N / 2, N / 4, … places away, and combine the half that holds their own (Thakur, Rabenseifner and
// Gropp, 2005).
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"
#include "comm/coll/patterns/fold.hpp"

namespace weft::comm {
namespace {

/// Leaves the result of the blocks of all ranks that are folded into this one in their place.
TaskOf<Status> halve_blocks(const Team& team, const Fold& fold, std::span<std::byte> data,
                            const Blocks& blocks, const Reduction& reduction) {
  const Scratch scratch(team, team.size() > 1 ? data.size() : 0, data);
  if (fold.partner != nobody) {
    const Result taken = co_await team.recv(fold.partner, step_tag, scratch.bytes());
    if (!taken.ok()) co_return taken.status;
    co_await combine(team, reduction, scratch.bytes(), data);
  }
  for (int distance = fold.members / 2; distance > 0; distance /= 2) {
    const int kept = fold.place & -distance, given = kept ^ distance;
    const auto places = [&](int from) {
      return blocks.range(data, fold.rank_at(from), fold.rank_at(from + distance));
    };
    const Rank partner = fold.rank_at(fold.place ^ distance);
    const auto came = scratch.first(places(kept).size());
    const Status status = co_await SendRecv(team, partner, places(given), partner, came);
    if (status != Status::ok) co_return status;
    co_await combine(team, reduction, came, places(kept));
  }
  co_return Status::ok;
}

}  // namespace

TaskOf<Status> halving_reduce_scatter(const Team& team, std::span<std::byte> data,
                                      const Blocks& blocks, const Reduction& reduction) {
  require_commutative(reduction, "reduce_scatter: halving", "tree");
  const Fold fold(team.rank(), team.size());
  if (fold.leaves) {
    const Result given = co_await team.send(fold.partner, step_tag, data);
    if (!given.ok()) co_return given.status;
    const auto mine = blocks.block(data, team.rank());
    co_return (co_await team.recv(fold.partner, step_tag, mine)).status;
  }
  const Status status = co_await halve_blocks(team, fold, data, blocks, reduction);
  if (status != Status::ok || fold.partner == nobody) co_return status;
  const auto theirs = blocks.block(data, fold.partner);
  co_return (co_await team.send(fold.partner, step_tag, theirs)).status;
}

}  // namespace weft::comm
