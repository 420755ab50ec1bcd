// SPDX-License-Identifier: Apache-2.0
// PlannedShare: how much of a measurement is done, for progress lines. Its end is a plan that may
// be put off: the share that is left is then spread over the longer time, and never falls.
#pragma once
#include <algorithm>

#include "sim/time.hpp"

namespace weft::sim {

class PlannedShare {
 public:
  /// At cycle `now` the end is expected at cycle `end`. Where that is not certain, half of what is
  /// left is kept for the time after it.
  void plan(Cycle now, Cycle end, bool certain) {
    if (end == end_ && certain == certain_) return;
    begin_share_ = at(now);
    end_share_ = certain ? 1 : (1 + begin_share_) / 2;
    begin_ = now;
    end_ = std::max(end, now + 1);
    certain_ = certain;
  }
  /// The share that is done at a cycle from the last plan() on, 0 to 1.
  double at(Cycle now) const {
    const auto part = static_cast<double>(std::min(now, end_) - begin_);
    return begin_share_ + (end_share_ - begin_share_) * part / static_cast<double>(end_ - begin_);
  }

 private:
  Cycle begin_ = 0, end_ = 1;
  bool certain_ = false;
  double begin_share_ = 0, end_share_ = 0;
};

}  // namespace weft::sim
