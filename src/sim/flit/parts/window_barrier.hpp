// SPDX-License-Identifier: Apache-2.0
// WindowBarrier: where threads wait for each other, thousands of times a second: with a core each
// they meet within a fraction of a microsecond, and where cores are few they give way.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

namespace weft::sim {

class WindowBarrier {
 public:
  explicit WindowBarrier(std::uint32_t threads) : threads_(threads), missing_(threads) {}

  /// The last thread to come calls `alone` before all go on, with what that returns: true or false.
  template <class Alone>
  bool meet(Alone alone) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const bool result = alone();
      missing_.store(threads_, std::memory_order_relaxed);
      round_.store((round | 1U) + 1 + (result ? 1 : 0), std::memory_order_release);
      round_.notify_all();
      return result;
    }
    wait_for_end(round);
    return (round_.load(std::memory_order_acquire) & 1U) != 0;  // as no round ends without this one
  }

 private:
  static constexpr int spins = 2'000, yields = 200;
  void wait_for_end(std::uint32_t round) const {
    const auto ended = [&] { return round_.load(std::memory_order_acquire) != round; };
    for (int i = 0; i < spins; ++i) {
      if (ended()) return;
      pause();
    }
    for (int i = 0; i < yields; ++i) {
      if (ended()) return;
      std::this_thread::yield();
    }
    while (!ended()) round_.wait(round);
  }
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> missing_;
  alignas(64) std::atomic<std::uint32_t> round_{
      0};  ///< twice its number, and the result of the last
};

}  // namespace weft::sim
