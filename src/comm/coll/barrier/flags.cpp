// SPDX-License-Identifier: Apache-2.0
// flags: every rank sets its own flag in the host's memory and polls all others (Gupta et al.,
// 2002, section 3 and figure 2). Flags hold the barrier's number, so that nobody has to reset them.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/host_words.hpp"

namespace weft::comm {
namespace {

class FlagsBarrier final : public Barrier {
 public:
  explicit FlagsBarrier(Team team) : Barrier(std::move(team)), words_(team_, 0) {
    require_one_host(team_, words_, "flags");
  }

  TaskOf<Status> enter() override {
    ++number_;
    co_await words_.shared().store(words_[words_.mine()], number_);
    for (std::size_t i = 0; i < words_.members().size(); ++i)
      co_await team_.endpoint().until(words_[i], at_least(number_));
    co_return Status::ok;
  }

 private:
  HostWords words_;
  std::uint64_t number_ = 0;
};

}  // namespace

TaskOf<std::unique_ptr<Barrier>> flags_barrier(Team team, FactoryInputs) {
  co_return std::make_unique<FlagsBarrier>(std::move(team));
}

}  // namespace weft::comm
