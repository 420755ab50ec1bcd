// SPDX-License-Identifier: Apache-2.0
// The stream itself remembers whether it has colours.
#include "lab/report/colours.hpp"

#include <fmt/format.h>

#include <ostream>

namespace weft {
namespace {

long& has_colours(std::ostream& out) {
  static const int place = std::ios_base::xalloc();
  return out.iword(place);
}

}  // namespace

void allow_colours(std::ostream& out) { has_colours(out) = 1; }

std::string coloured(std::ostream& out, VerdictColour colour, const std::string& text) {
  if (has_colours(out) == 0) return text;
  const int code = colour == VerdictColour::good ? 32 : 31;  // green, red
  return fmt::format("\033[1;{}m{}\033[0m", code, text);
}

}  // namespace weft
