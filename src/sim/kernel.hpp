// SPDX-License-Identifier: Apache-2.0
// Kernel: events in whole picoseconds. Events of the same time happen in the order in which they
// were set. An event is a handler and a number it understands: nothing is allocated for it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "base/units.hpp"
#include "sim/event_queue.hpp"

namespace weft::sim {

class Kernel {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void fire(std::uint64_t what) = 0;
  };
  static constexpr Duration never = Duration::max();

  Duration now() const { return now_; }
  std::uint64_t pending() const { return set_ - fired_; }
  std::uint64_t fired() const { return fired_; }
  /// The time of the earliest event; never when there is none.
  Duration next() { return pending() == 0 ? never : Duration(queue_.next()); }

  /// Calls handler.fire(what) at a time that is not past.
  void at(Duration time, Handler& handler, std::uint64_t what) {
    if (time < now_) reject(time);
    queue_.push(now_.count(), {time.count(), set_++, &handler, what});
  }
  /// Fires the earliest event, unless it is after `limit` or there is none. Returns whether.
  bool step(Duration limit = never) {
    const Event* const event = queue_.pop(limit.count());
    if (event == nullptr) return false;
    now_ = Duration(event->at);
    ++fired_;
    event->handler->fire(event->what);
    return true;
  }
  /// Advances the clock without an event.
  void advance(Duration to) {
    if (to > now_) now_ = to;
  }

 private:
  /// Sums of times that overflow are negative.
  [[noreturn, gnu::noinline]] static void reject(Duration time) {
    invariant(time < Duration{0}, "an event is set for the past");
    throw Error("times of hosts add up to more than 106 days, which is the most");
  }
  struct Event {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    Handler* handler = nullptr;
    std::uint64_t what = 0;
    bool before(const Event& other) const {
      return at != other.at ? at < other.at : number < other.number;
    }
  };
  EventQueue<Event, 11> queue_;  ///< in buckets of 2 ns
  Duration now_{0};
  std::uint64_t set_ = 0, fired_ = 0;
};

}  // namespace weft::sim
