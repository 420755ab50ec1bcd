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
    if (bucket.end == bucket.limit) grow(bucket, 1);
    *bucket.end++ = item;
  }
  /// Several at once: `fill` puts in `most` of them at the end that it gets, and returns the new
  /// end.
  template <class Fill>
  void push_all(Cycle at, std::size_t most, Fill fill) {
    Bucket& bucket = buckets_[at & mask_];
    if (static_cast<std::size_t>(bucket.limit - bucket.end) < most) grow(bucket, most);
    bucket.end = fill(bucket.end);
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
  [[gnu::noinline]] static void grow(Bucket& bucket, std::size_t more) {
    const auto size = static_cast<std::size_t>(bucket.end - bucket.items.get());
    const std::size_t room = size + std::max(size + 8, more);
    auto items = std::make_unique<Item[]>(room);
    std::copy(bucket.items.get(), bucket.end, items.get());
    bucket.items = std::move(items);
    bucket.end = bucket.items.get() + size;
    bucket.limit = bucket.items.get() + room;
  }
  std::vector<Bucket> buckets_;
  std::size_t mask_;
};

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
  struct Link {
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
    const Link link = links_[host];
    links_[link.before].next = link.next;
    links_[link.next].before = link.before;
  }
  Cycle earliest_ = 0;  ///< those before it have been taken
  std::uint32_t hosts_;
  std::vector<Cycle> at_;    ///< by host
  std::vector<Link> links_;  ///< by host; then by bucket
  Cycle none_before_ = 0;
  std::size_t idle_ = 0;  ///< buckets taken in a row without a timer that was due
  std::vector<std::uint64_t> used_;
};

/// A set of small numbers that is visited in order at a cost that follows its members.
class WorkSet {
 public:
  explicit WorkSet(std::size_t count = 0) : words_(count / 64 + 1), top_(count / 4096 + 1) {}
  void insert(std::uint32_t i) {
    words_[i / 64] |= std::uint64_t{1} << (i % 64);
    top_[i / 4096] |= std::uint64_t{1} << (i / 64 % 64);
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
