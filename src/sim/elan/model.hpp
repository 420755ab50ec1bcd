// SPDX-License-Identifier: Apache-2.0
// Model: the parameters of an Elan and its host: sizes, and the times of their parts.
#pragma once
#include <cstdint>

#include "base/units.hpp"
#include "sim/elan/memory/memory.hpp"

namespace weft::sim::elan {

inline constexpr std::uint64_t event_bytes = 8;
/// The size of each of the two rings that system software keeps at the end of SDRAM: descriptors
/// come last, envelopes before them.
inline constexpr std::uint64_t system_ring_bytes = 64 << 10;

struct Model {
  // Packets: a header (route, checks, end), then transactions, each with a header of its own.
  Bytes payload{320};  ///< data in a packet
  Bytes block{64};     ///< data in a transaction, and in one request to memory
  Bytes packet_header{12};
  Bytes block_header{10};
  Bytes envelope{32};  ///< of a tagged message; it travels like data
  // The main processor.
  Duration command{0};    ///< to fill out a descriptor and hand it to the Elan
  Bytes descriptor{64};   ///< with its command, written over PCI
  Duration interrupt{0};  ///< until a process that was blocked runs
  Duration map_page{0};   ///< system software maps a page of main memory on demand
  // The PCI bus.
  Bandwidth pci{};
  Duration pci_setup{0};    ///< of every burst of a block or less
  Duration pci_latency{0};  ///< until memory answers a read; others use the bus meanwhile
  // Inside.
  Duration bus{0};             ///< the internal data bus: a block
  Bandwidth sdram{};           ///< reading from it holds the bus so much longer
  Duration fill{0};            ///< a line of the cache, over the same bus
  Duration microcode{0};       ///< a thread of the microcode processor wakes, works and sleeps
  std::uint32_t requests = 8;  ///< to memory under way
  std::uint32_t slice = 32;    ///< packets of a DMA before others have their turn
  // Faults.
  int retries = 0;  ///< of a packet before its source looks for another route
  Duration retry_after{0};
  MemoryOptions memory{};

  /// The time of a burst over PCI.
  Duration pci_time(std::uint64_t bytes) const {
    return pci_setup + Bytes{static_cast<std::int64_t>(bytes)} / pci;
  }
  std::uint64_t sdram_bytes() const { return static_cast<std::uint64_t>(memory.sdram.count); }
};

}  // namespace weft::sim::elan
