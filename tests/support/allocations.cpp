// SPDX-License-Identifier: Apache-2.0
// The global operators new and delete, with counters.
#include "support/allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0}, in_use{0};

void give_back(void* memory) {
  in_use.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

std::uint64_t weft::test::allocations() { return count.load(std::memory_order_relaxed); }
std::uint64_t weft::test::bytes_in_use() { return in_use.load(std::memory_order_relaxed); }

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(size > 0 ? size : 1);
  count.fetch_add(1, std::memory_order_relaxed);
  in_use.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
