// SPDX-License-Identifier: Apache-2.0
// smp: the first rank of each host waits until all others of the host have set their flags, meets
// the first ranks of the other hosts, and sets the flags to release them (Gupta et al., 2002,
// sections 5.2 and 5.3). Flags grow by two in a barrier instead of being set and reset.
#include <algorithm>

#include "base/error.hpp"
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/host_words.hpp"

namespace weft::comm {
namespace {

constexpr Tag is_first = 1, first_ranks = 2;

class SmpBarrier final : public Barrier {
 public:
  SmpBarrier(Team team, HostWords words, std::unique_ptr<Barrier> between)
      : Barrier(std::move(team)), words_(std::move(words)), between_(std::move(between)) {}

  TaskOf<Status> enter() override {
    const std::uint64_t arrived = ++flag_, released = ++flag_;
    Endpoint& ep = team_.endpoint();
    if (between_ == nullptr) {
      co_await words_.shared().store(words_[words_.mine()], arrived);
      co_await ep.until(words_[words_.mine()], at_least(released));
      co_return Status::ok;
    }
    const std::size_t count = words_.members().size();
    for (std::size_t i = 1; i < count; ++i) co_await ep.until(words_[i], at_least(arrived));
    const Status status = co_await between_->enter();
    for (std::size_t i = 1; i < count; ++i) co_await words_.shared().store(words_[i], released);
    co_return status;
  }

 private:
  HostWords words_;
  std::unique_ptr<Barrier> between_;  ///< of the first ranks; others have none
  std::uint64_t flag_ = 0;
};

/// The first rank of every host, in order: rank 0 collects them and sends the list to all.
TaskOf<std::vector<Rank>> find_first_ranks(Team& team, bool first) {
  std::vector<Rank> found;
  if (team.rank() == 0) {
    for (Rank member = 0; member < team.size(); ++member) {
      bool answer = first;
      if (member != 0) co_await team.recv(member, is_first, writable_bytes_of(answer));
      if (answer) found.push_back(member);
    }
    for (Rank member = 1; member < team.size(); ++member)
      co_await team.send(member, first_ranks, std::as_bytes(std::span(found)));
  } else {
    co_await team.send(0, is_first, bytes_of(first));
    found.resize(static_cast<std::size_t>(team.size()));
    const Result result =
        co_await team.recv(0, first_ranks, std::as_writable_bytes(std::span(found)));
    found.resize(result.bytes / sizeof(Rank));
  }
  co_return std::move(found);
}

}  // namespace

TaskOf<std::unique_ptr<Barrier>> smp_barrier(Team team, FactoryInputs inputs) {
  const CollectiveSpec between{.spec = inputs.params.text("between")};
  if (Spec::parse(between.spec).name == "smp") inputs.params.reject("between", "not smp itself");
  HostWords words(team, 0);
  const bool first = words.mine() == 0;
  const std::vector<Rank> met_by = co_await find_first_ranks(team, first);
  std::unique_ptr<Barrier> met;
  if (first) {
    Team part = team.part(met_by);
    met = co_await make_barrier(part, between);
  } else {
    team.skip();
  }
  co_return std::make_unique<SmpBarrier>(std::move(team), std::move(words), std::move(met));
}

}  // namespace weft::comm
