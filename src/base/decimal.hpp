// SPDX-License-Identifier: Apache-2.0
// Exact decimal numbers: 0.05 + 0.1 is 0.15, not 0.15000000000000002.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// `units` / 10^`places`.
struct Decimal {
  std::int64_t units = 0;
  int places = 0;

  /// Parses "-1.25"; returns nothing for any other form, or for more than 9 digits.
  static std::optional<Decimal> parse(std::string_view text);
  /// The shortest form: "0.1", never "0.10".
  std::string text() const;
  /// The same number with this many places, which must not be fewer.
  Decimal with_places(int more) const;
};

}  // namespace weft
