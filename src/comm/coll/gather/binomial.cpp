// SPDX-License-Identifier: Apache-2.0
// binomial: up a binomial tree of ranks counted from the root, the blocks of a subtree in one
// message; ceil(log2 N) steps. All members need to know all sizes.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/around.hpp"
#include "comm/coll/patterns/binomial_tree.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {
namespace {

TaskOf<Status> gather_at_root(const Team& team, const BinomialTree& tree, std::span<std::byte> all,
                              const Blocks& blocks) {
  for (int distance = 1; distance < tree.reach; distance *= 2) {
    if (!tree.has_child(distance)) continue;
    const Rank child = tree.child(distance);
    const BlocksAround<std::byte> subtree(team, all, blocks, child, tree.subtree(distance));
    const Result result = co_await team.recv(child, step_tag, subtree.bytes());
    if (!result.ok()) co_return result.status;
    co_await subtree.unpack();
  }
  co_return Status::ok;
}

}  // namespace

TaskOf<Status> binomial_gather(const Team& team, Rank root, std::span<const std::byte> own,
                               std::span<std::byte> all, const Blocks& blocks) {
  require_known(blocks, team, "gather");
  const BinomialTree tree(team, root);
  if (tree.is_root()) {
    co_await copy(team, own, blocks.block(all, root));
    co_return co_await gather_at_root(team, tree, all, blocks);
  }
  if (!tree.has_child(1)) co_return (co_await team.send(tree.parent(), step_tag, own)).status;
  const Rank me = team.rank();
  const Scratch subtree(team, size_around(blocks, me, tree.subtree()), own);
  co_await copy(team, own, subtree.first(own.size()));
  for (int distance = 1; distance < tree.reach; distance *= 2) {
    if (!tree.has_child(distance)) continue;
    const Rank child = tree.child(distance);
    const auto blocks_of_child = subtree.bytes().subspan(
        size_around(blocks, me, distance), size_around(blocks, child, tree.subtree(distance)));
    const Result result = co_await team.recv(child, step_tag, blocks_of_child);
    if (!result.ok()) co_return result.status;
  }
  co_return (co_await team.send(tree.parent(), step_tag, subtree.bytes())).status;
}

}  // namespace weft::comm
