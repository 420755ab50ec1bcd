// SPDX-License-Identifier: Apache-2.0
// Rounds where the exact text is long.
#include "base/speed_text.hpp"

#include <fmt/format.h>

namespace weft {

std::string speed_text(Bandwidth speed) {
  constexpr std::size_t longest = 11;  // 106.125Gb/s
  std::string exact = to_text(speed);
  if (exact.size() <= longest) return exact;
  const double gigabits = static_cast<double>(speed.bits_per_second) / 1e9;
  return gigabits >= 1 ? fmt::format("{:.1f}Gb/s", gigabits)
                       : fmt::format("{:.1f}Mb/s", 1000 * gigabits);
}

}  // namespace weft
