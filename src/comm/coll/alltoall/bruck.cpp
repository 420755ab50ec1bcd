// SPDX-License-Identifier: Apache-2.0
// bruck: in step k every rank sends all blocks whose remaining distance has bit k to the rank 2^k
// ahead, in one message; ceil(log2 N) steps, and N / 2 blocks at most in each (Bruck, Ho, Kipnis,
// Upfal and Weathersby, 1997). For short blocks, of equal sizes.
#include "base/error.hpp"
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/scratch.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {
namespace {

/// Visits the blocks that travel in the step of this bit: their distance, and where they are in the
/// message, whose size it returns.
template <class Visit>
std::size_t for_each_travelling(int size, int bit, std::size_t block, Visit visit) {
  std::size_t at = 0;
  for (int distance = bit; distance < size; ++distance) {
    if ((distance & bit) == 0) continue;
    visit(distance, at);
    at += block;
  }
  return at;
}

}  // namespace

TaskOf<Status> bruck_alltoall(const Team& team, std::span<const std::byte> out,
                              const Blocks& out_blocks, std::span<std::byte> in,
                              const Blocks& in_blocks) {
  if (!out_blocks.are_equal() || !in_blocks.are_equal() || out.size() != in.size())
    throw Error("alltoall: bruck needs blocks of one size; linear and pairwise do not");
  const int size = team.size();
  const Rank me = team.rank();
  const std::size_t block = out_blocks.largest();
  // A block that has so far to go, and in the end the one that came so far: from the rank there.
  const auto place = [&](int distance) {
    return in_blocks.block(in, (me + size - distance) % size);
  };
  for (int distance = 0; distance < size; ++distance)
    copy_contents(out_blocks.block(out, (me + distance) % size), place(distance));
  co_await spend_on_copies(team, in.size());
  const std::size_t most = block * static_cast<std::size_t>(size / 2);
  const Scratch given(team, most, in), taken(team, most, in);
  for (int bit = 1; bit < size; bit *= 2) {
    const std::size_t bytes =
        for_each_travelling(size, bit, block, [&](int distance, std::size_t at) {
          copy_contents(place(distance), given.bytes().subspan(at, block));
        });
    co_await spend_on_copies(team, bytes);
    const Rank to = (me + bit) % size, from = (me + size - bit) % size;
    const Status status = co_await SendRecv(team, to, given.first(bytes), from, taken.first(bytes));
    if (status != Status::ok) co_return status;
    for_each_travelling(size, bit, block, [&](int distance, std::size_t at) {
      copy_contents(taken.bytes().subspan(at, block), place(distance));
    });
    co_await spend_on_copies(team, bytes);
  }
  co_return Status::ok;
}

}  // namespace weft::comm
