// SPDX-License-Identifier: Apache-2.0
// One thread or several: what follows from what a way has done.
#include "sim/flit/parts/thread_chooser.hpp"

namespace weft::sim {

void ThreadChooser::moved(std::uint64_t flit_hops, double seconds) {
  hops_ += flit_hops;
  seconds_ += seconds;
  if (seconds_ < wanted_) return;
  const double rate = static_cast<double>(hops_) / seconds_;
  if (rate == 0) return next(phase_, wanted_);  // says nothing
  switch (phase_) {
    case Phase::pause:
      return next(Phase::timing, trial);
    case Phase::timing:
      rate_ = rate;
      several_ = !several_;
      return next(Phase::trying, trial);
    case Phase::trying:
      if (rate > worth_changing * rate_) {
        pause_ = shortest_pause;
      } else {
        several_ = !several_;
        pause_ = std::min(4 * pause_, longest_pause);
      }
      return next(Phase::pause, pause_);
  }
}

void ThreadChooser::next(Phase phase, double seconds) {
  phase_ = phase;
  wanted_ = seconds;
  seconds_ = 0;
  hops_ = 0;
}

}  // namespace weft::sim
