// SPDX-License-Identifier: Apache-2.0
// What readers and writers of text share: lines with their numbers, words, numbers, and text as
// messages show it.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace weft {

/// Text from a file as a message may show it: cut when long, without control characters.
std::string shown(std::string_view text);
/// The same, never cut.
std::string one_line(std::string_view text);

/// All of `text` as a whole number.
template <class Number>
std::optional<Number> number_from(std::string_view text, int base = 10) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value, base);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return value;
}

inline bool is_space(char letter) { return letter == ' ' || letter == '\t'; }
std::string_view trimmed(std::string_view text);
/// Takes the word up to the next space off the front of `rest`; empty at the end.
std::string_view take_word(std::string_view& rest);
/// Takes `prefix` off the front of `rest` if it is there.
bool take_prefix(std::string_view& rest, std::string_view prefix);

/// Walks a text line by line: for (Lines lines(text); lines.next();) … lines.text, lines.number
class Lines {
 public:
  explicit Lines(std::string_view all) : rest_(all) {}
  bool next();
  std::string_view text{};  ///< without the line end, be it LF or CR LF
  std::size_t number = 0;

 private:
  std::string_view rest_;
};

/// Collects formatted text and hands it to a stream in large pieces.
class Printer {
 public:
  explicit Printer(std::ostream& stream) : stream_(stream) {}
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;
  ~Printer() { flush(); }

  template <class... Values>
  void print(fmt::format_string<Values...> form, Values&&... values) {
    append(form, fmt::make_format_args(values...));
    if (buffer_.size() >= enough) flush();
  }
  void put(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() >= enough) flush();
  }
  void put(unsigned number) {
    const fmt::format_int digits(number);
    buffer_.append(digits.data(), digits.data() + digits.size());
  }

 private:
  static constexpr std::size_t enough = 1 << 16;
  /// Not inline: all of fmt's formatting would be compiled again for every file that prints.
  void append(fmt::string_view form, fmt::format_args values);
  void flush() {
    stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }
  std::ostream& stream_;
  fmt::memory_buffer buffer_;
};

}  // namespace weft
