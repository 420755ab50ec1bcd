// SPDX-License-Identifier: Apache-2.0
// DelayLine: what arrives some cycles after it was sent, by cycle and by block of switches.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/time.hpp"

namespace weft::sim {

/// Items due within a bounded number of cycles. Those of one cycle and block are handed out
/// together, in the order in which they were pushed.
template <class Item>
class DelayLine {
 public:
  using Due = Item;
  /// For delays up to `longest`.
  explicit DelayLine(Cycle longest = 0, std::size_t blocks = 1)
      : blocks_(blocks),
        mask_(std::bit_ceil(static_cast<std::size_t>(longest) + 2) - 1),
        words_(blocks / 64 + 1),
        used_((mask_ + 1) * words_),
        filled_(mask_ / 64 + 1),
        end_((mask_ + 1) * blocks),
        limit_(end_.size()),
        lists_(end_.size()) {}

  /// Room for an item that is due at a cycle, in a block; the caller fills it.
  [[gnu::always_inline]] Item& push(Cycle at, std::size_t block) {
    const std::size_t i = list_of(at, block);
    if (end_[i] == limit_[i]) [[unlikely]] {
      mark(at & mask_, block);
      if (end_[i] == lists_[i].limit) grow(i);
      limit_[i] = lists_[i].limit;
    }
    return *end_[i]++;
  }
  [[gnu::always_inline]] void push(Cycle at, std::size_t block, const Item& item) {
    push(at, block) = item;
  }
  /// Visits and removes the items due at `now`; nothing may be pushed for `now` meanwhile. Calls
  /// `prefetch` for an item some places before it is visited. Items in the lines of other parts
  /// come after its own; they stay there.
  template <class Visit, class Prefetch>
  void take(Cycle now, std::size_t block, Visit visit, Prefetch prefetch) {
    const std::size_t i = list_of(now, block);
    if (end_[i] != lists_[i].items.get()) {
      visit_list(i, visit, prefetch);
      set_unused(now, block);
      empty(i);
    }
    if (block < shared_blocks_) [[unlikely]]
      take_from_others(i, visit, prefetch);
  }
  template <class Visit>
  void take(Cycle now, std::size_t block, Visit visit) {
    take(now, block, visit, [](const Item&) {});
  }
  /// Takes the item that is due at `now`, if there is one and no other.
  std::optional<Item> take_only(Cycle now, std::size_t block) {
    const std::size_t i = list_of(now, block);
    const Item* const first = lists_[i].items.get();
    if (end_[i] != first + 1) return std::nullopt;
    const Item item = *first;
    set_unused(now, block);
    empty(i);
    return item;
  }
  /// Visits all items with the cycles they are due at, from `now` on, and removes them.
  template <class Visit>
  void take_all(Cycle now, Visit visit) {
    for_each(now, visit);
    for (std::size_t i = 0; i < end_.size(); ++i) empty(i);
    std::fill(used_.begin(), used_.end(), 0);
  }
  /// From now on the items of other parts' lines, which are like this one, are handed out, too, but
  /// for those of blocks from `blocks` on (each part has NICs of its own). Their owners forget them
  /// when that has been done.
  void join(std::vector<const DelayLine*> others, std::size_t blocks) {
    others_ = std::move(others);
    shared_blocks_ = others_.empty() ? 0 : blocks;
  }
  /// Of 64 blocks, from 64 * word on: the items that are due at a cycle.
  void forget(Cycle at, std::size_t word, std::uint64_t blocks) {
    if (word >= words_) return;
    std::uint64_t& used = used_[(at & mask_) * words_ + word];
    for (std::uint64_t left = used & blocks; left != 0; left &= left - 1)
      empty(list_of(at, word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
    used &= ~blocks;
  }
  /// Which of 64 blocks, from 64 * word on, have items due at a cycle.
  std::uint64_t due(Cycle at, std::size_t word) const {
    return word < words_ ? used_[(at & mask_) * words_ + word] : 0;
  }
  /// The same, those of other parts among them.
  std::uint64_t all_due(Cycle at, std::size_t word) const {
    std::uint64_t out = due(at, word);
    for (const DelayLine* other : others_) out |= other->due_elsewhere(at, word);
    return out;
  }
  bool any_at(Cycle at) const {
    for (std::size_t word = 0; word < words_; ++word)
      if (due(at, word) != 0) return true;
    return false;
  }
  /// The first cycle from `now` on with items; never without any.
  Cycle next(Cycle now) {
    const std::size_t group = std::min<std::size_t>(64, mask_ + 1);
    for (Cycle at = now; at <= now + mask_;) {
      const std::size_t place = (at & mask_) % group;
      std::uint64_t& word = filled_[(at & mask_) / 64];
      const std::uint64_t rest = word >> place;
      if (rest == 0) {
        at += group - place;
      } else if (const auto skip = static_cast<Cycle>(std::countr_zero(rest)); skip > 0) {
        at += skip;
      } else {
        if (any_at(at)) return at;
        word &= ~(std::uint64_t{1} << place);  // all was taken
        ++at;
      }
    }
    return never;
  }
  /// Visits all items with the cycles they are due at, from `now` on; they stay.
  template <class Visit>
  void for_each(Cycle now, Visit visit) const {
    for (Cycle at = now; at <= now + mask_; ++at)
      for (std::size_t block = 0; block < blocks_; ++block) {
        const std::size_t i = list_of(at, block);
        for (const Item* item = lists_[i].items.get(); item != end_[i]; ++item) visit(at, *item);
      }
  }

 private:
  struct ItemList {
    std::unique_ptr<Item[]> items;
    Item* limit = nullptr;
  };
  std::size_t list_of(Cycle at, std::size_t block) const { return (at & mask_) * blocks_ + block; }
  template <class Visit, class Prefetch>
  [[gnu::always_inline]] void visit_list(std::size_t i, Visit& visit, Prefetch& prefetch) const {
    constexpr std::ptrdiff_t ahead = 10;
    const Item* const begin = lists_[i].items.get();
    const Item* const end = end_[i];
    for (const Item* item = begin; item != end && item != begin + ahead; ++item) prefetch(*item);
    for (const Item* item = begin; item != end; ++item) {
      if (end - item > ahead) prefetch(item[ahead]);
      visit(*item);
    }
  }
  // (By itself, so that nothing of it is in the loops of a network without parts.)
  template <class Visit, class Prefetch>
  [[gnu::noinline]] void take_from_others(std::size_t i, Visit& visit, Prefetch& prefetch) const {
    for (const DelayLine* other : others_) other->visit_list(i, visit, prefetch);
  }
  // Bits of other parts' blocks may be read meanwhile, in the same word.
  void set_unused(Cycle at, std::size_t block) {
    std::uint64_t& used = used_[(at & mask_) * words_ + block / 64];
    __atomic_store_n(&used, used & ~(std::uint64_t{1} << block % 64), __ATOMIC_RELAXED);
  }
  std::uint64_t due_elsewhere(Cycle at, std::size_t word) const {
    return word < words_ ? __atomic_load_n(&used_[(at & mask_) * words_ + word], __ATOMIC_RELAXED)
                         : 0;
  }
  /// An empty list has no room: with its first item, it is marked.
  void empty(std::size_t i) { end_[i] = limit_[i] = lists_[i].items.get(); }
  void mark(std::size_t cycle, std::size_t block) {
    std::uint64_t& used = used_[cycle * words_ + block / 64];
    __atomic_store_n(&used, used | std::uint64_t{1} << block % 64, __ATOMIC_RELAXED);
    filled_[cycle / 64] |= std::uint64_t{1} << cycle % 64;
  }
  [[gnu::noinline]] void grow(std::size_t i) {
    ItemList& list = lists_[i];
    const auto size = static_cast<std::size_t>(list.limit - list.items.get());
    const std::size_t room = 2 * size + 16;
    auto items = std::make_unique_for_overwrite<Item[]>(room);
    std::copy(list.items.get(), end_[i], items.get());
    list.items = std::move(items);
    list.limit = list.items.get() + room;
    end_[i] = list.items.get() + size;
  }
  std::size_t blocks_;
  std::size_t mask_, words_;
  std::vector<std::uint64_t> used_;  ///< by cycle: a bit for each block that has items
  /// A bit for each cycle that has items, or had some since next() last looked there.
  std::vector<std::uint64_t> filled_;
  // By cycle and block. (Apart, so that no load covers an end that was just written and more.)
  std::vector<Item*> end_, limit_;
  std::vector<ItemList> lists_;
  std::vector<const DelayLine*> others_;
  std::size_t shared_blocks_ = 0;
};

}  // namespace weft::sim
