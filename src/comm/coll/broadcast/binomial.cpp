// SPDX-License-Identifier: Apache-2.0
// binomial: down a binomial tree of ranks counted from the root, the largest subtree first; any
// root, ceil(log2 N) steps.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/binomial_tree.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {

TaskOf<Status> binomial_broadcast(const Team& team, Rank root, std::span<std::byte> data) {
  const BinomialTree tree(team, root);
  if (!tree.is_root()) {
    const Result result = co_await team.recv(tree.parent(), step_tag, data);
    if (!result.ok()) co_return result.status;
  }
  for (int distance = tree.reach / 2; distance > 0; distance /= 2) {
    if (!tree.has_child(distance)) continue;
    const Result result = co_await team.send(tree.child(distance), step_tag, data);
    if (!result.ok()) co_return result.status;
  }
  co_return Status::ok;
}

}  // namespace weft::comm
