// SPDX-License-Identifier: Apache-2.0
// SharedRows: rows of a table, of which equal ones are kept once.
#pragma once
#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/huge_pages.hpp"

namespace weft::sim {

/// Adds rows to a table that outlives it.
template <class Value>
class SharedRows {
 public:
  explicit SharedRows(HugeVector<Value>& values) : values_(values) {}
  /// Where a row begins in the table; it is added unless it is there already.
  std::size_t add(std::span<const Value> row) {
    if (is_at(last_, row)) return last_;  // often
    const std::string_view bytes(reinterpret_cast<const char*>(row.data()), row.size_bytes());
    const std::size_t hash = std::hash<std::string_view>()(bytes);
    const auto [first, end] = known_.equal_range(hash);
    const auto found =
        std::find_if(first, end, [&](const auto& each) { return is_at(each.second, row); });
    if (found != end) return last_ = found->second;
    last_ = values_.size();
    known_.emplace(hash, last_);
    values_.insert(values_.end(), row.begin(), row.end());
    return last_;
  }

 private:
  bool is_at(std::size_t place, std::span<const Value> row) const {
    return place + row.size() <= values_.size() &&
           std::equal(row.begin(), row.end(), values_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  HugeVector<Value>& values_;
  std::unordered_multimap<std::size_t, std::size_t> known_;  ///< by hash
  std::size_t last_ = 0;
};

}  // namespace weft::sim
