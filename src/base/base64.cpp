// SPDX-License-Identifier: Apache-2.0
// Three bytes are four letters.
#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"

namespace weft {
namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < count; ++k)
      group |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) << (16 - 8 * k);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? letters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw Error("text of 64 letters ends in the middle");
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char letter : text) {
    const std::size_t value = letters.find(letter);
    if (value == std::string_view::npos) throw Error("'{}' is not one of the 64 letters", letter);
    group = group << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 255U);
  }
  return out;
}

}  // namespace weft
