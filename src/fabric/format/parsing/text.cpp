// SPDX-License-Identifier: Apache-2.0
// Lines, words, and the check that a source is text.
#include "fabric/format/parsing/text.hpp"

#include <algorithm>

namespace weft {
namespace {

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// How many bytes the UTF-8 character at the front takes (RFC 3629); 0 when there is none.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if (!continues(byte(i))) return 0;
  const bool too_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return too_long || surrogate || too_large ? 0 : size;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& letter : out)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) letter = '?';
  return out;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return one_line(text);
  std::size_t size = most;
  while (size > 0 && continues(static_cast<unsigned char>(text[size]))) --size;
  return one_line(text.substr(0, size)) + "…";
}

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

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  const auto end = std::find_if(rest.begin(), rest.end(), is_space);
  const auto size = static_cast<std::size_t>(end - rest.begin());
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(size);
  return word;
}

bool take_prefix(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

bool Lines::next() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  text = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  ++number;
  return true;
}

void Printer::append(fmt::string_view form, fmt::format_args values) {
  // Not vformat_to, which would compile all of {fmt} into this file.
  const std::string text = fmt::vformat(form, values);
  buffer_.append(text.data(), text.data() + text.size());
}

}  // namespace weft
