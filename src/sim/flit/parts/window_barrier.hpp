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

  /// The last thread to come calls `alone` before all go on.
  template <class Alone>
  void meet(Alone alone) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      alone();
      missing_.store(threads_, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int i = 0; i < spins; ++i) {
      if (round_.load(std::memory_order_acquire) != round) return;
      pause();
    }
    for (int i = 0; i < yields; ++i) {
      if (round_.load(std::memory_order_acquire) != round) return;
      std::this_thread::yield();
    }
    while (round_.load(std::memory_order_acquire) == round) round_.wait(round);
  }

 private:
  static constexpr int spins = 2'000, yields = 200;
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> missing_;
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

}  // namespace weft::sim
