// SPDX-License-Identifier: Apache-2.0
// Sums and quantiles of histograms.
#include "sim/measure/histogram.hpp"

#include <algorithm>

namespace weft::sim {

Histogram& Histogram::operator+=(const Histogram& other) {
  count_.resize(std::max(count_.size(), other.count_.size()));
  for (std::size_t cell = 0; cell < other.count_.size(); ++cell) count_[cell] += other.count_[cell];
  total_ += other.total_;
  sum_ += other.sum_;
  most_ = std::max(most_, other.most_);
  return *this;
}

Cycle Histogram::middle_of(std::size_t cell) {
  if (cell < exact) return cell;
  const Cycle behind = cell - exact;
  const auto power = static_cast<unsigned>(behind >> cell_bits) + exact_bits;
  const Cycle within = behind & ((Cycle{1} << cell_bits) - 1);
  const unsigned width_bits = power - cell_bits;
  return ((within + (Cycle{1} << cell_bits)) << width_bits) + (Cycle{1} << width_bits) / 2;
}

Cycle Histogram::quantile(unsigned per_mille) const {
  if (total_ == 0) return 0;
  const std::uint64_t rank = std::max<std::uint64_t>(
      1, total_ / 1000 * per_mille + (total_ % 1000 * per_mille + 999) / 1000);
  std::uint64_t seen = 0;
  std::size_t cell = 0;
  while ((seen += count_[cell]) < rank) ++cell;
  return std::min(middle_of(cell), most_);
}

std::uint64_t Histogram::below(Cycle value) const {
  std::uint64_t out = 0;
  for (std::size_t cell = 0; cell < count_.size() && middle_of(cell) < value; ++cell)
    out += count_[cell];
  return out;
}

}  // namespace weft::sim
