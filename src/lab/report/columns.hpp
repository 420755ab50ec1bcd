// SPDX-License-Identifier: Apache-2.0
// Human-readable tables: cells in columns as wide as the widest of them.
#pragma once
#include <string>
#include <vector>

namespace weft {

using Cells = std::vector<std::string>;

struct Columns {
  std::vector<bool> left;            ///< names on the left, numbers on the right
  std::vector<std::size_t> width{};  ///< grown by fit()

  /// Makes room for a line; it may have fewer cells than there are columns.
  void fit(const Cells& line);
  std::string text(const Cells& line) const;
};

}  // namespace weft
