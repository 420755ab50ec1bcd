// SPDX-License-Identifier: Apache-2.0
// GUIDs and LIDs for fabrics without them: InfiniBand's formats need both.
#pragma once
#include "fabric/fabric.hpp"

namespace weft {

/// Returns the fabric with every missing GUID and LID filled in, deterministically, so that several
/// files of one fabric agree: hosts have the LIDs from 1 on, then the switches; switch i has GUID
/// 0x100000 + i, the NIC of host i has 0x200000 + 16 i, and its port p has that + p. Values in use
/// are skipped. LIDs stay 0 in a fabric with more than InfiniBand has (49,151).
Fabric with_addresses(const Fabric& fabric);

}  // namespace weft
