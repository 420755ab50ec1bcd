// SPDX-License-Identifier: Apache-2.0
// rabenseifner: a reduce-scatter by recursive halving, then a gather up a binomial tree (Thakur,
// Rabenseifner and Gropp, 2005). For long data: the root receives twice their size at
// most in a team of 2^k, not their size in every step.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/halving.hpp"

namespace weft::comm {
namespace {

TaskOf<Status> rabenseifner_from(const Team& team, Rank root, std::span<std::byte> data,
                                 const Reduction& reduction) {
  const int size = team.size();
  const Fold fold((team.rank() + size - root) % size, size);
  if (fold.leaves)
    co_return (co_await team.send((fold.partner + root) % size, step_tag, data)).status;
  const bool is_root = team.rank() == root;
  const Scratch own(team, is_root ? 0 : data.size(), data);  // its own data stay
  if (!is_root) co_await copy(team, data, own.bytes());
  HalvedVector vector(team, fold, root, is_root ? data : own.bytes(), reduction.element);
  const Status status = co_await vector.reduce_scatter(reduction);
  if (status != Status::ok) co_return status;
  co_return co_await vector.gather();
}

}  // namespace

TaskOf<Status> rabenseifner_reduce(const Team& team, Rank root, std::span<std::byte> data,
                                   const Reduction& reduction) {
  return reduce_in_order(team, root, data, reduction, rabenseifner_from);
}

}  // namespace weft::comm
