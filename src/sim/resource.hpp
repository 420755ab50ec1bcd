// SPDX-License-Identifier: Apache-2.0
// Resource: something that serves one at a time, first come, first served: a bus, a DMA engine, a
// processor. As nobody overtakes, the time of leaving is known on entering.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/units.hpp"

namespace weft::sim {

class Resource {
 public:
  /// When a job that comes `now` and takes `service` is done. Calls come in the order of time.
  Duration enter(Duration now, Duration service) {
    const Duration start = std::max(now, free_at_);
    waited_ += start - now;
    busy_ += service;
    ++served_;
    return free_at_ = start + service;
  }
  /// A short job that comes later, at `from`: it is counted, but those that come before it do not
  /// wait for it.
  Duration slip_in(Duration from, Duration service) {
    busy_ += service;
    ++served_;
    return std::max(from, free_at_) + service;
  }
  /// When a job that would come `now` could begin.
  Duration free_at(Duration now) const { return std::max(now, free_at_); }

  Duration busy() const { return busy_; }      ///< in all, also what is booked ahead
  Duration waited() const { return waited_; }  ///< by all jobs together
  std::uint64_t served() const { return served_; }
  double utilisation(Duration of) const {
    return of.count() > 0 ? static_cast<double>(busy_.count()) / static_cast<double>(of.count())
                          : 0;
  }

 private:
  Duration free_at_{0}, busy_{0}, waited_{0};
  std::uint64_t served_ = 0;
};

}  // namespace weft::sim
