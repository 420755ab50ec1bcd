// SPDX-License-Identifier: Apache-2.0
// Sums of times.
#include <algorithm>

#include "lab/programs/program.hpp"

namespace weft {

void Laps::Sum::add(Duration time) {
  ++count;
  sum += time;
  least = std::min(least, time);
  most = std::max(most, time);
}

void Laps::Sum::add(const Sum& other) {
  count += other.count;
  sum += other.sum;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

Times Laps::Sum::times() const {
  if (count == 0) return {};
  return {sum / count, least, most};
}

void Laps::add(comm::Rank rank, std::size_t iteration, Duration time) {
  ranks_[static_cast<std::size_t>(rank)].add(time);
  slowest_[iteration] = std::max(slowest_[iteration], time);
}

Times Laps::of(comm::Rank rank) const { return ranks_[static_cast<std::size_t>(rank)].times(); }

Times Laps::all() const {
  Sum sum;
  for (const Sum& rank : ranks_) sum.add(rank);
  return sum.times();
}

Times Laps::means() const {
  Sum sum;
  for (const Sum& rank : ranks_)
    if (rank.count > 0) sum.add(rank.times().mean);
  return sum.times();
}

Times Laps::slowest() const {
  Sum sum;
  for (const Duration time : slowest_) sum.add(time);
  return sum.times();
}

}  // namespace weft
