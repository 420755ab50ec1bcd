// SPDX-License-Identifier: Apache-2.0
// HugePages: an allocator for large arrays that are read at random. It asks the system for pages of
// 2 MiB, of which the processor can remember more than it can of small ones.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace weft {

template <class T>
class HugePages {
 public:
  using value_type = T;
  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < smallest) return static_cast<T*>(::operator new(bytes, alignment));
    const std::size_t size = (bytes + page - 1) / page * page;
    void* const memory = std::aligned_alloc(page, size);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, size, MADV_HUGEPAGE);  // if it cannot, small pages do
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < smallest)
      ::operator delete(memory, alignment);
    else
      std::free(memory);
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21U, smallest = 2 * page;
  static constexpr std::align_val_t alignment{alignof(T) > 64 ? alignof(T) : 64};
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace weft
