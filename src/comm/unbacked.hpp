// SPDX-License-Identifier: Apache-2.0
// Unbacked memory: addresses without memory behind them, for messages whose sizes count and whose
// contents do not (replayed traces, large sweeps). Operations accept it like any other buffer and
// copy nothing; a program that reads or writes it crashes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::comm {

/// The same addresses at every call. Throws Error when the process has too few of them.
std::span<std::byte> unbacked(std::size_t size);

namespace unbacked_range {
extern std::uintptr_t first, size;  ///< set before main(), and never again
}
inline bool is_unbacked(const std::byte* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) - unbacked_range::first < unbacked_range::size;
}
inline bool is_unbacked(std::span<const std::byte> memory) { return is_unbacked(memory.data()); }

}  // namespace weft::comm
