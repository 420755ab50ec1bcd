// SPDX-License-Identifier: Apache-2.0
// Two hosts of a fabric with the switches and cables between them as a machine of its own: what two
// hosts of a large cluster can do together is simulated without routing the cluster.
#pragma once
#include <optional>

#include "lab/cluster/machine.hpp"

namespace weft {

/// Along a shortest path. Throws Error when there is none.
Fabric path_between(const Fabric& fabric, HostId from, HostId to);
/// Another host that is as near, or as far away, as any, by switches; nothing where none is
/// reachable.
std::optional<HostId> nearest_to(const Fabric& fabric, HostId host);
std::optional<HostId> farthest_from(const Fabric& fabric, HostId host);

/// The switches, NICs and library of a machine on another fabric, with shortest routes.
Machine on_fabric(const MachineRequest& parts, Fabric fabric);

/// One way of a ping-pong between the first two hosts of a machine.
Duration half_round_trip(const Machine& machine, Bytes size);
/// Of long writes of its first host to its second, several at a time.
Bandwidth write_rate(const Machine& machine);

}  // namespace weft
