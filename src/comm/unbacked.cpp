// SPDX-License-Identifier: Apache-2.0
// Address space that is reserved once and never used.
#include "comm/unbacked.hpp"

#include <sys/mman.h>

#include <mutex>

#include "base/error.hpp"

namespace weft::comm {
namespace unbacked_range {
constinit std::atomic<std::uintptr_t> first{0}, size{0};
}

namespace {

/// As much as the process may have: some machines have few addresses, some users a limit.
void reserve_addresses() {
  constexpr std::size_t most = std::size_t{1} << 40U, least = std::size_t{1} << 30U;
  for (std::size_t wanted = most; wanted >= least; wanted /= 2) {
    void* const at =
        mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    unbacked_range::first.store(reinterpret_cast<std::uintptr_t>(at), std::memory_order_relaxed);
    unbacked_range::size.store(wanted, std::memory_order_release);
    return;
  }
}

}  // namespace

std::span<std::byte> unbacked(std::size_t size) {
  static std::once_flag once;
  std::call_once(once, reserve_addresses);
  const std::uintptr_t most = unbacked_range::size;
  if (size > most)
    throw Error("a buffer of {} bytes: this process has addresses for {}", size, most);
  return {reinterpret_cast<std::byte*>(unbacked_range::first.load()), size};
}

}  // namespace weft::comm
