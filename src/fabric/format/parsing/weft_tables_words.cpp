// SPDX-License-Identifier: Apache-2.0
// Keywords, names in quotes, and messages about wrong numbers.
#include "fabric/format/parsing/weft_tables_words.hpp"

#include <algorithm>

namespace weft::weft_tables {

std::string_view Words::keyword() {
  const std::string_view out = rest_.substr(0, rest_.find_first_of(stops));
  rest_.remove_prefix(out.size());
  return out;
}

bool Words::take_word(std::string_view word) {
  if (at_end() || rest_.substr(0, rest_.find_first_of(stops)) != word) return false;
  rest_.remove_prefix(word.size());
  return true;
}

std::string Words::word(std::string_view what) {
  if (take('"')) return quoted_word();
  const std::size_t size = std::min(rest_.find_first_of(stops), rest_.size());
  if (size == 0) wrong("{} is missing", what);
  std::string out(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return out;
}

std::string Words::rest() {
  if (at('"')) {
    std::string out = word("");
    need_end();
    return out;
  }
  return std::string(std::exchange(rest_, {}));
}

std::string Words::quoted_word() {
  std::string out;
  while (!rest_.empty()) {
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    if (letter == '"') return out;
    out += letter == '\\' ? escaped() : letter;
  }
  wrong("a closing quote is missing");
}

char Words::escaped() {
  if (take_prefix(rest_, "x")) {
    const auto code = number_from<unsigned char>(rest_.substr(0, 2), 16);
    if (!code || rest_.size() < 2 || *code > 0x7F)
      wrong("\\x must be followed by two hexadecimal digits, up to 7f");
    rest_.remove_prefix(2);
    return static_cast<char>(*code);
  }
  const char letter = rest_.empty() ? ' ' : rest_.front();
  if (letter != '"' && letter != '\\') wrong("a backslash stands only before \", \\ or x");
  rest_.remove_prefix(1);
  return letter;
}

void Words::wrong_number(unsigned most, std::string_view what) const {
  wrong("\"{}\" is not {}; a number from 0 to {} is needed",
        shown(rest_.substr(0, rest_.find_first_of(" \t:,"))), what, most);
}

SwitchId FabricWords::known_switch() {
  const std::string name = word("a switch");
  const auto found = fabric_.find_switch(name);
  if (!found) wrong("the fabric has no switch \"{}\"", shown(name));
  return *found;
}

HostId FabricWords::known_host() {
  const std::string name = word("a host");
  const auto found = fabric_.find_host(name);
  if (!found) wrong("the fabric has no host \"{}\"", shown(name));
  return *found;
}

}  // namespace weft::weft_tables
