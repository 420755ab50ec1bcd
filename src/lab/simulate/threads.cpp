// SPDX-License-Identifier: Apache-2.0
#include "lab/simulate/threads.hpp"

#include <algorithm>
#include <thread>

#include "base/error.hpp"

namespace weft {

unsigned threads_for(const Fabric& fabric, std::uint64_t wanted) {
  if (wanted > fabric.switch_count())
    throw Error("threads={}: {} has {} switches, and every thread moves one or more", wanted,
                fabric.name(), fabric.switch_count());
  if (wanted > 0) return static_cast<unsigned>(wanted);
  constexpr std::size_t ports_each = 1024;  // fewer wait for each other longer than they work
  std::size_t ports = 0;
  for (const SwitchId s : fabric.switches()) ports += fabric[s].ports;
  const std::size_t gain = std::min(ports / ports_each, fabric.switch_count());
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<std::size_t>(gain, 1, cores));
}

}  // namespace weft
