// SPDX-License-Identifier: Apache-2.0
// Timers of hosts, which may be far away.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/time.hpp"

namespace weft::sim {

/// One timer per host. A hashed wheel: far timers stay in their bucket until their turn comes.
class Timers {
 public:
  explicit Timers(std::size_t hosts)
      : hosts_(static_cast<std::uint32_t>(hosts)),
        timers_(hosts + size),
        used_(size / 64),
        first_(size, never) {
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
  /// The timer of a host is among others from now on.
  void move(std::uint32_t host, Timers& to) {
    if (is_held(host))
      to.hold(host, held_until(host));
    else
      to.set(host, timers_[host].at);
    cancel(host);
    timers_[host].at = never;
  }
  /// Takes the hosts whose timers are due at `now` into `out`.
  template <class Host>
  void take(Cycle now, std::vector<Host>& out) {
    earliest_ = now + 1;
    const std::size_t word = now / 64 % (size / 64);
    if ((used_[word] >> (now % 64) & 1) == 0) return;
    const std::uint32_t all = bucket(now);
    std::uint32_t i = timers_[all].next;
    timers_[all] = {never, all, all};
    first_[now % size] = never;
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
  }
  /// The cycle of the first timer from `now` on; never without any.
  Cycle next(Cycle now) {
    const std::size_t start = now & (size - 1);
    Cycle far = never;
    for (std::size_t step = 0; step <= used_.size(); ++step) {
      const std::size_t word = (start / 64 + step) % used_.size();
      std::uint64_t bits = used_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (step == used_.size()) bits &= ~(~std::uint64_t{0} << (start % 64));
      for (; bits != 0; bits &= bits - 1) {
        const auto at = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        const Cycle due = now + ((at - start) & (size - 1));
        if (first_[at] <= due && first_in(at) == due) return due;
        far = std::min(far, first_[at]);
      }
    }
    return far == never ? never : first_of_all();
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
    first_[at % size] = std::min(first_[at % size], at);
  }
  /// The first timer of a bucket, which is known anew: those that were there may have gone.
  Cycle first_in(std::size_t at) {
    const std::uint32_t all = hosts_ + static_cast<std::uint32_t>(at);
    first_[at] = never;
    for (std::uint32_t i = timers_[all].next; i != all; i = timers_[i].next)
      first_[at] = std::min(first_[at], timers_[i].at);
    return first_[at];
  }
  Cycle first_of_all() const {
    Cycle out = never;
    for (std::uint32_t host = 0; host < hosts_; ++host)
      if (!is_held(host)) out = std::min(out, timers_[host].at);
    return out;
  }
  void cancel(std::uint32_t host) {
    const HostTimer timer = timers_[host];
    if (timer.at >= held) return;  // it is in no bucket
    timers_[timer.before].next = timer.next;
    timers_[timer.next].before = timer.before;
  }
  Cycle earliest_ = 0;  ///< those before it have been taken
  std::uint32_t hosts_;
  std::vector<HostTimer> timers_;    ///< by host; then by bucket
  std::vector<std::uint64_t> used_;  ///< a bit for each bucket
  std::vector<Cycle> first_;         ///< by bucket: no timer of it is earlier
};

}  // namespace weft::sim
