// SPDX-License-Identifier: Apache-2.0
// Parsing of values.
#include "base/values.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace weft {
namespace {

bool parse_whole(std::string_view text, std::int64_t& value) {
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && rest == end && !text.empty();
}

}  // namespace

std::string_view take_until(std::string_view& rest, char stop) {
  const std::size_t at = std::min(rest.find(stop), rest.size());
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return head;
}

std::int64_t whole_from(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (!parse_whole(text, value) || value < least || value > most)
    throw Error("a whole number from {} to {} is needed", least, most);
  return value;
}

std::vector<int> dims_from(std::string_view text, int least) {
  const std::string form = "write whole numbers joined by x, as in 4x4x2";
  std::vector<int> out;
  std::string_view rest = text;
  if (rest.empty()) throw Error(form);
  while (!rest.empty()) {
    const bool more = rest.find('x') != std::string_view::npos;
    std::int64_t value = 0;
    if (!parse_whole(take_until(rest, 'x'), value) || (more && rest.empty())) throw Error(form);
    if (value > 1'000'000) throw Error("a dimension can be 1000000 at most");
    if (value < least) throw Error("a dimension needs {} or more", least);
    out.push_back(static_cast<int>(value));
  }
  return out;
}

Bytes size_from(std::string_view text, bool plain) {
  if (plain && text.find_first_not_of("0123456789") == std::string_view::npos)
    return bytes_from(std::string(text) + "B");
  return bytes_from(text);
}

}  // namespace weft
