// SPDX-License-Identifier: Apache-2.0
// Things that happen soon: a ring with one bucket per cycle, and timers that may be far away.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/time.hpp"

namespace weft::sim {

/// Items due within a bounded number of cycles, handed out in the order they were put in.
template <class Item>
class Ring {
 public:
  /// For delays up to `longest`.
  explicit Ring(Cycle longest = 0)
      : buckets_(std::bit_ceil(static_cast<std::size_t>(longest) + 2)),
        mask_(buckets_.size() - 1) {}

  void push(Cycle at, Item item) {
    Bucket& bucket = buckets_[at & mask_];
    if (bucket.end == bucket.limit) grow(bucket);
    *bucket.end++ = item;
  }
  /// Visits and removes the items due at `now`; nothing may be pushed for `now` meanwhile.
  template <class Visit>
  void take(Cycle now, Visit visit) {
    Bucket& bucket = buckets_[now & mask_];
    Item* const begin = bucket.items.get();
    for (Item* item = begin; item != bucket.end; ++item) visit(*item);
    bucket.end = begin;
  }
  /// Visits the items due at a cycle, which stay.
  template <class Visit>
  void look(Cycle at, Visit visit) const {
    const Bucket& bucket = buckets_[at & mask_];
    for (const Item* item = bucket.items.get(); item != bucket.end; ++item) visit(*item);
  }
  /// The first cycle from `now` on with items; never without any.
  Cycle next(Cycle now) const {
    for (Cycle at = now; at < now + buckets_.size(); ++at)
      if (const Bucket& bucket = buckets_[at & mask_]; bucket.end != bucket.items.get()) return at;
    return never;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Bucket& bucket : buckets_)
      for (const Item* item = bucket.items.get(); item != bucket.end; ++item) visit(*item);
  }

 private:
  struct alignas(32) Bucket {
    Item* end = nullptr;
    Item* limit = nullptr;
    std::unique_ptr<Item[]> items{};
  };
  static void grow(Bucket& bucket) {
    const auto size = static_cast<std::size_t>(bucket.end - bucket.items.get());
    auto items = std::make_unique<Item[]>(size * 2 + 8);
    std::copy(bucket.items.get(), bucket.end, items.get());
    bucket.items = std::move(items);
    bucket.end = bucket.items.get() + size;
    bucket.limit = bucket.items.get() + size * 2 + 8;
  }
  std::vector<Bucket> buckets_;
  std::size_t mask_;
};

/// One timer per host. A hashed wheel: far timers stay in their bucket until their turn comes. When
/// bucket after bucket holds only such, the earliest timer of all is looked for instead.
class Timers {
 public:
  explicit Timers(std::size_t hosts) : timers_(hosts), buckets_(size), used_(size / 64) {}

  void set(std::uint32_t host, Cycle at) {
    at = std::max(at, earliest_);
    Timer& timer = timers_[host];
    if (timer.at == at) return;
    if (timer.at != never) remove(timer);
    timer.at = at;
    none_before_ = std::min(none_before_, at);
    append(buckets_[at & (size - 1)], host);
    used_[at / 64 % (size / 64)] |= std::uint64_t{1} << (at % 64);
  }
  /// Takes the hosts whose timers are due at `now` into `out`.
  void take(Cycle now, std::vector<std::uint32_t>& out) {
    earliest_ = now + 1;
    const std::size_t bucket = now & (size - 1);
    if ((used_[bucket / 64] >> (bucket % 64) & 1) == 0) return;
    const std::size_t before = out.size();
    Bucket kept;
    for (std::uint32_t i = buckets_[bucket].first, next = nobody; i != nobody; i = next) {
      next = timers_[i].next;
      if (timers_[i].at != now) {
        append(kept, i);
        continue;
      }
      timers_[i].at = never;
      out.push_back(i);
    }
    buckets_[bucket] = kept;
    if (kept.first == nobody) used_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    idle_ = out.size() == before ? idle_ + 1 : 0;
    if (idle_ <= 16 + timers_.size() / 16) return;
    none_before_ =
        std::min_element(timers_.begin(), timers_.end(), [](const Timer& a, const Timer& b) {
          return a.at < b.at;
        })->at;
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
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  /// Of a host; those of a bucket are linked in the order in which they were set.
  struct Timer {
    Cycle at = never;
    std::uint32_t before = nobody, next = nobody;
  };
  struct Bucket {
    std::uint32_t first = nobody, last = nobody;
  };
  void append(Bucket& bucket, std::uint32_t host) {
    timers_[host].before = bucket.last;
    timers_[host].next = nobody;
    (bucket.last == nobody ? bucket.first : timers_[bucket.last].next) = host;
    bucket.last = host;
  }
  void remove(const Timer& timer) {
    Bucket& bucket = buckets_[timer.at & (size - 1)];
    (timer.before == nobody ? bucket.first : timers_[timer.before].next) = timer.next;
    (timer.next == nobody ? bucket.last : timers_[timer.next].before) = timer.before;
  }
  Cycle earliest_ = 0;  ///< those before it have been taken
  std::vector<Timer> timers_;
  Cycle none_before_ = 0;
  std::size_t idle_ = 0;  ///< buckets taken in a row without a timer that was due
  std::vector<Bucket> buckets_;
  std::vector<std::uint64_t> used_;
};

/// A set of small numbers that is visited in order at a cost that follows its members.
class WorkSet {
 public:
  explicit WorkSet(std::size_t count = 0) : words_(count / 64 + 1), top_(count / 4096 + 1) {}
  void insert(std::uint32_t i) {
    std::uint64_t& word = words_[i / 64];
    if (word == 0) top_[i / 4096] |= std::uint64_t{1} << (i / 64 % 64);
    word |= std::uint64_t{1} << (i % 64);
  }
  bool contains(std::uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  bool empty() const {
    return std::all_of(top_.begin(), top_.end(), [](std::uint64_t w) { return w == 0; });
  }
  /// Visits the members; those for which `keep` returns false leave. What it inserts is visited
  /// the next time.
  template <class Keep>
  void filter(Keep keep) {
    filter_words([&keep](std::uint32_t first, std::uint64_t members) {
      std::uint64_t kept = members;
      for (std::uint64_t bits = members; bits != 0; bits &= bits - 1)
        if (!keep(first + static_cast<std::uint32_t>(std::countr_zero(bits))))
          kept &= ~(bits & (~bits + 1));
      return kept;
    });
  }
  /// The same for 64 at a time: `keep(first, members)` has a bit for each from the first one on.
  template <class Keep>
  void filter_words(Keep keep) {
    for (std::size_t t = 0; t < top_.size(); ++t)
      for (std::uint64_t left = top_[t]; left != 0; left &= left - 1) {
        const std::size_t w = t * 64 + static_cast<std::size_t>(std::countr_zero(left));
        const std::uint64_t members = words_[w];
        const std::uint64_t kept = keep(static_cast<std::uint32_t>(w * 64), members);
        words_[w] &= ~(members & ~kept);
        if (words_[w] == 0) top_[t] &= ~(std::uint64_t{1} << (w % 64));
      }
  }

 private:
  std::vector<std::uint64_t> words_, top_;
};

}  // namespace weft::sim
