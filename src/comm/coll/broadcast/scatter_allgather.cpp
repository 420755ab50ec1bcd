// SPDX-License-Identifier: Apache-2.0
// scatter_allgather: the root's data in N blocks down a binomial tree, each subtree getting its
// own; then an allgather (Barnett, Shuler, van de Geijn et al., 1994; Thakur, Rabenseifner and
// Gropp, 2005). For long data: no member receives more than one and a half times their
// size (with the ring).
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/allgathers.hpp"
#include "comm/coll/patterns/binomial_tree.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {
namespace {

class ScatterAllgather final : public Broadcast {
 public:
  ScatterAllgather(Team team, bool ring) : Broadcast(std::move(team)), ring_(ring) {}

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    const BinomialTree tree(team_, root);
    const Blocks blocks = Blocks::shares(tree.size, data.size());  // of ranks counted from the root
    const auto subtree = [&](int place, int count) {
      return blocks.range(data, place, place + count);
    };
    if (!tree.is_root()) {
      const Result result =
          co_await team_.recv(tree.parent(), step_tag, subtree(tree.place, tree.subtree()));
      if (!result.ok()) co_return result.status;
    }
    for (int distance = tree.reach / 2; distance > 0; distance /= 2) {
      if (!tree.has_child(distance)) continue;
      const Result result = co_await team_.send(
          tree.child(distance), step_tag, subtree(tree.place + distance, tree.subtree(distance)));
      if (!result.ok()) co_return result.status;
    }
    // Not co_await (ring_ ? … : …): g++ 12 frees such a task twice.
    const auto allgather = ring_ ? ring_allgather_from : doubling_allgather_from;
    co_return co_await allgather(team_, root, data, blocks);
  }

 private:
  bool ring_;
};

}  // namespace

TaskOf<std::unique_ptr<Broadcast>> scatter_allgather(Team team, FactoryInputs inputs) {
  co_return std::make_unique<ScatterAllgather>(std::move(team),
                                               inputs.params.is("allgather", "ring"));
}

}  // namespace weft::comm
