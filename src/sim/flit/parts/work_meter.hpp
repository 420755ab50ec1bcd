// SPDX-License-Identifier: Apache-2.0
// WorkMeter: whether the windows of a network have enough work for several threads. Host programs
// may compute for a long time, or wait for a single message: then threads would wait for each other
// longer than they work.
#pragma once
#include <chrono>

#include "sim/time.hpp"

namespace weft::sim {

class WorkMeter {
 public:
  /// Seconds of work in a window, of all parts: with less, threads had better not meet.
  static constexpr double worth_meeting = 20e-6;

  bool is_enough() const { return is_enough_; }
  /// One thread has moved the network for so many cycles more.
  void moved(Cycle cycles, Cycle window) {
    cycles_ += cycles;
    if (cycles_ < interval) return;
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> took = now - since_;
    is_enough_ =
        took.count() * static_cast<double>(window) > worth_meeting * static_cast<double>(cycles_);
    begin(now);
  }
  /// Several threads have, with so much work in a window.
  void met(double work) {
    is_enough_ = 2 * work > worth_meeting;
    begin(Clock::now());
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Cycle interval = 1024;

  void begin(Clock::time_point now) {
    since_ = now;
    cycles_ = 0;
  }

  bool is_enough_ = false;
  Cycle cycles_ = 0;
  Clock::time_point since_ = Clock::now();
};

}  // namespace weft::sim
