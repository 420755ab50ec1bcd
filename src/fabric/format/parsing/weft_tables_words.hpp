// SPDX-License-Identifier: Apache-2.0
// One line of weft's tables, taken word by word from the left.
#pragma once
#include <charconv>
#include <string>
#include <string_view>

#include "fabric/format/parsing/text.hpp"
#include "fabric/tables.hpp"

namespace weft::weft_tables {

class Words {
 public:
  explicit Words(const Source& source) : source_(source) {}

  void begin(const Lines& lines) {
    line_ = lines.number;
    rest_ = trimmed(lines.text);
  }

  template <class... Values>
  [[noreturn]] void wrong(fmt::format_string<Values...> form, Values&&... values) const {
    fail(source_, line_, form, std::forward<Values>(values)...);
  }

  bool at_end() {
    skip_spaces();
    return rest_.empty();
  }
  bool at(char letter) {
    skip_spaces();
    return !rest_.empty() && rest_.front() == letter;
  }
  /// The next letter, after at_end() said no.
  char next() const { return rest_.empty() ? ' ' : rest_.front(); }
  bool take(char letter) {
    if (!at(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Takes a word if it is the next one.
  bool take_word(std::string_view word);
  /// A single mark, such as "-" for no route.
  bool take_mark(char letter) {
    if (!at(letter)) return false;
    rest_.remove_prefix(1);
    need_gap();
    return true;
  }
  /// Takes the expected word, or throws an error that shows the form of the line.
  void need(std::string_view expected, std::string_view form) {
    skip_spaces();
    if (rest_.substr(0, rest_.find_first_of(stops)) != expected) wrong("write \"{}\"", form);
    rest_.remove_prefix(expected.size());
  }
  void need_colon() {
    if (!take(':')) wrong("a colon is missing before \"{}\"", shown(rest_));
  }
  void need_end() {
    if (!at_end()) wrong("\"{}\" is too much; the line should end before it", shown(rest_));
  }

  std::string_view keyword();
  /// A name, in quotes or not.
  std::string word(std::string_view what);
  /// The rest of the line, in quotes or not.
  std::string rest();
  /// Takes a mark that stands right behind what has been taken.
  bool take_next(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// A whole number up to `most`.
  unsigned number(unsigned most, std::string_view what) {
    const unsigned value = digits(most, what);
    need_gap();
    return value;
  }
  /// The same; anything may follow at once.
  unsigned digits(unsigned most, std::string_view what) {
    skip_spaces();
    unsigned value = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [after, problem] = std::from_chars(rest_.data(), end, value);
    if (problem != std::errc() || value > most) wrong_number(most, what);
    rest_.remove_prefix(static_cast<std::size_t>(after - rest_.data()));
    return value;
  }
  void need_gap() const {
    if (rest_.empty() || is_space(rest_.front())) return;
    if (rest_.front() != ',' && rest_.front() != ':')
      wrong("a space is missing before \"{}\"", shown(rest_));
  }
  std::size_t line() const { return line_; }

 private:
  static constexpr std::string_view stops = " \t:";
  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }
  [[noreturn]] void wrong_number(unsigned most, std::string_view what) const;
  std::string quoted_word();
  char escaped();

  const Source& source_;
  std::size_t line_ = 1;
  std::string_view rest_{};
};

/// Words that name what a fabric has.
class FabricWords : public Words {
 public:
  FabricWords(const Source& source, const Fabric& fabric) : Words(source), fabric_(fabric) {}
  const Fabric& fabric() const { return fabric_; }

  SwitchId known_switch();
  HostId known_host();
  PortNumber port_of(SwitchId s) {
    return static_cast<PortNumber>(number(fabric_[s].ports, "a port of the switch"));
  }
  /// A lane below `count`.
  Lane lane(int count) {
    return static_cast<Lane>(number(static_cast<unsigned>(count) - 1, "a lane of these tables"));
  }

 private:
  const Fabric& fabric_;
};

}  // namespace weft::weft_tables
