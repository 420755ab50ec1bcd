// SPDX-License-Identifier: Apache-2.0
// DelayLine: what arrives some cycles after it was sent, by cycle and by block of switches.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sim/time.hpp"

namespace weft::sim {

/// Items due within a bounded number of cycles. Those of one cycle and block are handed out
/// together, in the order in which they were pushed.
template <class Item>
class DelayLine {
 public:
  /// For delays up to `longest`.
  explicit DelayLine(Cycle longest = 0, std::size_t blocks = 1)
      : blocks_(blocks),
        block_bits_(static_cast<unsigned>(std::bit_width(blocks - 1))),
        mask_(std::bit_ceil(static_cast<std::size_t>(longest) + 2) - 1),
        end_((mask_ + 1) << block_bits_),
        limit_(end_.size()),
        items_(end_.size()) {}

  /// Room for an item that is due at a cycle, in a block; the caller fills it.
  [[gnu::always_inline]] Item& push(Cycle at, std::size_t block) {
    const std::size_t i = (at & mask_) << block_bits_ | block;
    if (end_[i] == limit_[i]) [[unlikely]]
      grow(i);
    return *end_[i]++;
  }
  [[gnu::always_inline]] void push(Cycle at, std::size_t block, const Item& item) {
    push(at, block) = item;
  }
  /// Visits and removes the items due at `now`; nothing may be pushed for `now` meanwhile. Calls
  /// `prefetch` for an item some places before it is visited.
  template <class Visit, class Prefetch>
  void take(Cycle now, std::size_t block, Visit visit, Prefetch prefetch) {
    constexpr std::ptrdiff_t ahead = 10;
    const std::size_t i = (now & mask_) << block_bits_ | block;
    Item* const begin = items_[i].get();
    Item* const end = end_[i];
    if (begin == end) return;
    for (Item* item = begin; item != end && item != begin + ahead; ++item) prefetch(*item);
    for (Item* item = begin; item != end; ++item) {
      if (end - item > ahead) prefetch(item[ahead]);
      visit(*item);
    }
    end_[i] = begin;
  }
  template <class Visit>
  void take(Cycle now, std::size_t block, Visit visit) {
    take(now, block, visit, [](const Item&) {});
  }
  /// Visits all items with the cycles they are due at, from `now` on, and removes them.
  template <class Visit>
  void take_all(Cycle now, Visit visit) {
    for_each(now, visit);
    for (std::size_t i = 0; i < end_.size(); ++i) end_[i] = items_[i].get();
  }
  bool any_at(Cycle at) const {
    const std::size_t first = (at & mask_) << block_bits_;
    for (std::size_t i = first; i < first + blocks_; ++i)
      if (end_[i] != items_[i].get()) return true;
    return false;
  }
  /// The first cycle from `now` on with items; never without any.
  Cycle next(Cycle now) const {
    for (Cycle at = now; at <= now + mask_; ++at)
      if (any_at(at)) return at;
    return never;
  }
  /// Visits all items with the cycles they are due at, from `now` on; they stay.
  template <class Visit>
  void for_each(Cycle now, Visit visit) const {
    for (Cycle at = now; at <= now + mask_; ++at)
      for (std::size_t block = 0; block < blocks_; ++block) {
        const std::size_t i = (at & mask_) << block_bits_ | block;
        for (const Item* item = items_[i].get(); item != end_[i]; ++item) visit(at, *item);
      }
  }

 private:
  [[gnu::noinline]] void grow(std::size_t i) {
    const auto size = static_cast<std::size_t>(end_[i] - items_[i].get());
    const std::size_t room = 2 * size + 16;
    auto items = std::make_unique_for_overwrite<Item[]>(room);
    std::copy(items_[i].get(), end_[i], items.get());
    items_[i] = std::move(items);
    end_[i] = items_[i].get() + size;
    limit_[i] = items_[i].get() + room;
  }
  std::size_t blocks_;
  unsigned block_bits_;
  std::size_t mask_;
  // By cycle and block. (Apart, so that no load covers an end that was just written and more.)
  std::vector<Item*> end_, limit_;
  std::vector<std::unique_ptr<Item[]>> items_;
};

}  // namespace weft::sim
