// SPDX-License-Identifier: Apache-2.0
// counter: every rank adds one to a word of the host's memory, and the last one releases the others
// (Gupta et al., 2002, section 3). The count grows, so that nobody has to reset it.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/host_words.hpp"

namespace weft::comm {
namespace {

class CounterBarrier final : public Barrier {
 public:
  explicit CounterBarrier(Team team) : Barrier(std::move(team)), words_(team_, 2) {
    require_one_host(team_, words_, "counter");
  }

  TaskOf<Status> enter() override {
    const auto size = static_cast<std::uint64_t>(team_.size());
    std::uint64_t& count = words_[size];
    std::uint64_t& release = words_[size + 1];
    ++number_;
    const Result result = co_await words_.shared().increment(count);
    if (result.immediate + 1 == size * number_)
      co_await words_.shared().store(release, number_);
    else
      co_await team_.endpoint().until(release, at_least(number_));
    co_return Status::ok;
  }

 private:
  HostWords words_;
  std::uint64_t number_ = 0;
};

}  // namespace

TaskOf<std::unique_ptr<Barrier>> counter_barrier(Team team, FactoryInputs) {
  co_return std::make_unique<CounterBarrier>(std::move(team));
}

}  // namespace weft::comm
