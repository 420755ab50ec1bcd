// SPDX-License-Identifier: Apache-2.0
// Deadlines: the pending Ops that have one, earliest first: a heap in which each knows its place.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "comm/op.hpp"

namespace weft::comm {

class Deadlines {
 public:
  bool empty() const { return heap_.empty(); }
  Op& first() const { return *heap_.front(); }
  Time earliest() const { return first().deadline_; }

  void set(Op& op, Time deadline) {
    remove(op);
    op.deadline_ = deadline;
    heap_.push_back(&op);
    up(heap_.size() - 1);
  }
  void remove(Op& op) {
    if (op.deadline_place_ == Op::no_place) return;
    const std::size_t place = op.deadline_place_;
    op.deadline_place_ = Op::no_place;
    Op* const last = heap_.back();
    heap_.pop_back();
    if (last == &op) return;
    put(place, last);
    up(place);
    down(last->deadline_place_);
  }

 private:
  void put(std::size_t place, Op* op) {
    heap_[place] = op;
    op->deadline_place_ = static_cast<std::uint32_t>(place);
  }
  void up(std::size_t place) {
    Op* const op = heap_[place];
    for (; place > 0 && op->deadline_ < heap_[(place - 1) / 2]->deadline_; place = (place - 1) / 2)
      put(place, heap_[(place - 1) / 2]);
    put(place, op);
  }
  void down(std::size_t place) {
    Op* const op = heap_[place];
    for (std::size_t child; (child = 2 * place + 1) < heap_.size(); place = child) {
      if (child + 1 < heap_.size() && heap_[child + 1]->deadline_ < heap_[child]->deadline_)
        ++child;
      if (!(heap_[child]->deadline_ < op->deadline_)) break;
      put(place, heap_[child]);
    }
    put(place, op);
  }
  std::vector<Op*> heap_;
};

}  // namespace weft::comm
