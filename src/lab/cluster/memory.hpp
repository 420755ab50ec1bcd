// SPDX-License-Identifier: Apache-2.0
// Refuses tables that cannot fit into memory before the kernel kills the program.
#pragma once
#include <cstdint>

#include "fabric/fabric.hpp"

namespace weft {

/// Bytes of this machine's memory.
std::uint64_t machine_memory();

/// Bytes that tables for this fabric take at least, whatever the routing engine.
std::uint64_t table_bytes(const Fabric& fabric);

/// Throws Error when tables for this fabric are larger than `available` bytes.
void require_memory(const Fabric& fabric, std::uint64_t available = machine_memory());

}  // namespace weft
