// SPDX-License-Identifier: Apache-2.0
// A table of the runs of a sweep: a line for each, with the values in which they differ.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "lab/report/columns.hpp"
#include "lab/sweep/varied.hpp"

namespace weft {

/// Every line in columns as wide as the widest cell.
void write_lines(std::ostream& out, Columns layout, const std::vector<Cells>& lines);

class RunTable {
 public:
  explicit RunTable(std::size_t runs) : lines_(runs + 1) {}
  /// A column; `cell` makes the text of a run. Names are on the left, numbers on the right.
  template <class Cell>
  void add(const std::string& name, bool left, const Cell& cell) {
    layout_.left.push_back(left);
    lines_[0].push_back(name);
    for (std::size_t i = 0; i + 1 < lines_.size(); ++i) lines_[i + 1].push_back(cell(i));
  }
  /// A column for each.
  void add(const std::vector<VariedValue>& varied);
  void write(std::ostream& out) const { write_lines(out, layout_, lines_); }

 private:
  Columns layout_{};
  std::vector<Cells> lines_;
};

}  // namespace weft
