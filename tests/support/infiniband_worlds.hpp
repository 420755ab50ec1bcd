// SPDX-License-Identifier: Apache-2.0
// Simulated worlds with links and switches like those of InfiniBand, and a library like UCX.
#pragma once
#include <cstddef>
#include <string>

#include "support/worlds.hpp"

namespace weft::test {

/// Limits of with_ucx(), short ones so that messages of many fragments stay short.
inline constexpr std::size_t fragment = 1024, eager = 8192;

/// 200 Gb/s links and InfiniBand's switches.
inline Machine infiniband(const std::string& nic = "hca", int hosts = 2) {
  return Machine("crossbar:speed=200Gb/s,hosts=" + std::to_string(hosts), "updown", nic,
                 "infiniband");
}

inline run::WorldOptions with_ucx(const std::string& more = {}) {
  run::WorldOptions options;
  options.library = comm::library_from("ucx:fragment=1KiB,eager=8KiB" + more);
  return options;
}

}  // namespace weft::test
