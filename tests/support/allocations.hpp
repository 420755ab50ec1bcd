// SPDX-License-Identifier: Apache-2.0
// Counts allocations, for tests of what must not allocate, or must give back.
#pragma once
#include <cstdint>

namespace weft::test {

/// The number of calls of operator new since the program began.
std::uint64_t allocations();
/// Bytes that operator new has handed out and nobody has deleted.
std::uint64_t bytes_in_use();

}  // namespace weft::test
