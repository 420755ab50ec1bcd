// SPDX-License-Identifier: Apache-2.0
// How many threads move a network.
#pragma once
#include <cstdint>

#include "lab/cluster/machine.hpp"

namespace weft {

/// Whether hosts are moved by all threads, with their switches, or by one.
enum class HostsOn { all_threads, one_thread };

/// Those of a host program, whose ranks may share nothing but messages.
HostsOn hosts_on(const Machine& machine, bool ranks_are_apart);

/// The threads that are wanted; 0: all cores, but no more than gain by the size of the network
/// (docs/design/performance.md has the measurements). Throws Error where switches are fewer.
unsigned threads_for(const Fabric& fabric, std::uint64_t wanted, HostsOn hosts);

}  // namespace weft
