// SPDX-License-Identifier: Apache-2.0
// Kernel: events in whole picoseconds. Events of the same time happen in the order in which they
// were set. An event is a handler and a number it understands: nothing is allocated for it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"

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
  std::size_t pending() const { return heap_.size(); }
  std::uint64_t fired() const { return fired_; }
  /// The time of the earliest event; never when there is none.
  Duration next() const { return heap_.empty() ? never : Duration(heap_.front().at); }

  /// Calls handler.fire(what) at a time that is not past.
  void at(Duration time, Handler& handler, std::uint64_t what) {
    // Sums of times that overflow are negative.
    if (time < Duration{0})
      throw Error("times of hosts add up to more than 106 days, which is the most");
    invariant(time >= now_, "an event is set for the past");
    heap_.emplace_back();
    up(heap_.size() - 1, {time.count(), set_++, &handler, what});
  }
  /// Fires the earliest event; there is one.
  void step() {
    const Event event = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) down(last);
    now_ = Duration(event.at);
    ++fired_;
    event.handler->fire(event.what);
  }
  /// Advances the clock without an event.
  void advance(Duration to) {
    if (to > now_) now_ = to;
  }

 private:
  struct Event {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    Handler* handler = nullptr;
    std::uint64_t what = 0;
  };
  static bool before(const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.number < b.number;
  }
  // A heap with four children a node: half as deep as with two.
  void up(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = event;
  }
  void down(const Event& event) {
    const std::size_t size = heap_.size();
    std::size_t place = 0;
    for (std::size_t child; (child = 4 * place + 1) < size;) {
      const std::size_t end = child + 4 < size ? child + 4 : size;
      std::size_t least = child;
      for (++child; child < end; ++child)
        if (before(heap_[child], heap_[least])) least = child;
      if (!before(heap_[least], event)) break;
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = event;
  }

  std::vector<Event> heap_;
  Duration now_{0};
  std::uint64_t set_ = 0, fired_ = 0;
};

}  // namespace weft::sim
