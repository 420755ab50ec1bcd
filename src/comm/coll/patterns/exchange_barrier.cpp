// SPDX-License-Identifier: Apache-2.0
// Exchanges carried out by messages without data, and by puts of the barrier's number into flags.
#include <cstdint>

#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {
namespace {

constexpr Tag signal = 1, address = 2;

/// Messages of two members keep their order, so one tag does for all barriers.
class MessageBarrier final : public Barrier {
 public:
  MessageBarrier(Team team, Exchanges exchanges)
      : Barrier(std::move(team)), exchanges_(std::move(exchanges)) {}

  TaskOf<Status> enter() override {
    for (const Exchange& exchange : exchanges_) {
      Result result;
      if (exchange.to == nobody) {
        result = co_await team_.recv(exchange.from, signal, {});
      } else if (exchange.from == nobody) {
        result = co_await team_.send(exchange.to, signal, {});
      } else {
        Op sent = team_.send(exchange.to, signal, {});
        result = co_await team_.recv(exchange.from, signal, {});
        if (result.ok()) result = co_await sent;
      }
      if (!result.ok()) co_return result.status;
    }
    co_return Status::ok;
  }

 private:
  Exchanges exchanges_;
};

/// Every exchange has a flag of one byte at its receiver, -1 at first. Barrier number n puts n
/// there; a member that waits for at least n also accepts n + 1, as others can be one barrier
/// ahead, but no more. So the byte may wrap around, compared modulo 256.
class PutBarrier final : public Barrier {
 public:
  PutBarrier(Team team, const Exchanges& exchanges)
      : Barrier(std::move(team)),
        flags_(exchanges.size(), std::uint8_t{0xff}),
        region_(team_.endpoint().expose(std::as_writable_bytes(std::span(flags_)))),
        steps_(exchanges.size()) {
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].exchange = exchanges[i];
  }

  /// Every member learns the addresses of the flags that it writes.
  Task connect() {
    std::vector<RemoteSlice> mine(steps_.size());
    Ops ops(team_.endpoint(), 2 * steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      PutStep& step = steps_[i];
      mine[i] = region_.slice(i);
      if (step.exchange.from != nobody)
        ops.add([&] { return team_.send(step.exchange.from, address, bytes_of(mine[i])); });
      if (step.exchange.to != nobody)
        ops.add(
            [&] { return team_.recv(step.exchange.to, address, writable_bytes_of(step.there)); });
    }
    co_await ops.all();
  }

  TaskOf<Status> enter() override {
    const std::uint8_t number = next_++;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      PutStep& step = steps_[i];
      if (step.exchange.to != nobody) {
        if (Op* const before = step.put.get()) {
          const Result result = co_await *before;  // then its value may be reused
          if (!result.ok()) co_return result.status;
        }
        step.number = number;
        step.put.make(
            [&] { return team_.put(step.exchange.to, step.there, bytes_of(step.number)); });
      }
      if (step.exchange.from != nobody)
        co_await team_.endpoint().until(flags_[i], at_least(number));
    }
    if (!steps_.empty() && steps_.back().exchange.from == nobody)
      co_await team_.endpoint().catch_up();
    co_return Status::ok;
  }

 private:
  struct PutStep {
    Exchange exchange{};
    RemoteSlice there{};
    std::uint8_t number = 0;  ///< the value that is put
    LastOp put{};
  };
  std::vector<std::uint8_t> flags_;  ///< by exchange
  Region region_;
  std::vector<PutStep> steps_;
  std::uint8_t next_ = 0;
};

TaskOf<std::unique_ptr<Barrier>> put_barrier(Team team, Exchanges exchanges) {
  auto barrier = std::make_unique<PutBarrier>(std::move(team), exchanges);
  co_await barrier->connect();
  co_return std::move(barrier);
}

TaskOf<std::unique_ptr<Barrier>> message_barrier(Team team, Exchanges exchanges) {
  co_return std::make_unique<MessageBarrier>(std::move(team), std::move(exchanges));
}

}  // namespace

TaskOf<std::unique_ptr<Barrier>> exchange_barrier(Team team, Exchanges exchanges, bool puts) {
  return puts ? put_barrier(std::move(team), std::move(exchanges))
              : message_barrier(std::move(team), std::move(exchanges));
}

}  // namespace weft::comm
