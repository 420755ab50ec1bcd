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
/// bucket after bucket holds only such, the earliest timer of all is looked for instead. A timer
/// that was replaced stays in its bucket, too, and counts no more.
class Timers {
 public:
  explicit Timers(std::size_t hosts) : at_(hosts, never), buckets_(size), used_(size / 64) {}

  void set(std::uint32_t host, Cycle at) {
    at = std::max(at, earliest_);
    if (at_[host] == at) return;
    at_[host] = at;
    none_before_ = std::min(none_before_, at);
    buckets_[at % size].push_back(host);
    used_[at / 64 % (size / 64)] |= std::uint64_t{1} << (at % 64);
  }
  /// Sets it when release() is called.
  void hold(std::uint32_t host, Cycle at) { at_[host] = at | held; }
  void release(std::uint32_t host) {
    if (is_held(host)) set(host, at_[host] & ~held);
  }
  /// Cancels a timer that is held and due; returns whether it did.
  bool take_held(std::uint32_t host, Cycle now) {
    if (!is_held(host) || (at_[host] & ~held) > now) return false;
    at_[host] = never;
    return true;
  }
  /// Takes the hosts whose timers are due at `now` into `out`.
  template <class Host>
  void take(Cycle now, std::vector<Host>& out) {
    earliest_ = now + 1;
    const std::size_t word = now / 64 % (size / 64);
    if ((used_[word] >> (now % 64) & 1) == 0) return;
    const std::size_t before = out.size();
    std::vector<std::uint32_t>& bucket = buckets_[now % size];
    std::size_t later = 0;
    for (const std::uint32_t host : bucket) {
      const Cycle at = at_[host];
      if (at == now) {
        at_[host] = never;
        out.push_back(Host(host));
      } else if (at < held && at % size == now % size) {
        bucket[later++] = host;
      }
    }
    bucket.resize(later);
    if (later == 0) used_[word] &= ~(std::uint64_t{1} << (now % 64));
    idle_ = out.size() == before ? idle_ + 1 : 0;
    if (idle_ <= 16 + at_.size() / 16) return;
    idle_ = 0;
    none_before_ = *std::min_element(at_.begin(), at_.end());
    if (none_before_ >= held) none_before_ = never;
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
  static constexpr Cycle held = Cycle{1} << 63;  ///< a flag of at_
  bool is_held(std::uint32_t host) const { return at_[host] >= held && at_[host] != never; }
  Cycle earliest_ = 0;     ///< those before it have been taken
  std::vector<Cycle> at_;  ///< by host
  std::vector<std::vector<std::uint32_t>> buckets_;
  Cycle none_before_ = 0;
  std::size_t idle_ = 0;  ///< buckets taken in a row without a timer that was due
  std::vector<std::uint64_t> used_;
};

}  // namespace weft::sim
