// SPDX-License-Identifier: Apache-2.0
// WordReader: a text, word by word.
#pragma once
#include <algorithm>
#include <charconv>
#include <utility>

#include "verify/input.hpp"

namespace weft::verifier {

/// A text, word by word: marks of one letter, names in quotes, and all else between spaces. The
/// word at its end is empty, and so is that at the end of a line, unless this counts as a space.
class WordReader {
 protected:
  void begin(const InputText& input, const std::string& spaces, const std::string& marks) {
    source_ = input.name;
    rest_ = text_ = input.text;
    spaces_ = spaces;
    marks_ = marks;
    stops_ = spaces + marks + "\"#\n";
    taken_ = true;
  }
  /// Refuses the word that was looked at last.
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = 1 + std::count(text_.data(), word_.data(), '\n');
    throw UnreadableInput(source_ + ":" + std::to_string(line) + ": " + what);
  }
  void check(bool right, const std::string& what) const {
    if (!right) fail(what);
  }
  /// The next word, which is not taken yet.
  std::string_view next() {
    if (!std::exchange(taken_, false)) return word_;
    for (skip(rest_.find_first_not_of(spaces_)); rest_.starts_with('#');) {
      skip(rest_.find('\n'));
      skip(rest_.find_first_not_of(spaces_));
    }
    word_ = rest_;
    std::size_t size = rest_.find_first_of(stops_);
    if (size == 0 && marks_.find(rest_.front()) != std::string::npos) size = 1;
    if (rest_.starts_with('"')) {
      for (size = 1; size < rest_.size() && rest_[size] != '"' && rest_[size] != '\n';)
        size += rest_[size] == '\\' ? 2 : 1;
      check(size < rest_.size() && rest_[size++] == '"', "a closing quote is missing");
    }
    skip(size);
    word_.remove_suffix(rest_.size());
    for (const char letter : word_)
      if (static_cast<unsigned char>(letter) < ' ') fail("a control character");
    return word_;
  }
  /// Whether a line begins here, or after lines without words.
  bool line_begins() {
    for (; next().empty() && !rest_.empty(); taken_ = true) skip(1);
    return !next().empty();
  }
  void end_line() { check(next().empty(), "the line should end here"); }
  bool at_mark_or_end() { return marks_.find(next()) != std::string::npos; }
  std::string_view take() { return taken_ = !next().empty(), word_; }
  bool take(std::string_view word) { return taken_ = next() == word; }
  void need(const std::string& word) { check(take(word), "'" + word + "' is expected here"); }
  std::string_view name() {
    if (at_mark_or_end()) fail("a name is expected here");
    const std::string_view word = take();
    return word.front() == '"' ? word.substr(1, word.size() - 2) : word;
  }
  Index known(const NameMap& names, const std::string& what) {
    const std::string_view word = name();
    const auto found = names.find(word);
    if (found == names.end()) fail("the fabric has no " + what + " \"" + std::string(word) + "\"");
    return found->second;
  }
  Index whole(std::size_t least, std::size_t most, const char* what) {
    const std::string_view word = take();
    Index value = 0;
    const auto [after, problem] = std::from_chars(word.begin(), word.end(), value);
    if (problem != std::errc() || after != word.end() || value < least || value > most)
      fail(std::string(what) + " is expected here, from " + std::to_string(least) + " to " +
           std::to_string(most));
    return value;
  }

 private:
  void skip(std::size_t size) { rest_.remove_prefix(std::min(size, rest_.size())); }
  std::string source_{}, spaces_{}, marks_{}, stops_{};
  std::string_view text_{}, rest_{}, word_{};  ///< all, what is left, and the next word
  bool taken_ = true;
};

}  // namespace weft::verifier
