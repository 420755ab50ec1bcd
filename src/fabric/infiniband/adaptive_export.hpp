// SPDX-License-Identifier: Apache-2.0
// Tables as InfiniBand's adaptive switches hold them; the reverse of adaptive_choices.hpp.
#pragma once
#include <vector>

#include "fabric/infiniband/adaptive_tables.hpp"

namespace weft::infiniband {

/// Entries of one port are static, those of several are free to take any port of a group; what is
/// preferred less is in later sub-groups. The static port is the first of those that are preferred.
/// Equal sets of a switch are one group. A fabric without GUIDs and LIDs has those of
/// with_addresses. Throws RefusedError for what InfiniBand's switches cannot do: ports that depend
/// on the phase, intermediate destinations, lanes that follow from the port, source routes.
std::vector<AdaptiveSwitch> adaptive_switches(const Fabric& fabric, const Tables& tables);

}  // namespace weft::infiniband
