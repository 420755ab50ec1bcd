// SPDX-License-Identifier: Apache-2.0
// binomial: down a binomial tree of ranks counted from the root, the largest subtree first; any
// root, ceil(log2 N) steps.
#include <bit>

#include "comm/coll/collectives.hpp"

namespace weft::comm {
namespace {

class BinomialBroadcast final : public Broadcast {
 public:
  using Broadcast::Broadcast;

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    const int size = team_.size();
    const Rank place = (team_.rank() + size - root) % size;  // relative to the root
    const auto member = [&](Rank at) { return (at + root) % size; };
    const Rank lowest =
        place == 0 ? static_cast<Rank>(std::bit_ceil(static_cast<unsigned>(size))) : place & -place;
    if (place != 0) {
      const Result result = co_await team_.recv(member(place - lowest), 1, data);
      if (!result.ok()) co_return result.status;
    }
    for (Rank distance = lowest / 2; distance > 0; distance /= 2) {
      if (place + distance >= size) continue;
      const Result result = co_await team_.send(member(place + distance), 1, data);
      if (!result.ok()) co_return result.status;
    }
    co_return Status::ok;
  }
};

}  // namespace

TaskOf<std::unique_ptr<Broadcast>> binomial_broadcast(Team team, FactoryInputs) {
  co_return std::make_unique<BinomialBroadcast>(std::move(team));
}

}  // namespace weft::comm
