// SPDX-License-Identifier: Apache-2.0
// chain: from the last rank, counted from the root, to the one before and so on, segment by
// segment: a member combines a segment with its own and passes it on while the next one comes.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/combine.hpp"
#include "comm/coll/patterns/segments.hpp"

namespace weft::comm {
namespace {

TaskOf<Status> chain_reduce_from(const Team& team, Rank root, std::span<std::byte> data,
                                 const Reduction& reduction, std::size_t segment) {
  const int size = team.size();
  const Rank next = (team.rank() + 1) % size, before = (team.rank() + size - 1) % size;
  const bool receives = next != root, sends = team.rank() != root;
  const std::size_t whole = std::max<std::size_t>(segment / reduction.element, 1);
  const Segments segments(data, whole * reduction.element);
  const std::size_t longest = receives ? segments[0].size() : 0;
  const Scratch even(team, longest, data), odd(team, longest, data);
  std::array<LastOp, 2> coming;
  const auto into = [&](std::size_t i) {
    return (i % 2 == 0 ? even : odd).first(segments[i].size());
  };
  const auto expect = [&](std::size_t i) {
    if (receives && i < segments.count())
      coming[i % 2].make([&] { return team.recv(next, step_tag, into(i)); });
  };
  expect(0);
  for (std::size_t i = 0; i < segments.count(); ++i) {
    expect(i + 1);
    if (receives) {
      const Result result = co_await *coming[i % 2].get();
      if (!result.ok()) co_return result.status;
      if (sends)
        co_await combine(team, reduction, segments[i], into(i));
      else
        co_await combine_into(team, reduction, segments[i], into(i), false);
    }
    if (sends) {
      const Result result = co_await team.send(before, step_tag, receives ? into(i) : segments[i]);
      if (!result.ok()) co_return result.status;
    }
  }
  co_return Status::ok;
}

class ChainReduce final : public Reduce {
 public:
  ChainReduce(Team team, std::size_t segment) : Reduce(std::move(team)), segment_(segment) {}

  TaskOf<Status> run(Rank root, std::span<std::byte> data, const Reduction& reduction) override {
    return reduce_in_order(team_, root, data, reduction, chain_reduce_from, segment_);
  }

 private:
  std::size_t segment_;
};

}  // namespace

TaskOf<std::unique_ptr<Reduce>> chain_reduce(Team team, FactoryInputs inputs) {
  const auto segment = static_cast<std::size_t>(inputs.params.bytes("segment").count);
  co_return std::make_unique<ChainReduce>(std::move(team), segment);
}

}  // namespace weft::comm
