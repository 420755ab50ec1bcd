// SPDX-License-Identifier: Apache-2.0
// Fifo: a queue in one array, which gives back what has left when that is half of it.
#pragma once
#include <cstddef>
#include <vector>

namespace weft {

template <class Item>
class Fifo {
 public:
  bool empty() const { return begin_ == items_.size(); }
  std::size_t size() const { return items_.size() - begin_; }
  const Item& front() const { return items_[begin_]; }
  void push(const Item& item) { items_.push_back(item); }
  Item pop() {
    const Item first = front();
    if (2 * ++begin_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
    return first;
  }

 private:
  std::vector<Item> items_;
  std::size_t begin_ = 0;
};

}  // namespace weft
