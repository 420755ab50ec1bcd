// SPDX-License-Identifier: Apache-2.0
// Asking the system for cores.
#include "lab/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace weft {

std::size_t usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&cores)));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace weft
