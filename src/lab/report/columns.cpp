// SPDX-License-Identifier: Apache-2.0
// Human-readable tables.
#include "lab/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft {

void Columns::fit(const Cells& line) {
  width.resize(left.size());
  for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
}

std::string Columns::text(const Cells& line) const {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i)
    out += "  " + (left[i] ? fmt::format("{:<{}}", line[i], width[i])
                           : fmt::format("{:>{}}", line[i], width[i]));
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace weft
