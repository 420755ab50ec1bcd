// SPDX-License-Identifier: Apache-2.0
// notify: one-sided writes there and back. Their target learns of them by a special value that it
// polls for, by immediate data that consume a receive descriptor, or by an interrupt; the memory is
// registered once, or anew for every write, and then its address has to be sent first (Gupta et
// al., 2002, section 4).
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/two_ranks.hpp"

namespace weft {
namespace {

constexpr comm::Tag notify_address = 1;

struct NotifyPlan {
  TwoRanks ranks;
  enum By : std::size_t { value, immediate, interrupt } by;
  Duration time;  ///< of an interrupt
  bool always;    ///< registered for every write
};

/// One of the two ranks, with the memory that the other writes to.
class NotifyRank {
 public:
  NotifyRank(comm::Endpoint& ep, const NotifyPlan& plan)
      : ep_(ep),
        plan_(plan),
        peer_(ep.rank() == plan.ranks.from ? plan.ranks.to : plan.ranks.from),
        data_(plan.ranks.bytes),
        memory_(plan.ranks.bytes) {}
  comm::Pool& frames() { return ep_.frames(); }

  comm::Task run() {
    post_notice();
    co_await send_address();
    co_await receive_address();
    const std::size_t warmup = plan_.ranks.warmup;
    for (std::size_t i = 0; i < warmup || plan_.ranks.laps.goes_on(i - warmup); ++i) {
      const comm::Time before = ep_.now();
      if (ep_.rank() == plan_.ranks.from) {
        co_await write(i);
        co_await await_write(i);
        if (i >= warmup) plan_.ranks.laps.add(ep_.rank(), i - warmup, ep_.now() - before);
      } else {
        co_await await_write(i);
        co_await write(i);
      }
    }
  }

 private:
  comm::Task send_address() {
    region_ = {};
    region_ = ep_.expose(memory_);
    mine_ = region_.slice();
    co_await ep_.send(peer_, notify_address, comm::bytes_of(mine_));
  }
  comm::Task receive_address() {
    co_await ep_.recv(peer_, notify_address, comm::writable_bytes_of(there_));
  }

  comm::Task write(std::size_t i) {
    const auto number = static_cast<std::uint8_t>(i + 1);
    if (plan_.always && i > 0) co_await receive_address();
    if (comm::Op* const before = put_.get()) co_await *before;
    data_.back() = static_cast<std::byte>(number);
    put_.make([&] {
      return plan_.by == NotifyPlan::value ? ep_.put(peer_, there_, data_)
                                           : ep_.put(peer_, there_, data_, comm::Immediate{number});
    });
    post_notice();
  }
  /// Posts the descriptor for the next write before that can arrive.
  void post_notice() {
    if (plan_.by == NotifyPlan::value) return;
    comm::Op* const posted = notice_.get();
    if (posted == nullptr || posted->done()) notice_.make([&] { return ep_.notice(peer_); });
  }
  comm::Task await_write(std::size_t i) {
    const auto number = static_cast<std::uint8_t>(i + 1);
    if (plan_.always && i > 0) co_await send_address();
    if (plan_.by == NotifyPlan::value) {
      const auto& last = reinterpret_cast<const std::uint8_t&>(memory_.back());
      co_await ep_.until(last, comm::at_least(number));
      co_return;
    }
    const comm::Result result = co_await *notice_.get();
    if (!result.ok()) throw Error("notify: {}", to_text(result.status));
    if (plan_.by == NotifyPlan::interrupt) co_await ep_.spend(plan_.time);
  }

  comm::Endpoint& ep_;
  const NotifyPlan& plan_;
  comm::Rank peer_;
  std::vector<std::byte> data_, memory_;
  comm::Region region_{};
  comm::RemoteSlice mine_{}, there_{};
  comm::LastOp put_{}, notice_{};
};

comm::Task run_notify(comm::Endpoint& ep, const NotifyPlan& plan) {
  if (ep.rank() != plan.ranks.from && ep.rank() != plan.ranks.to) co_return;
  NotifyRank rank(ep, plan);
  co_await rank.run();
}

std::vector<Figure> notify_figures(const Params&, const Laps& laps) {
  return {{"one_way", microseconds_of(laps.all().mean / 2), "us"}};
}

}  // namespace

std::vector<Param> notify_params() {
  return {{"bytes",
           BytesText{.least = Bytes{1},
                     .most = most_data,
                     .below = "a special value takes a byte or more",
                     .plain = true},
           "1B", "of data, the last of which is the special value"},
          steady_iterations_param,
          warmup_param(),
          {"from", any_rank, "0", "the rank that begins"},
          {"to", any_rank, "1", "the rank that answers"},
          {"by", OneOf{"value", "immediate", "interrupt"}, "value",
           "value: memory is polled; immediate: a receive descriptor; interrupt"},
          {"interrupt", DurationText{}, "15us",
           "interrupt: the processor's time until the program runs"},
          {"registration", OneOf{"once", "always"}, "once",
           "once, or always: before every write, and the address is sent"}};
}

Prepared notify_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const NotifyPlan plan{TwoRanks(params, setting, laps), params.choice<NotifyPlan::By>("by"),
                        params.duration("interrupt"), params.is("registration", "always")};
  expect_iterations(params, laps);
  return {[plan](comm::Endpoint& ep) { return run_notify(ep, plan); }, {}, notify_figures};
}

}  // namespace weft
