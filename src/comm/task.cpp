// SPDX-License-Identifier: Apache-2.0
// Memory of coroutine frames. A pointer to its pool precedes each frame.
#include "comm/task.hpp"

#include <new>

namespace weft::comm::task {
namespace {

constexpr std::size_t prefix = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* Promise::allocate(std::size_t size, Pool* pool) {
  void* const block = pool != nullptr ? pool->take(size + prefix) : ::operator new(size + prefix);
  *static_cast<Pool**>(block) = pool;
  return static_cast<std::byte*>(block) + prefix;
}

void Promise::release(void* frame, std::size_t size) {
  void* const block = static_cast<std::byte*>(frame) - prefix;
  if (Pool* const pool = *static_cast<Pool**>(block))
    pool->give(block, size + prefix);
  else
    ::operator delete(block);
}

}  // namespace weft::comm::task
