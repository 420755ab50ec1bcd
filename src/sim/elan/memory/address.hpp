// SPDX-License-Identifier: Apache-2.0
// Addresses of the Elan, the NIC of QsNet (Petrini et al. 2002): virtual ones of 32 bits, the
// physical ones behind them, and the traps of refused accesses.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::sim::elan {

using Address = std::uint32_t;      ///< an Elan virtual address; 0 is none
using HostAddress = std::uint64_t;  ///< a virtual address of the main processor
using Context = std::uint16_t;      ///< a process on one host, as its Elan knows it; 0 is none
using Process = std::uint32_t;      ///< a process of the machine (its VPID)
using PageNumber = std::uint32_t;   ///< a virtual address in pages
using FrameNumber = std::uint32_t;  ///< a physical address of one memory in pages
using SegmentId = std::uint64_t;    ///< an exported segment; never reused; 0 is none

enum class MemoryKind : std::uint8_t { main, sdram };
enum class Access : std::uint8_t { read, write };
enum class AccessRights : std::uint8_t { none = 0, read = 1, write = 2, both = 3 };

/// What a process wants to do at an address of a context.
struct VirtualAccess {
  Context context = 0;
  Address address = 0;
  Access access = Access::read;
  Process by = 0;
};

constexpr bool allows(AccessRights rights, Access access) {
  const AccessRights needed = access == Access::read ? AccessRights::read : AccessRights::write;
  return (static_cast<unsigned>(rights) & static_cast<unsigned>(needed)) != 0;
}

/// Where bytes really are: 28 bits of SDRAM or 48 bits of the PCI bus.
struct Physical {
  MemoryKind kind = MemoryKind::main;
  std::uint64_t at = 0;
  friend bool operator==(const Physical&, const Physical&) = default;
};

enum class Fault : std::uint8_t {
  no_context,     ///< the Elan knows no such process, or not any more
  unmapped,       ///< the process's own access to what it does not have
  not_exported,   ///< another's access to what was not exported to it
  no_right,       ///< exported to it, but not to be read, or not to be written
  withdrawn,      ///< exported to it once, and not any more
  event_in_main,  ///< an event that is not in Elan memory
};
std::string_view to_text(Fault);

/// A refused access, for the offender.
struct Trap {
  Process by = 0;
  Context context = 0;
  Address address = 0;  ///< the first byte that was refused
  Access access = Access::read;
  Fault why = Fault::unmapped;
  friend bool operator==(const Trap&, const Trap&) = default;
};
/// "process 3 may not write 0xc80a000 of context 2: it is not exported to the process"
std::string to_text(const Trap&);

}  // namespace weft::sim::elan
