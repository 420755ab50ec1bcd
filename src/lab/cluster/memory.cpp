// SPDX-License-Identifier: Apache-2.0
// Compares the memory that tables need at least with what this machine has.
#include "lab/cluster/memory.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "fabric/tables.hpp"

namespace weft {

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t table_bytes(const Fabric& fabric) {
  const std::uint64_t columns = std::min(fabric.switch_count(), fabric.host_count());
  return columns * fabric.switch_count() * sizeof(PortNumber);
}

void require_memory(const Fabric& fabric, std::uint64_t available) {
  const std::uint64_t needed = table_bytes(fabric);
  if (needed <= available) return;
  constexpr double gigabyte = 1e9;
  throw Error("{}: tables for {} switches and {} hosts take {:.1f} GB; this machine has {:.1f} GB",
              fabric.name(), fabric.switch_count(), fabric.host_count(),
              static_cast<double>(needed) / gigabyte, static_cast<double>(available) / gigabyte);
}

}  // namespace weft
