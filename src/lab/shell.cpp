// SPDX-License-Identifier: Apache-2.0
// Quotes words for a shell.
#include "lab/shell.hpp"

#include <string_view>

namespace weft {

std::string shell_word(const std::string& text) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:=/@%";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace weft
