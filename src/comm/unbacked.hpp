// SPDX-License-Identifier: Apache-2.0
// Unbacked memory: addresses without memory behind them, for messages whose sizes count and whose
// contents do not (replayed traces, large sweeps). Operations accept it like any other buffer and
// copy nothing; a program that reads or writes it crashes.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::comm {

/// The same addresses at every call. Throws Error when the process has too few of them.
std::span<std::byte> unbacked(std::size_t size);

/// Nothing before the first call of unbacked(), which other threads may not have made: size is
/// written last and read first.
namespace unbacked_range {
extern std::atomic<std::uintptr_t> first, size;
}
inline bool is_unbacked(const std::byte* memory) {
  const std::uintptr_t size = unbacked_range::size.load(std::memory_order_acquire);
  const std::uintptr_t first = unbacked_range::first.load(std::memory_order_relaxed);
  return reinterpret_cast<std::uintptr_t>(memory) - first < size;
}
inline bool is_unbacked(std::span<const std::byte> memory) { return is_unbacked(memory.data()); }

}  // namespace weft::comm
