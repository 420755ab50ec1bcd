// SPDX-License-Identifier: Apache-2.0
// Counts of ranks at moments of a run, from which follows what a rank did when.
#pragma once
#include <cstddef>
#include <vector>

#include "lab/path/path_step.hpp"

namespace weft {

class WorkHistory {
 public:
  /// Keeps the first `most` moments of all ranks.
  WorkHistory(int ranks, std::size_t most) : ranks_(static_cast<std::size_t>(ranks)), most_(most) {}
  /// Calls come in the order of time.
  void add(comm::Rank rank, const RankCounts& now);
  /// Until when all moments are kept.
  comm::Time until() const { return until_; }
  /// Cuts the work of a rank from `begin` on into pieces between the moments that are known, in the
  /// order of time: each is as long as its sum, and they add up to the whole.
  std::vector<OwnWork> pieces(comm::Rank rank, comm::Time begin, const OwnWork& whole) const;

 private:
  std::vector<std::vector<RankCounts>> ranks_;
  std::size_t most_, kept_ = 0;
  comm::Time until_ = comm::Time::max();
};

}  // namespace weft
