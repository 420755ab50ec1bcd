// SPDX-License-Identifier: Apache-2.0
// How many threads move a network.
#pragma once
#include <cstdint>
#include <string>

#include "lab/cluster/machine.hpp"

namespace weft {

/// Whether hosts are moved by all threads, with their switches, or by one.
enum class HostsOn { all_threads, one_thread };

/// Why those of a host program stay with one thread; empty: they do not. Ranks that are watched may
/// share more than messages.
std::string hosts_stay_because(const Machine& machine, bool ranks_are_apart);
inline HostsOn hosts_on(const Machine& machine, bool ranks_are_apart) {
  const bool apart = hosts_stay_because(machine, ranks_are_apart).empty();
  return apart ? HostsOn::all_threads : HostsOn::one_thread;
}

/// Throws Error where a fabric has fewer switches than threads are wanted.
void require_threads(const Fabric& fabric, std::uint64_t wanted);

/// The threads that are wanted; 0: all cores, but no more than gain by the size of the network
/// (docs/design/performance.md has the measurements). Throws Error where switches are fewer.
unsigned threads_for(const Fabric& fabric, std::uint64_t wanted, HostsOn hosts);

}  // namespace weft
