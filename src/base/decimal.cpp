// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of exact decimal numbers.
#include "base/decimal.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace weft {
namespace {

constexpr int most_digits = 9;  // with_places() may then append as many without overflow

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  Decimal out;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (text[i] < '0' || text[i] > '9' || ++digits > most_digits) return std::nullopt;
    out.units = out.units * 10 + (text[i] - '0');
    out.places += i > point ? 1 : 0;
  }
  const bool whole = point == std::string_view::npos;
  if (digits == 0 || (!whole && (point == 0 || out.places == 0))) return std::nullopt;
  if (minus) out.units = -out.units;
  return out;
}

std::string Decimal::text() const {
  Decimal short_form = *this;
  while (short_form.places > 0 && short_form.units % 10 == 0) {
    short_form.units /= 10;
    --short_form.places;
  }
  const std::string digits = fmt::format(
      "{:0{}}", short_form.units < 0 ? -short_form.units : short_form.units, short_form.places + 1);
  const std::size_t whole = digits.size() - static_cast<std::size_t>(short_form.places);
  return fmt::format("{}{}{}{}", short_form.units < 0 ? "-" : "", digits.substr(0, whole),
                     short_form.places > 0 ? "." : "", digits.substr(whole));
}

Decimal Decimal::with_places(int more) const {
  invariant(more >= places, "a decimal number would lose places");
  Decimal out = *this;
  for (; out.places < more; ++out.places) out.units *= 10;
  return out;
}

}  // namespace weft
