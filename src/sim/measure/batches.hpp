// SPDX-License-Identifier: Apache-2.0
// Batch means: how well a mean over time is known when neighbours in time resemble each other.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "sim/time.hpp"

namespace weft::sim {

/// Values go into 16 to 32 batches of equal time; when a value lies beyond the last one, batches
/// are joined two by two.
class Batches {
 public:
  /// `at` counts from the start of the measured time.
  void add(Cycle at, Cycle value) {
    while (at >> shift_ >= most) join();
    Batch& batch = batch_[static_cast<std::size_t>(at >> shift_)];
    batch.sum += value;
    ++batch.count;
  }

  /// The values of both.
  Batches& operator+=(Batches other);

  /// Half the width of the mean's 95 % confidence interval (Student's t), from the batches that end
  /// before `length`; the wider of those of the batches and of their pairs, since batches that are
  /// too short resemble each other and make the interval too narrow. None: fewer than two batches
  /// have values.
  std::optional<double> half_width(Cycle length) const;
  /// Whether half_width is at most a hundredth of the mean; in whole numbers, so that every machine
  /// decides alike.
  bool within_one_percent(Cycle length) const;

 private:
  struct Batch {
    std::uint64_t sum = 0, count = 0;
  };
  struct Spread;
  static constexpr std::size_t most = 32;

  void join();
  Spread spread(Cycle length, std::size_t together) const;

  unsigned shift_ = 0;
  std::array<Batch, most> batch_{};
};

}  // namespace weft::sim
