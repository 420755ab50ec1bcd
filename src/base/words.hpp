// SPDX-License-Identifier: Apache-2.0
// Words for human-readable output: singular and plural, and how long a text is.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace weft {

/// "1 lane", "2 lanes".
template <class Number>
std::string counted(Number n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// Whether a byte of a UTF-8 text begins a letter; the others continue one.
inline bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// The number of letters of a UTF-8 text.
inline std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_letter));
}

}  // namespace weft
