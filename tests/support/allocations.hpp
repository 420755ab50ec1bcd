// SPDX-License-Identifier: Apache-2.0
// Counts allocations, for tests of what must not allocate.
#pragma once
#include <cstdint>

namespace weft::test {

/// The number of calls of operator new since the program began.
std::uint64_t allocations();

}  // namespace weft::test
