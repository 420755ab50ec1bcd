// SPDX-License-Identifier: Apache-2.0
// Simulations begun before it is known whether they are needed, on cores that would be idle: the
// steps of a search for saturation follow from each other, and this way some of them are over when
// their turn comes. What is needed, and its results, do not depend on it.
#pragma once
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <vector>

#include "lab/simulate/saturation.hpp"

namespace weft {

/// All of its functions may be called by several threads.
class LookAhead {
 public:
  LookAhead(Simulate simulate, std::size_t cores) : simulate_(std::move(simulate)), cores_(cores) {}

  /// The result, by waiting for it where the simulation was begun.
  SimulationResult operator()(const SimulationExperiment& point);

  /// Begins the one that is needed next, and of the others as many as there are idle cores.
  void begin(const SimulationExperiment& needed, const std::vector<SimulationExperiment>& others);

 private:
  void begin(const SimulationExperiment& point, std::size_t cores);

  Simulate simulate_;
  std::size_t cores_;
  std::atomic<std::size_t> busy_ = 0;
  std::mutex mutex_;  ///< guards what is below, whose destructors wait
  std::map<SimulationSpec, std::future<SimulationResult>> begun_;
};

}  // namespace weft
