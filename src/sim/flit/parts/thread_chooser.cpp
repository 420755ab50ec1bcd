// SPDX-License-Identifier: Apache-2.0
// One thread or several: what follows from what a way has done.
#include "sim/flit/parts/thread_chooser.hpp"

namespace weft::sim {

void ThreadChooser::moved(std::uint64_t flit_hops, double seconds) {
  hops_ += flit_hops;
  seconds_ += seconds;
  if (seconds_ < wanted_) return;
  const double rate = static_cast<double>(hops_) / seconds_;
  if (rate == 0) return next(state_, wanted_);  // says nothing
  switch (state_) {
    case TrialState::pause:
      return next(TrialState::timing, trial());
    case TrialState::timing:
      rate_ = rate;
      several_ = !several_;
      return next(TrialState::trying, trial());
    case TrialState::trying:
      const bool changes = several_ == one_is_faster(rate);
      pause_ = changes ? std::min(2 * pause_, longest_pause) : shortest_pause;
      if (changes) several_ = !several_;
      return next(TrialState::pause, pause_);
  }
}

/// Than several threads, with the rate of the way that is tried.
bool ThreadChooser::one_is_faster(double rate) const {
  return several_ ? rate_ > clearly_faster * rate : rate > clearly_faster * rate_;
}

void ThreadChooser::next(TrialState state, double seconds) {
  state_ = state;
  wanted_ = seconds;
  seconds_ = 0;
  hops_ = 0;
}

}  // namespace weft::sim
