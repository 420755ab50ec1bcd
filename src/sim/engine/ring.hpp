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
  explicit Timers(std::size_t hosts) : at_(hosts, never), buckets_(size), used_(size / 64) {}

  void set(std::uint32_t host, Cycle at) {
    at = std::max(at, earliest_);
    if (at_[host] == at) return;
    at_[host] = at;
    none_before_ = std::min(none_before_, at);
    const std::size_t bucket = at & (size - 1);
    append(buckets_[bucket], new_entry({at, host, nobody}));
    used_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
  }
  /// Takes the hosts whose timers are due at `now` into `out`.
  void take(Cycle now, std::vector<std::uint32_t>& out) {
    earliest_ = now + 1;
    const std::size_t bucket = now & (size - 1);
    if ((used_[bucket / 64] >> (bucket % 64) & 1) == 0) return;
    const std::size_t before = out.size();
    Bucket kept;
    for (std::uint32_t i = buckets_[bucket].first, next = nobody; i != nobody; i = next) {
      const Entry entry = entries_[i];
      next = entry.next;
      if (at_[entry.host] == entry.at && entry.at != now) {
        append(kept, i);
        continue;
      }
      entries_[i].next = free_;
      free_ = i;
      if (at_[entry.host] != entry.at) continue;  // set anew since
      at_[entry.host] = never;
      out.push_back(entry.host);
    }
    buckets_[bucket] = kept;
    if (kept.first == nobody) used_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    idle_ = out.size() == before ? idle_ + 1 : 0;
    if (idle_ <= 16 + at_.size() / 16) return;
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
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct Entry {
    Cycle at;
    std::uint32_t host;
    std::uint32_t next;  ///< of the same bucket, or of those not in use
  };
  struct Bucket {
    std::uint32_t first = nobody, last = nobody;
  };
  std::uint32_t new_entry(const Entry& entry) {
    if (free_ == nobody) {
      entries_.push_back(entry);
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t i = std::exchange(free_, entries_[free_].next);
    entries_[i] = entry;
    return i;
  }
  void append(Bucket& bucket, std::uint32_t i) {
    entries_[i].next = nobody;
    (bucket.first == nobody ? bucket.first : entries_[bucket.last].next) = i;
    bucket.last = i;
  }
  Cycle earliest_ = 0;  ///< those before it have been taken
  std::vector<Cycle> at_;
  Cycle none_before_ = 0;
  std::size_t idle_ = 0;  ///< buckets taken in a row without a timer that was due
  std::vector<Entry> entries_;
  std::uint32_t free_ = nobody;
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
    for (std::size_t t = 0; t < top_.size(); ++t)
      for (std::uint64_t left = top_[t]; left != 0; left &= left - 1) {
        const std::size_t w = t * 64 + static_cast<std::size_t>(std::countr_zero(left));
        for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
          const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
          if (!keep(static_cast<std::uint32_t>(w * 64) + bit))
            words_[w] &= ~(std::uint64_t{1} << bit);
        }
        if (words_[w] == 0) top_[t] &= ~(std::uint64_t{1} << (w % 64));
      }
  }

 private:
  std::vector<std::uint64_t> words_, top_;
};

}  // namespace weft::sim
