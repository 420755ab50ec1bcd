// SPDX-License-Identifier: Apache-2.0
// Sums of times.
#include <algorithm>
#include <cmath>

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

namespace {
constexpr std::size_t most_until_steady = 1000;
}  // namespace

void Laps::expect_until_steady() {
  until_steady_ = true;
  slowest_.reserve(most_until_steady);  // they stay where they are
}

bool Laps::goes_on(std::size_t iteration) {
  if (!until_steady_) return iteration < slowest_.size();
  const std::lock_guard lock(mutex_);
  if (iteration < slowest_.size()) return true;
  if (is_over_) return false;
  is_over_ = iteration >= most_until_steady || is_steady();
  if (!is_over_) slowest_.resize(iteration + 1);
  return !is_over_;
}

/// Other ranks may still be in the last two iterations: these do not count.
bool Laps::is_steady() const {
  if (slowest_.size() < 12) return false;
  const auto count = static_cast<double>(slowest_.size() - 2);
  double sum = 0, squares = 0;
  for (auto each = slowest_.begin(); each != slowest_.end() - 2; ++each) {
    const auto time = static_cast<double>(each->count());
    sum += time;
    squares += time * time;
  }
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  return 1.96 * deviation / std::sqrt(count) <= 0.01 * mean;
}

void Laps::add(comm::Rank rank, std::size_t iteration, Duration time) {
  ranks_[static_cast<std::size_t>(rank)].add(time);
  const std::atomic_ref slowest(slowest_[iteration]);
  for (Duration known = slowest.load(std::memory_order_relaxed); known < time;)
    if (slowest.compare_exchange_weak(known, time, std::memory_order_relaxed)) break;
  if (watcher_ && iteration >= ended_.load(std::memory_order_relaxed)) tell(iteration);
}

void Laps::tell(std::size_t iteration) {
  const std::lock_guard lock(mutex_);
  if (iteration < ended_) return;
  ended_ = iteration + 1;
  watcher_(ended_, until_steady_ ? std::nullopt : std::optional(slowest_.size()));
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
