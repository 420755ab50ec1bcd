// SPDX-License-Identifier: Apache-2.0
// Address space that is reserved once, before there are threads, and never used.
#include "comm/unbacked.hpp"

#include <sys/mman.h>

#include "base/error.hpp"

namespace weft::comm {
namespace {

/// As much as the process may have: some machines have few addresses, some users a limit.
std::span<std::byte> reserved_addresses() {
  constexpr std::size_t most = std::size_t{1} << 40U, least = std::size_t{1} << 30U;
  for (std::size_t wanted = most; wanted >= least; wanted /= 2) {
    void* const at =
        mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) return {static_cast<std::byte*>(at), wanted};
  }
  return {};
}

const std::span<std::byte> reserved = reserved_addresses();

}  // namespace

namespace unbacked_range {
std::uintptr_t first = reinterpret_cast<std::uintptr_t>(reserved.data()), size = reserved.size();
}

std::span<std::byte> unbacked(std::size_t size) {
  if (size > reserved.size())
    throw Error("a buffer of {} bytes: this process has addresses for {}", size, reserved.size());
  return reserved.first(size);
}

}  // namespace weft::comm
