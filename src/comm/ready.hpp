// SPDX-License-Identifier: Apache-2.0
// Ready: the one queue from which coroutines are resumed, first in, first out. Nothing else resumes
// a coroutine, so there is no recursion and the order is repeatable.
#pragma once
#include <coroutine>
#include <cstddef>
#include <vector>

namespace weft::comm {

class Ready {
 public:
  Ready() : ring_(64) {}
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;

  bool empty() const { return first_ == end_; }
  void push(std::coroutine_handle<> handle) {
    if (end_ - first_ == ring_.size()) grow();
    ring_[end_++ & (ring_.size() - 1)] = handle;
  }
  /// Resumes coroutines until none is ready.
  void run() {
    if (!empty()) resume_all();
  }
  /// Removes a coroutine that is destroyed, so that it is not resumed.
  void forget(std::coroutine_handle<> handle) {
    for (std::size_t i = first_; i != end_; ++i)
      if (auto& entry = ring_[i & (ring_.size() - 1)]; entry == handle) entry = nullptr;
  }

 private:
  // (Not inlined: mostly nothing is ready.)
  [[gnu::noinline]] void resume_all() {
    while (first_ != end_) {
      const std::coroutine_handle<> handle = ring_[first_++ & (ring_.size() - 1)];
      if (handle) handle.resume();
    }
  }
  void grow() {
    std::vector<std::coroutine_handle<>> larger(ring_.size() * 2);
    for (std::size_t i = first_; i != end_; ++i)
      larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
    ring_.swap(larger);
  }
  std::vector<std::coroutine_handle<>> ring_;
  std::size_t first_ = 0, end_ = 0;  ///< counted without wrapping
};

}  // namespace weft::comm
