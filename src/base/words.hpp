// SPDX-License-Identifier: Apache-2.0
// Words for human-readable output: singular and plural.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace weft {

/// "1 lane", "2 lanes".
template <class Number>
std::string counted(Number n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace weft
