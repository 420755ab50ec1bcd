// SPDX-License-Identifier: Apache-2.0
// Calls as compact bytes: numbers take seven bits a byte, and what is as in most calls takes none.
// One function says what is in the bytes of a call; writing and reading differ in what they do with
// a number.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "trace/trace.hpp"

namespace weft::trace {

/// Small numbers of either sign become small ones.
constexpr std::uint64_t folded(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>((number >> 1) ^ (~(number & 1) + 1));
}

/// Appends to a string.
class CallPacker {
 public:
  explicit CallPacker(std::string& out) : out_(out) {}
  void number(std::uint64_t value) {
    for (; value > 127; value >>= 7) out_ += static_cast<char>(value | 128);
    out_ += static_cast<char>(value);
  }
  template <class Number>
  void any(Number value) {
    if constexpr (std::is_signed_v<Number>) {
      number(folded(value));
    } else {
      number(static_cast<std::uint64_t>(value));
    }
  }
  /// Relative to the last one.
  void step(std::uint64_t value, std::uint64_t& last) {
    number(folded(static_cast<std::int64_t>(value - last)));
    last = value;
  }
  template <class List, class Each>
  void list(const List& values, Each each) {
    number(values.size());
    for (const auto& value : values) each(value);
  }

 private:
  std::string& out_;
};

/// Takes from the front of bytes that CallPacker wrote.
class CallUnpacker {
 public:
  explicit CallUnpacker(const char*& at) : at_(at) {}
  std::uint64_t number() {
    std::uint64_t byte = next();
    if (byte < 128) return byte;
    std::uint64_t value = byte & 127;
    for (unsigned shift = 7; byte > 127; shift += 7) {
      byte = next();
      value |= (byte & 127) << shift;
    }
    return value;
  }
  template <class Number>
  void any(Number& value) {
    if constexpr (std::is_signed_v<Number>) {
      value = static_cast<Number>(unfolded(number()));
    } else {
      value = static_cast<Number>(number());
    }
  }
  void step(std::uint64_t& value, std::uint64_t& last) {
    last += static_cast<std::uint64_t>(unfolded(number()));
    value = last;
  }
  template <class List, class Each>
  void list(List& values, Each each) {
    values.resize(number());
    for (auto& value : values) each(value);
  }

 private:
  std::uint64_t next() { return static_cast<unsigned char>(*at_++); }
  const char*& at_;
};

void pack(const Call& call, LastCall& last, std::string& out);
/// Moves `at` behind the call.
void unpack(const char*& at, LastCall& last, Call& into);

}  // namespace weft::trace
