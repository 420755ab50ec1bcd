// SPDX-License-Identifier: Apache-2.0
// PathChooser: moves flits by events or in words, whichever takes less processor time. The results
// are the same, so the choice may depend on the machine. An estimate decides where the difference
// is large; elsewhere both are tried and timed, again and again, but ever more seldom as long as
// the answer stays.
#pragma once
#include <array>
#include <cstdint>

#include "sim/time.hpp"

namespace weft::sim {

class PathChooser {
 public:
  /// `interval` is the number of cycles between two choices; where the answer stays, up to so many
  /// `times`.
  explicit PathChooser(Cycle interval, Cycle times = 1)
      : interval_(interval), longest_(times * interval), next_(interval) {}

  /// Another number of threads moves the network: paths have times of their own then.
  void threads_are_others(bool several) {
    several_ = several;
    intervals_ = 0;
    choose_at_once();
  }

  bool due(Cycle now) const { return now >= next_; }
  Cycle next() const { return next_; }
  /// Whether it was easy the last time.
  bool was_clear() const { return clear_; }
  void choose_at_once() { next_ = 0; }
  void postpone(Cycle now) { next_ = now + interval_; }
  /// Flit-hops since the last choice, and cycles.
  std::uint64_t hops_since(std::uint64_t flit_hops) const { return flit_hops - hops_then_; }
  Cycle cycles_since(Cycle now) const { return now - then_; }
  /// Whether to use words from now on. `estimate` is the time in words as a share of that by
  /// events.
  bool use_words(Cycle now, std::uint64_t flit_hops, bool in_words, double estimate);

 private:
  /// What a path took per flit-hop, and under which load that was.
  struct PathTiming {
    double seconds = 0, hops_per_cycle = 0;
    std::uint32_t age = never_timed;  ///< choices since
  };
  static constexpr std::uint32_t never_timed = ~std::uint32_t{0};
  bool is_stale(const PathTiming& timing, double hops_per_cycle) const;

  const Cycle interval_, longest_;
  Cycle pause_ = interval_;  ///< up to the next choice
  Cycle next_, then_ = 0;
  std::uint64_t hops_then_ = 0;
  double seconds_then_ = 0;
  bool was_in_words_ = false, clear_ = false, several_ = true;
  std::uint32_t intervals_ = 0;                         ///< on the present path
  std::array<std::array<PathTiming, 2>, 2> timings_{};  ///< by one thread, by several
};

}  // namespace weft::sim
