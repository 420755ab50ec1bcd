// SPDX-License-Identifier: Apache-2.0
// hardware: gathers up a tree to rank 0, which releases everyone by one multicast of the switches.
#include "comm/coll/patterns/hardware.hpp"

#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {
namespace {

class HardwareBarrier final : public Barrier {
 public:
  HardwareBarrier(Team team, std::unique_ptr<Barrier> gather, int group)
      : Barrier(std::move(team)), multicast_(team_, group), gather_(std::move(gather)) {}

  TaskOf<Status> enter() override {
    const Tag tag = multicast_.tag(number_++);
    Status status = co_await gather_->enter();
    if (status != Status::ok) co_return status;
    if (team_.rank() != 0) co_return (co_await multicast_.recv(0, tag, {})).status;
    Result result = co_await multicast_.send(tag, {});
    for (const Rank member : multicast_.here())
      if (result.ok()) result = co_await multicast_.send_to(member, tag, {});
    co_return result.status;
  }

 private:
  TeamMulticast multicast_;
  std::unique_ptr<Barrier> gather_;  ///< the first half of a barrier
  std::uint32_t number_ = 0;
};

}  // namespace

TaskOf<std::unique_ptr<Barrier>> hardware_barrier(Team team, FactoryInputs inputs) {
  const auto degree = inputs.params.whole<int>("degree");
  Exchanges exchanges = tree_exchanges(team.rank(), team.size(), degree).gather;
  Team gathering = team.again();
  TaskOf<std::unique_ptr<Barrier>> made =
      exchange_barrier(std::move(gathering), std::move(exchanges), by_puts(inputs.params));
  std::unique_ptr<Barrier> gather = co_await made;
  co_return std::make_unique<HardwareBarrier>(std::move(team), std::move(gather), inputs.group);
}

}  // namespace weft::comm
