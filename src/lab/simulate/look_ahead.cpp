// SPDX-License-Identifier: Apache-2.0
// Simulations begun before it is known whether they are needed.
#include "lab/simulate/look_ahead.hpp"

#include <limits>
#include <system_error>

namespace weft {
namespace {

/// Counts one more as long as it lives.
class Busy {
 public:
  explicit Busy(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  ~Busy() { --count_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<std::size_t>& count_;
};

}  // namespace

SimulationResult LookAhead::operator()(const SimulationExperiment& point) {
  std::future<SimulationResult> begun;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = begun_.extract(point.request.spec)) begun = std::move(found.mapped());
  }
  if (begun.valid()) return begun.get();
  const Busy busy(busy_);
  return simulate_(point);
}

void LookAhead::begin(const SimulationExperiment& needed,
                      const std::vector<SimulationExperiment>& others) {
  if (cores_ < 2) return;
  begin(needed, std::numeric_limits<std::size_t>::max());
  for (const SimulationExperiment& point : others) begin(point, cores_);
}

void LookAhead::begin(const SimulationExperiment& point, std::size_t cores) {
  const std::lock_guard lock(mutex_);
  if (busy_ >= cores || begun_.contains(point.request.spec)) return;
  auto busy = std::make_shared<Busy>(busy_);
  try {
    begun_.emplace(point.request.spec,
                   std::async(std::launch::async, [this, point, busy = std::move(busy)]() mutable {
                     const std::shared_ptr<Busy> until_done = std::move(busy);
                     return simulate_(point);
                   }));
  } catch (const std::system_error&) {
    // No thread is to be had: what is needed then runs in the one that asks for it.
  }
}

}  // namespace weft
