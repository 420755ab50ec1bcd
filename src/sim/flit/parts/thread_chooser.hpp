// SPDX-License-Identifier: Apache-2.0
// ThreadChooser: whether several threads move a network faster than one, by the clock on the wall.
// Windows may have too little work for threads that wait for each other, and other programs may
// keep the cores busy; so both ways are tried for a moment, again and again, but ever more seldom
// as long as the answer stays. The results are the same either way.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace weft::sim {

class ThreadChooser {
 public:
  bool several() const { return several_; }
  /// Seconds of the present way before the other one may be tried.
  double left() const { return std::max(wanted_ - seconds_, 0.0); }

  /// Steps are timed from now on, with so many flit-hops before them.
  void begin(std::uint64_t flit_hops) {
    hops_then_ = flit_hops;
    then_ = Clock::now();
    steps_ = 0;
  }
  /// A step has been made.
  void stepped(std::uint64_t flit_hops) {
    if (++steps_ < steps_of_a_look_) return;
    const std::uint64_t hops = flit_hops - hops_then_;
    const Clock::time_point then = then_;
    const unsigned steps = steps_;
    begin(flit_hops);
    const std::chrono::duration<double> took = then_ - then;
    // Steps of large networks are long, and those of small ones shorter than a look at the clock.
    constexpr double often = 0.2e-3, most_steps = 64;
    steps_of_a_look_ =
        static_cast<unsigned>(std::clamp(steps * often / took.count(), 1.0, most_steps));
    moved(hops, took.count());
  }
  /// So many flit-hops have taken so long.
  void moved(std::uint64_t flit_hops, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  /// One thread goes on where it has left off; parts find their data in the caches of others.
  static constexpr double trial_of_one = 4e-3, trial_of_several = 10e-3;
  static constexpr double shortest_pause = 200e-3, longest_pause = 4;
  /// Times are never quite right: one thread must be faster by so much.
  static constexpr double clearly_faster = 1.15;
  /// The present way goes on, is timed, or is tried against the one that was timed.
  enum class TrialState { pause, timing, trying };
  double trial() const { return several_ ? trial_of_several : trial_of_one; }
  bool one_is_faster(double rate) const;
  void next(TrialState state, double seconds);

  bool several_ = true;
  TrialState state_ = TrialState::timing;
  double wanted_ = 2 * trial_of_several, seconds_ = 0, pause_ = shortest_pause;
  double rate_ = 0;  ///< of the way that was timed
  std::uint64_t hops_ = 0, hops_then_ = 0;
  Clock::time_point then_ = Clock::now();
  unsigned steps_ = 0, steps_of_a_look_ = 1;
};

}  // namespace weft::sim
