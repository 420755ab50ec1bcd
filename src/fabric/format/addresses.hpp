// SPDX-License-Identifier: Apache-2.0
// GUIDs and LIDs for fabrics that come without: InfiniBand's formats cannot do without them.
#pragma once
#include "fabric/fabric.hpp"

namespace weft {

/// The fabric with every missing GUID and LID filled in, always the same way, so that several files
/// written of one fabric agree: hosts have the LIDs from 1 on, then the switches; switch i has GUID
/// 0x100000 + i, the NIC of host i has 0x200000 + 16 i, port p of it that + p. What is taken is
/// passed over. LIDs stay 0 in a fabric with more than InfiniBand has (49,151).
Fabric with_addresses(const Fabric& fabric);

}  // namespace weft
