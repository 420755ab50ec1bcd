// SPDX-License-Identifier: Apache-2.0
// binomial: down a binomial tree of ranks counted from the root, the blocks of a subtree in one
// message, the largest subtree first; ceil(log2 N) steps. All members need to know all sizes.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/around.hpp"
#include "comm/coll/patterns/binomial_tree.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {
namespace {

TaskOf<Status> scatter_at_root(const Team& team, const BinomialTree& tree,
                               std::span<const std::byte> all, const Blocks& blocks) {
  for (int distance = tree.reach / 2; distance > 0; distance /= 2) {
    if (!tree.has_child(distance)) continue;
    const Rank child = tree.child(distance);
    const BlocksAround<const std::byte> subtree(team, all, blocks, child, tree.subtree(distance));
    co_await subtree.pack();
    const Result result = co_await team.send(child, step_tag, subtree.bytes());
    if (!result.ok()) co_return result.status;
  }
  co_return Status::ok;
}

}  // namespace

TaskOf<Status> binomial_scatter(const Team& team, Rank root, std::span<const std::byte> all,
                                std::span<std::byte> own, const Blocks& blocks) {
  require_known(blocks, team, "scatter");
  const BinomialTree tree(team, root);
  if (tree.is_root()) {
    co_await copy(team, blocks.block(all, root), own);
    co_return co_await scatter_at_root(team, tree, all, blocks);
  }
  if (!tree.has_child(1)) co_return (co_await team.recv(tree.parent(), step_tag, own)).status;
  const Rank me = team.rank();
  const Scratch subtree(team, size_around(blocks, me, tree.subtree()), own);
  const Result received = co_await team.recv(tree.parent(), step_tag, subtree.bytes());
  if (!received.ok()) co_return received.status;
  co_await copy(team, subtree.first(own.size()), own);
  for (int distance = tree.reach / 2; distance > 0; distance /= 2) {
    if (!tree.has_child(distance)) continue;
    const Rank child = tree.child(distance);
    const auto blocks_of_child = subtree.bytes().subspan(
        size_around(blocks, me, distance), size_around(blocks, child, tree.subtree(distance)));
    const Result result = co_await team.send(child, step_tag, blocks_of_child);
    if (!result.ok()) co_return result.status;
  }
  co_return Status::ok;
}

}  // namespace weft::comm
