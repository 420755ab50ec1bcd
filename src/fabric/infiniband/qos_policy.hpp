// SPDX-License-Identifier: Apache-2.0
// OpenSM's QoS policy, where it gives service levels to pairs of ports.
#pragma once
#include <string_view>

#include "fabric/infiniband/service_levels.hpp"

namespace weft::infiniband {

/// Whether it is a policy, and one whose levels depend on ports alone: not on the service, the
/// class or the partition that a program asks for.
bool recognises_policy(std::string_view text);
/// The level of every pair of hosts: that of the first rule that it matches, or the default. Throws
/// Error, also when most of the ports are not of the fabric.
PathLevels read_policy(const Source& source, const Fabric& fabric);

}  // namespace weft::infiniband
