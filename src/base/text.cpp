// SPDX-License-Identifier: Apache-2.0
// Lines and words.
#include "base/text.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace weft {

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
  while (size > 0 && !begins_letter(text[size])) --size;
  return one_line(text.substr(0, size)) + "…";
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
