// SPDX-License-Identifier: Apache-2.0
// The known word at the least edit distance.
#include "base/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace weft {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Letters to insert, delete or replace and pairs of neighbours to swap, whether large or small
/// (Damerau, 1964, "A technique for computer detection and correction of spelling errors").
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] =
          std::min({above[j + 1] + 1, row[j] + 1, above[j] + (same_letter(a[i], b[j]) ? 0 : 1)});
      if (i > 0 && j > 0 && same_letter(a[i], b[j - 1]) && same_letter(a[i - 1], b[j]))
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  word = word.substr(0, 60);
  const std::size_t comma = word.find(',');
  if (comma != std::string_view::npos &&
      std::find(known.begin(), known.end(), word.substr(0, comma)) != known.end())
    return fmt::format("; did you mean {}:{}?", word.substr(0, comma), word.substr(comma + 1));
  const auto far = [&](std::string_view other) { return distance(word, other); };
  const auto nearest =
      std::min_element(known.begin(), known.end(),
                       [&](std::string_view a, std::string_view b) { return far(a) < far(b); });
  if (nearest == known.end() || 3 * far(*nearest) > std::max(word.size(), nearest->size()))
    return {};
  return fmt::format("; did you mean {}?", *nearest);
}

}  // namespace weft
