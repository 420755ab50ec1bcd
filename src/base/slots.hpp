// SPDX-License-Identifier: Apache-2.0
// Slots: items under small numbers, which are used again once their items are gone. The slot that
// was released last is acquired first, so that a run depends on nothing but what was asked before,
// and what is at hand stays in the cache.
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

  /// The number of a slot nobody has; its item is as the last user left it. References to other
  /// items become invalid.
  Id acquire() {
    if (!free_.empty()) {
      const Id id = free_.back();
      free_.pop_back();
      return id;
    }
    items_.emplace_back();
    return grown();
  }
  /// Puts the item into a slot nobody has.
  Id insert(Item item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return grown();
    }
    const Id id = acquire();
    items_[id] = std::move(item);
    return id;
  }
  /// Its user is done with the slot; the item stays until the slot is acquired again. Allocates
  /// nothing.
  void release(Id id) { free_.push_back(id); }
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
  std::size_t in_use() const { return items_.size() - free_.size(); }
  /// All slots in the order of their numbers, in use or not.
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  /// Room to release all of them.
  Id grown() {
    if (free_.capacity() < items_.size()) free_.reserve(items_.capacity());
    return static_cast<Id>(items_.size() - 1);
  }

  std::vector<Item> items_;
  std::vector<Id> free_;
};

}  // namespace weft
