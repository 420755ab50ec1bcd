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
      : hosts_(static_cast<std::uint32_t>(hosts)),
        at_(hosts, never),
        links_(hosts + size),
        used_(size / 64) {
    for (std::uint32_t i = hosts_; i < links_.size(); ++i) links_[i] = {i, i};
  }

  void set(std::uint32_t host, Cycle at) {
    at = std::max(at, earliest_);
    if (at_[host] == at) return;
    if (at_[host] != never) remove(host);
    at_[host] = at;
    none_before_ = std::min(none_before_, at);
    append(bucket(at), host);
    used_[at / 64 % (size / 64)] |= std::uint64_t{1} << (at % 64);
  }
  /// Takes the hosts whose timers are due at `now` into `out`.
  template <class Host>
  void take(Cycle now, std::vector<Host>& out) {
    earliest_ = now + 1;
    const std::size_t word = now / 64 % (size / 64);
    if ((used_[word] >> (now % 64) & 1) == 0) return;
    const std::size_t before = out.size();
    const std::uint32_t all = bucket(now);
    std::uint32_t i = links_[all].next;
    links_[all] = {all, all};
    while (i != all) {
      const std::uint32_t next = links_[i].next;
      if (at_[i] == now) {
        at_[i] = never;
        out.push_back(Host(i));
      } else {
        append(all, i);
      }
      i = next;
    }
    if (links_[all].next == all) used_[word] &= ~(std::uint64_t{1} << (now % 64));
    idle_ = out.size() == before ? idle_ + 1 : 0;
    if (idle_ <= 16 + hosts_ / 16) return;
    none_before_ = *std::min_element(at_.begin(), at_.end());
    idle_ = 0;
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
  bool any() const {
    return std::any_of(used_.begin(), used_.end(), [](std::uint64_t w) { return w != 0; });
  }

 private:
  static constexpr std::size_t size = 4096;
  /// Those of a bucket are a ring, with the bucket between the last and the first one.
  struct TimerLink {
    std::uint32_t before = 0, next = 0;
  };
  std::uint32_t bucket(Cycle at) const {
    return hosts_ + static_cast<std::uint32_t>(at & (size - 1));
  }
  void append(std::uint32_t bucket, std::uint32_t host) {
    const std::uint32_t last = links_[bucket].before;
    links_[host] = {last, bucket};
    links_[last].next = links_[bucket].before = host;
  }
  void remove(std::uint32_t host) {
    const TimerLink link = links_[host];
    links_[link.before].next = link.next;
    links_[link.next].before = link.before;
  }
  Cycle earliest_ = 0;  ///< those before it have been taken
  std::uint32_t hosts_;
  std::vector<Cycle> at_;         ///< by host
  std::vector<TimerLink> links_;  ///< by host; then by bucket
  Cycle none_before_ = 0;
  std::size_t idle_ = 0;  ///< buckets taken in a row without a timer that was due
  std::vector<std::uint64_t> used_;
};

}  // namespace weft::sim
