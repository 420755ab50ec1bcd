// SPDX-License-Identifier: Apache-2.0
// SharedSlots: items under small numbers that are reused, as in Slots, for several threads. Each
// takes numbers for itself (PartOfSlots) and may tell others of them, who then reach the item.
// Items stay where they are.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/pages.hpp"

namespace weft {

template <class Item>
class SharedSlots {
 public:
  using Id = std::uint32_t;

  SharedSlots() : blocks_(most_blocks * sizeof(Item*)) {}
  ~SharedSlots() {
    for (std::size_t block = 0; block < used_; ++block) delete[] items(block);
  }
  SharedSlots(const SharedSlots&) = delete;
  SharedSlots& operator=(const SharedSlots&) = delete;

  Item& operator[](std::size_t id) { return items(id / at_once)[id % at_once]; }
  const Item& operator[](std::size_t id) const { return items(id / at_once)[id % at_once]; }

  static constexpr Id at_once = 64;
  /// New numbers, from this one on.
  Id take() {
    const std::size_t block = used_.fetch_add(1, std::memory_order_relaxed);
    invariant(block < most_blocks, "there are too many items");
    items(block) = new Item[at_once];
    return static_cast<Id>(block * at_once);
  }

 private:
  static constexpr std::size_t most_blocks = std::size_t{1} << 22;
  Item*& items(std::size_t block) const { return static_cast<Item**>(blocks_.data())[block]; }

  Pages blocks_;  ///< Item*, by block
  std::atomic<std::size_t> used_ = 0;
};

/// The slots of one thread. The one released last is acquired first.
template <class Item>
class PartOfSlots {
 public:
  using Id = typename SharedSlots<Item>::Id;

  explicit PartOfSlots(SharedSlots<Item>& all) : all_(all) {}

  /// The number of a free slot; its item is as the last user left it.
  Id acquire() {
    if (free_count_ == 0) take_more();
    ++in_use_;
    return free_[--free_count_];
  }
  Id insert(Item&& item) {
    const Id id = acquire();
    all_[id] = std::move(item);
    return id;
  }
  /// Never allocates.
  void release(Id id) {
    --in_use_;
    free_[free_count_++] = id;
  }
  /// Moves the item out and releases its slot.
  Item extract(Id id) {
    Item item = std::move(all_[id]);
    release(id);
    return item;
  }
  /// Also those of other threads.
  Item& operator[](std::size_t id) { return all_[id]; }
  const Item& operator[](std::size_t id) const { return all_[id]; }
  std::size_t in_use() const { return in_use_; }

 private:
  [[gnu::noinline]] void take_more() {
    const Id first = all_.take();
    free_.resize(free_.size() + SharedSlots<Item>::at_once);  // for all of this thread
    for (Id i = SharedSlots<Item>::at_once; i-- > 0;) free_[free_count_++] = first + i;
  }

  SharedSlots<Item>& all_;
  std::vector<Id> free_;  ///< the first free_count_ of them; there is room for all
  std::size_t free_count_ = 0, in_use_ = 0;
};

}  // namespace weft
