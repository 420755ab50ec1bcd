// SPDX-License-Identifier: Apache-2.0
// Timers of hosts, which may be far away.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/time.hpp"

namespace weft::sim {

/// One timer per host. A hashed wheel: far timers stay in their bucket until their turn comes. When
/// bucket after bucket holds only such, the earliest timer of all is looked for instead.
class Timers {
 public:
  explicit Timers(std::size_t hosts)
      : hosts_(static_cast<std::uint32_t>(hosts)), timers_(hosts + size), used_(size / 64) {
    for (std::uint32_t i = hosts_; i < timers_.size(); ++i) timers_[i] = {never, i, i};
  }

  /// `never` cancels it.
  void set(std::uint32_t host, Cycle at) {
    at = std::max(at, earliest_);
    if (timers_[host].at == at) return;
    cancel(host);
    if (at >= held) {
      timers_[host].at = never;
      return;
    }
    none_before_ = std::min(none_before_, at);
    append(host, at);
    used_[at / 64 % (size / 64)] |= std::uint64_t{1} << (at % 64);
  }
  /// Sets it when release() is called.
  void hold(std::uint32_t host, Cycle at) {
    cancel(host);
    timers_[host] = {at | held, host, host};
  }
  void release(std::uint32_t host) {
    if (is_held(host)) set(host, timers_[host].at & ~held);
  }
  /// The cycle of a timer that is held; never if it is not.
  Cycle held_until(std::uint32_t host) const {
    return is_held(host) ? timers_[host].at & ~held : never;
  }
  /// Takes the hosts whose timers are due at `now` into `out`.
  template <class Host>
  void take(Cycle now, std::vector<Host>& out) {
    earliest_ = now + 1;
    const std::size_t word = now / 64 % (size / 64);
    if ((used_[word] >> (now % 64) & 1) == 0) return;
    const std::size_t before = out.size();
    const std::uint32_t all = bucket(now);
    std::uint32_t i = timers_[all].next;
    timers_[all] = {never, all, all};
    while (i != all) {
      HostTimer& timer = timers_[i];
      const std::uint32_t next = timer.next;
      if (timer.at == now) {
        timer.at = never;
        out.push_back(Host(i));
      } else {
        append(i, timer.at);
      }
      i = next;
    }
    if (timers_[all].next == all) used_[word] &= ~(std::uint64_t{1} << (now % 64));
    idle_ = out.size() == before ? idle_ + 1 : 0;
    if (idle_ <= 16 + hosts_ / 16) return;
    idle_ = 0;
    none_before_ = never;
    for (std::uint32_t host = 0; host < hosts_; ++host)
      if (!is_held(host)) none_before_ = std::min(none_before_, timers_[host].at);
  }
  /// A cycle from `now` on that no timer precedes (far timers may not be due yet); never if none.
  Cycle next(Cycle now) const {
    const std::size_t start = now & (size - 1);
    for (std::size_t step = 0; step <= used_.size(); ++step) {
      const std::size_t word = (start / 64 + step) % used_.size();
      std::uint64_t bits = used_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (bits == 0) continue;
      const auto bucket = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return std::max(none_before_, now + ((bucket - start) & (size - 1)));
    }
    return never;
  }

 private:
  static constexpr std::size_t size = 4096;
  static constexpr Cycle held = Cycle{1} << 63;  ///< a flag of HostTimer::at
  struct HostTimer {
    Cycle at = never;
    std::uint32_t before = 0, next = 0;  ///< those of a bucket are a ring with the bucket in it
  };
  bool is_held(std::uint32_t host) const {
    return timers_[host].at >= held && timers_[host].at != never;
  }
  std::uint32_t bucket(Cycle at) const { return hosts_ + static_cast<std::uint32_t>(at % size); }
  void append(std::uint32_t host, Cycle at) {
    const std::uint32_t own = bucket(at), last = timers_[own].before;
    timers_[host] = {at, last, own};
    timers_[last].next = timers_[own].before = host;
  }
  void cancel(std::uint32_t host) {
    const HostTimer timer = timers_[host];
    if (timer.at >= held) return;  // it is in no bucket
    timers_[timer.before].next = timer.next;
    timers_[timer.next].before = timer.before;
  }
  Cycle earliest_ = 0;  ///< those before it have been taken
  std::uint32_t hosts_;
  std::vector<HostTimer> timers_;  ///< by host; then by bucket
  Cycle none_before_ = 0;
  std::size_t idle_ = 0;  ///< buckets taken in a row without a timer that was due
  std::vector<std::uint64_t> used_;
};

}  // namespace weft::sim
