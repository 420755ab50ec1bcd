// SPDX-License-Identifier: Apache-2.0
// Reading the fields of what is to be run (a simulation, a program), all of which are text.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace weft {

[[noreturn]] inline void reject(std::string_view name, const std::string& value,
                                std::string_view right) {
  throw Error("{}={}: {}", name, value.substr(0, 60), right);
}

template <class Number>
Number whole(std::string_view name, const std::string& text, Number least, Number most) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || value < least || value > most)
    reject(name, text, fmt::format("a whole number from {} to {} is needed", least, most));
  return value;
}

/// Rewords an Error so that it begins with the field that is wrong.
template <class Parse>
auto parsed(std::string_view name, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    reject(name, text, error.what());
  }
}

}  // namespace weft
