// SPDX-License-Identifier: Apache-2.0
// A buffer with contents, or one of which only the size counts.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "comm/unbacked.hpp"

namespace weft::test {

struct TestMemory {
  TestMemory(std::size_t size, bool backed)
      : own(backed ? size : 0), bytes(backed ? std::span(own) : comm::unbacked(size)) {}
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;

  std::vector<std::byte> own;
  std::span<std::byte> bytes;
};

}  // namespace weft::test
