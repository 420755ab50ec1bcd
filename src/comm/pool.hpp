// SPDX-License-Identifier: Apache-2.0
// Pool: blocks of memory by size class, kept for reuse: coroutine frames and message bytes. After
// the first few messages nothing is allocated any more.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "comm/unbacked.hpp"

namespace weft::comm {

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (FreeBlock* block : free_)
      while (block != nullptr) ::operator delete(std::exchange(block, block->next));
  }

  void* take(std::size_t size) {
    const std::size_t c = size_class(size);
    if (FreeBlock* block = free_[c]) {
      free_[c] = block->next;
      return block;
    }
    return ::operator new (std::size_t{1} << (c + smallest));
  }
  void give(void* memory, std::size_t size) {
    const std::size_t c = size_class(size);
    free_[c] = new (memory) FreeBlock{free_[c]};
  }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  static constexpr std::size_t smallest = 6;  ///< 64 bytes
  static std::size_t size_class(std::size_t size) {
    const auto bits = static_cast<std::size_t>(std::bit_width(size > 0 ? size - 1 : 0));
    const std::size_t c = bits > smallest ? bits - smallest : 0;
    invariant(c < 40, "a block is larger than any memory");
    return c;
  }
  std::array<FreeBlock*, 40> free_{};
};

/// Bytes in transit, in a block of a pool that outlives them.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Pool& pool, std::size_t size)
      : pool_(&pool),
        data_(size > 0 ? static_cast<std::byte*>(pool.take(size)) : nullptr),
        size_(size) {}
  /// A copy; of unbacked memory only the size.
  Buffer(Pool& pool, std::span<const std::byte> bytes)
      : Buffer(is_unbacked(bytes) ? sized(bytes.size()) : Buffer(pool, bytes.size())) {
    copy(bytes.data(), data_ == nullptr ? 0 : bytes.size(), data_);
  }
  /// A size without bytes.
  static Buffer sized(std::size_t size) {
    Buffer out;
    out.size_ = size;
    return out;
  }
  Buffer(Buffer&& other) noexcept
      : pool_(other.pool_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (data_ == nullptr) return;
    if (pool_ != nullptr)
      pool_->give(data_, size_);
    else
      ::operator delete(data_);
  }
  /// The block is no longer the pool's: it may end in another thread, and outlive the pool.
  void leave_pool() { pool_ = nullptr; }

  Buffer copied(Pool& pool) const { return has_contents() ? Buffer(pool, bytes()) : sized(size_); }

  std::size_t size() const { return size_; }
  /// Whether there are bytes, or only a size.
  bool has_contents() const { return size_ == 0 || data_ != nullptr; }
  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Copies as many of them as fit; what has no contents leaves its target as it is.
  void copy_to(std::span<std::byte> into) const {
    if (data_ == nullptr || is_unbacked(into)) return;
    copy(data_, into.size() < size_ ? into.size() : size_, into.data());
  }

 private:
  static void copy(const std::byte* from, std::size_t count, std::byte* to) {
    if (count > 0) __builtin_memcpy(to, from, count);
  }
  Pool* pool_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace weft::comm
