// SPDX-License-Identifier: Apache-2.0
// Parsing of chances.
#include "base/chance.hpp"

#include <charconv>

#include "base/error.hpp"

namespace weft {

Chance chance_from(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const bool percent = text.ends_with('%');
  if (percent) --end;
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  if (problem != std::errc() || rest != end || !(value >= 0 && value <= 1))
    throw Error("\"{}\" is not a number from 0 to 1, or a percentage", text.substr(0, 40));
  return Chance(static_cast<std::uint64_t>(value * 0x1.0p63));  // exact: a power of two
}

}  // namespace weft
