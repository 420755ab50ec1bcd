// SPDX-License-Identifier: Apache-2.0
// Takes lines apart.
#include "fabric/infiniband/dump_words.hpp"

#include "fabric/format/parsing/text.hpp"

namespace weft::infiniband {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) out.push_back(word);
  return out;
}

std::string_view first_line(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();) {
    const std::string_view line = trimmed(lines.text);
    if (!line.empty() && line.front() != '#') return line;
  }
  return {};
}

Guid guid_of(const Source& source, std::size_t line, std::string_view word) {
  const auto guid = guid_from(word.substr(0, word.find_first_of(",:(")));
  if (!guid) fail(source, line, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(word));
  return *guid;
}

unsigned number_of(const Source& source, std::size_t line, std::string_view word, unsigned most,
                   std::string_view what) {
  std::string_view digits = word;
  const int base = take_prefix(digits, "0x") || take_prefix(digits, "0X") ? 16 : 10;
  const auto value = number_from<unsigned>(digits, base);
  if (!value || *value > most)
    fail(source, line, "\"{}\" is not {}; a number up to {} is needed", shown(word), what, most);
  return *value;
}

}  // namespace weft::infiniband
