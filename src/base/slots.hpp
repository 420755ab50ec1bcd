// SPDX-License-Identifier: Apache-2.0
// Slots: items under small numbers that are reused. The slot released last is acquired first, so
// that a run depends only on its earlier calls, and recent items stay in the cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft {

template <class Item>
class Slots {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};

  /// Returns the number of a free slot; its item is as the last user left it. Invalidates
  /// references to items.
  Id acquire() {
    if (free_count_ > 0) return free_[--free_count_];
    items_.emplace_back();
    return grown();
  }
  /// Puts the item into a free slot and returns its number.
  Id insert(Item&& item) {
    if (free_count_ == 0) {
      items_.push_back(std::move(item));
      return grown();
    }
    const Id id = acquire();
    items_[id] = std::move(item);
    return id;
  }
  /// Frees the slot; its item stays until the slot is acquired again. Never allocates.
  void release(Id id) { free_[free_count_++] = id; }
  /// Moves the item out and releases its slot.
  Item extract(Id id) {
    Item item = std::move(items_[id]);
    release(id);
    return item;
  }

  Item& operator[](std::size_t id) { return items_[id]; }
  const Item& operator[](std::size_t id) const { return items_[id]; }

  /// Every number that was ever acquired is smaller.
  std::size_t size() const { return items_.size(); }
  std::size_t in_use() const { return items_.size() - free_count_; }
  /// All slots in the order of their numbers, in use or not.
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  /// Keeps room in free_ for all slots, so that release() never allocates.
  Id grown() {
    free_.resize(items_.size());
    return static_cast<Id>(items_.size() - 1);
  }

  std::vector<Item> items_;
  std::vector<Id> free_;  ///< the first free_count_ of them; there is room for all slots
  std::size_t free_count_ = 0;
};

}  // namespace weft
