// SPDX-License-Identifier: Apache-2.0
// binomial: up a binomial tree of ranks counted from the root, the smallest subtree first;
// ceil(log2 N) steps.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/binomial_tree.hpp"
#include "comm/coll/patterns/combine.hpp"

namespace weft::comm {
namespace {

TaskOf<Status> binomial_reduce_from(const Team& team, Rank root, std::span<std::byte> data,
                                    const Reduction& reduction) {
  const BinomialTree tree(team, root);
  const bool inner = !tree.is_root() && tree.has_child(1);
  const Scratch result(team, inner ? data.size() : 0, data);
  const Scratch came(team, tree.has_child(inner ? 2 : 1) ? data.size() : 0, data);
  std::span<std::byte> partial = data;
  for (int distance = 1; distance < tree.reach; distance *= 2) {
    if (!tree.has_child(distance)) continue;
    const bool first = inner && distance == 1;  // its place becomes the result's
    const auto into = first ? result.bytes() : came.bytes();
    const Result received = co_await team.recv(tree.child(distance), step_tag, into);
    if (!received.ok()) co_return received.status;
    if (first)
      co_await combine(team, reduction, data, into);
    else
      co_await combine_into(team, reduction, partial, into, false);
    if (first) partial = into;
  }
  if (tree.is_root()) co_return Status::ok;
  co_return (co_await team.send(tree.parent(), step_tag, partial)).status;
}

}  // namespace

TaskOf<Status> binomial_reduce(const Team& team, Rank root, std::span<std::byte> data,
                               const Reduction& reduction) {
  return reduce_in_order(team, root, data, reduction, binomial_reduce_from);
}

}  // namespace weft::comm
