// SPDX-License-Identifier: Apache-2.0
// Calls toml++ after a check that protects its stack, and turns its errors into ours.
#include "fabric/format/parsing/toml.hpp"

#include <algorithm>

#include "fabric/format/parsing/text.hpp"

namespace weft {
namespace {

/// The position after the string that begins at `at`, in any of TOML's four kinds.
std::size_t after_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool multiline = text.substr(at, 3) == triple;
  for (at += multiline ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (multiline && text.substr(at, 3) == triple) {
      at += 3;  // up to two quotes may stand before the closing three
      while (at < text.size() && text[at] == quote) ++at;
      return at;
    } else if (!multiline && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    }
  }
  return text.size();
}

/// toml++ handles nested tables by recursion. It limits brackets but not dotted keys (a.a.a.a…), so
/// that a long one would overflow the stack.
void require_short_keys(const Source& source) {
  constexpr int most_dots = 16;
  const std::string_view text = source.text;
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    if (letter == '"' || letter == '\'') {
      at = after_string(text, at);
      continue;
    }
    if (letter == '#') at = std::min(text.find('\n', at), text.size());
    if (letter == '\n' || letter == '#' || letter == ',' || letter == '=' || letter == '[')
      dots = 0;
    if (letter == '.' && ++dots > most_dots) {
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      fail(source, static_cast<std::size_t>(line), "a key has more than {} parts; make it shorter",
           most_dots);
    }
    ++at;
  }
}

}  // namespace

toml::table parse_toml(const Source& source) {
  require_short_keys(source);
  try {
    return toml::parse(std::string_view(source.text));
  } catch (const toml::parse_error& error) {
    fail(source, error.source().begin.line, "{}", error.description());
  }
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(letter));
    else
      out += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
  }
  return out + "\"";
}

}  // namespace weft
