// SPDX-License-Identifier: Apache-2.0
// The check that a source is text, and its name.
#include "fabric/format/parsing/text.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace weft {
namespace {

/// How many bytes the UTF-8 character at the front takes (RFC 3629); 0 when there is none.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if (begins_letter(text[i])) return 0;
  const bool too_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return too_long || surrogate || too_large ? 0 : size;
}

}  // namespace

std::string stem(const Source& source) {
  std::string_view name = source.name;
  name.remove_prefix(std::min(name.find_last_of('/') + 1, name.size()));
  const std::size_t dot = name.find_last_of('.');
  return one_line(dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot));
}

void require_text(const Source& source) {
  const std::string_view text = source.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = text[at] == '\0' ? 0 : character_size(text.substr(at));
    if (size == 0) {
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      fail(source, static_cast<std::size_t>(line), "byte 0x{:02x} is not text; UTF-8 is needed",
           static_cast<unsigned char>(text[at]));
    }
    at += size;
  }
}

std::optional<Guid> guid_from(std::string_view text) {
  take_prefix(text, "0x");
  return number_from<Guid>(text, 16);
}

}  // namespace weft
