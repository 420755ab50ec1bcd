// SPDX-License-Identifier: Apache-2.0
// chain: from the root to the next rank and so on, segment by segment: a member passes a segment on
// while the next one comes.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/segments.hpp"
#include "comm/coll/patterns/steps.hpp"

namespace weft::comm {
namespace {

class ChainBroadcast final : public Broadcast {
 public:
  ChainBroadcast(Team team, std::size_t segment) : Broadcast(std::move(team)), segment_(segment) {}

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    const int size = team_.size();
    const Rank before = (team_.rank() + size - 1) % size, next = (team_.rank() + 1) % size;
    const bool receives = team_.rank() != root, sends = next != root;
    const Segments segments(data, segment_);
    std::array<LastOp, 2> coming;
    const auto expect = [&](std::size_t i) {
      if (receives && i < segments.count())
        coming[i % 2].make([&] { return team_.recv(before, step_tag, segments[i]); });
    };
    expect(0);
    for (std::size_t i = 0; i < segments.count(); ++i) {
      expect(i + 1);
      if (receives) {
        const Result result = co_await *coming[i % 2].get();
        if (!result.ok()) co_return result.status;
      }
      if (sends) {
        const Result result = co_await team_.send(next, step_tag, segments[i]);
        if (!result.ok()) co_return result.status;
      }
    }
    co_return Status::ok;
  }

 private:
  std::size_t segment_;
};

}  // namespace

TaskOf<std::unique_ptr<Broadcast>> chain_broadcast(Team team, FactoryInputs inputs) {
  const auto segment = static_cast<std::size_t>(inputs.params.bytes("segment").count);
  co_return std::make_unique<ChainBroadcast>(std::move(team), segment);
}

}  // namespace weft::comm
