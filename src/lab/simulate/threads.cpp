// SPDX-License-Identifier: Apache-2.0
// Threads by the size of a network, and by the cores that this process may use.
#include "lab/simulate/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"

namespace weft {
namespace {

/// Those that a job has, which may be fewer than the machine's: threads that share a core wait.
std::size_t usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&cores)));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

unsigned threads_for(const Fabric& fabric, std::uint64_t wanted) {
  if (wanted > fabric.switch_count())
    throw Error("threads={}: {} has {} switches, and every thread moves one or more", wanted,
                fabric.name(), fabric.switch_count());
  if (wanted > 0) return static_cast<unsigned>(wanted);
  constexpr std::size_t ports_each = 1024;  // fewer wait for each other longer than they work
  std::size_t ports = 0;
  for (const SwitchId s : fabric.switches()) ports += fabric[s].ports;
  const std::size_t gain = std::min(ports / ports_each, fabric.switch_count());
  return static_cast<unsigned>(std::clamp<std::size_t>(gain, 1, usable_cores()));
}

}  // namespace weft
