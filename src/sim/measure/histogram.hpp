// SPDX-License-Identifier: Apache-2.0
// A histogram of latencies: exact below 4096 cycles, to 0.1 % above; mean and maximum are exact.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/time.hpp"

namespace weft::sim {

class Histogram {
 public:
  [[gnu::always_inline]] void add(Cycle value) {
    const std::size_t cell = value < exact ? static_cast<std::size_t>(value) : cell_of(value);
    if (cell >= count_.size()) count_.resize(cell + 1);
    ++count_[cell];
    ++total_;
    sum_ += value;
    if (value > most_) most_ = value;
  }
  Histogram& operator+=(const Histogram& other);
  std::uint64_t count() const { return total_; }
  Cycle most() const { return most_; }
  double mean() const {
    return total_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(total_);
  }
  /// The least value that `per_mille` of the values do not exceed; 0 when there are none. Of a cell
  /// with several values it is the middle.
  Cycle quantile(unsigned per_mille) const;
  /// How many values are below this one; those of a cell are taken for its middle.
  std::uint64_t below(Cycle value) const;

 private:
  static constexpr Cycle exact = 4096;
  static constexpr unsigned exact_bits = 12, cell_bits = 10;  ///< 1024 cells per power of two
  static std::size_t cell_of(Cycle value) {
    const auto power = static_cast<unsigned>(std::bit_width(value)) - 1;
    const Cycle within = (value >> (power - cell_bits)) - (Cycle{1} << cell_bits);
    return static_cast<std::size_t>(exact + (Cycle{power - exact_bits} << cell_bits) + within);
  }
  static Cycle middle_of(std::size_t cell);

  std::vector<std::uint64_t> count_ = std::vector<std::uint64_t>(exact);
  std::uint64_t total_ = 0, sum_ = 0;
  Cycle most_ = 0;
};

}  // namespace weft::sim
