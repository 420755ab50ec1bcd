// SPDX-License-Identifier: Apache-2.0
// Timing the two ways of moving flits.
#include "sim/flit/path_chooser.hpp"

#include <algorithm>
#include <cmath>

#include "base/processor_counters.hpp"

namespace weft::sim {

bool PathChooser::is_stale(const PathTiming& timing, double hops_per_cycle) const {
  constexpr std::uint32_t longest = 256;
  if (timing.age == never_timed || timing.age > longest) return true;
  return std::abs(timing.hops_per_cycle - hops_per_cycle) > 0.3 * hops_per_cycle;
}

bool PathChooser::use_words(Cycle now, std::uint64_t flit_hops, bool in_words, double estimate) {
  const double seconds = processor_seconds();
  const auto hops = static_cast<double>(hops_since(flit_hops));
  const double per_cycle = hops / static_cast<double>(cycles_since(now) + 1);
  // The first interval on a path pays for changing to it.
  if (in_words != was_in_words_) intervals_ = 0;
  was_in_words_ = in_words;
  std::array<PathTiming, 2>& timings = timings_[several_];
  if (++intervals_ > 1 && hops > 0)
    timings[in_words] = {(seconds - seconds_then_) / hops, per_cycle, 0};
  for (PathTiming& timing : timings)
    if (timing.age != never_timed) ++timing.age;
  next_ = now + interval_;
  then_ = now;
  hops_then_ = flit_hops;
  seconds_then_ = seconds;

  constexpr double clear = 2.5;
  clear_ = estimate > clear || estimate < 1 / clear;
  if (clear_) return estimate < 1;
  const PathTiming &own = timings[in_words], &other = timings[!in_words];
  const bool own_is_stale = is_stale(own, per_cycle);
  if (own_is_stale || is_stale(other, per_cycle)) {
    // The slower one may be much slower: it is not tried for long.
    next_ = now + std::max<Cycle>(interval_ / 8, 1);
    pause_ = interval_;
    return own_is_stale == in_words;
  }
  const bool stays = own.seconds <= other.seconds;
  pause_ = stays ? std::min(2 * pause_, longest_) : interval_;
  next_ = now + pause_;
  return stays == in_words;
}

}  // namespace weft::sim
