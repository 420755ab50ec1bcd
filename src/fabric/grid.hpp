// SPDX-License-Identifier: Apache-2.0
// Grid: rows of values by column of the tables; and the number types that tables are made of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"

namespace weft {

/// A destination tree: one out-port per switch. Hosts that are reached alike share a column.
using ColumnId = Id<struct ColumnTag>;

using Lane = std::uint8_t;
inline constexpr int most_lanes = 64;

/// One row of `width` values per column, stored column by column.
template <class T>
class Grid {
 public:
  Grid() = default;
  Grid(std::size_t columns, std::size_t width, T value)
      : width_(width), columns_(columns), values_(columns * width, value) {}
  std::span<T> operator[](ColumnId c) { return {values_.data() + c.index() * width_, width_}; }
  std::span<const T> operator[](ColumnId c) const {
    return {values_.data() + c.index() * width_, width_};
  }
  IdRange<ColumnId> ids() const { return IdRange<ColumnId>(columns_); }
  std::size_t size() const { return columns_; }
  std::size_t width() const { return width_; }
  /// The first row gives the width, which the others must have.
  ColumnId push_back(std::span<const T> row) {
    invariant(columns_ == 0 || row.size() == width_, "the rows of a grid differ in width");
    width_ = row.size();
    values_.insert(values_.end(), row.begin(), row.end());
    return ColumnId(columns_++);
  }
  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::size_t width_ = 0, columns_ = 0;
  std::vector<T> values_;
};

}  // namespace weft
