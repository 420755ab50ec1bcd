// SPDX-License-Identifier: Apache-2.0
// Quotes for names that need them.
#include "fabric/format/weft_tables_names.hpp"

#include <algorithm>

#include "fabric/format/parsing/text.hpp"

namespace weft::weft_tables {
namespace {

bool is_plain(char letter) {
  constexpr std::string_view marks = "_.-+/@;()[]=";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || static_cast<unsigned char>(letter) >= 0x80 ||
         marks.find(letter) != std::string_view::npos;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(letter));
    else if (letter == '"' || letter == '\\')
      out += {'\\', letter};
    else
      out += letter;
  }
  return out + "\"";
}

}  // namespace

std::string word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain) ? std::string(text)
                                                                          : quoted(text);
}

std::string line_word(std::string_view text) {
  const bool plain = !text.empty() && trimmed(text) == text && one_line(text) == text;
  return plain && text.find('"') == std::string_view::npos ? std::string(text) : quoted(text);
}

}  // namespace weft::weft_tables
