// SPDX-License-Identifier: Apache-2.0
// DmaOperation: what a DMA engine carries out, from its command to its end. It is a DMA or a
// broadcast in virtual addresses, whose bytes the Elans move, or a transfer of the layers above,
// which move their bytes themselves.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/elan/descriptors.hpp"
#include "sim/elan/memory/address.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim::elan {

using OperationId = std::uint32_t;
inline constexpr OperationId no_operation = ~OperationId{0};

enum class OperationKind : std::uint8_t { transfer, dma, broadcast };

struct DmaOperation {
  OperationKind kind{};
  bool asks = false;    ///< its packet asks another Elan to begin the operation there
  bool by_nic = false;  ///< the thread processor issues it
  bool urgent = false;
  bool all_sent = false;    ///< the user has been notified of it
  bool reported = false;    ///< its end needs no report any more
  bool incomplete = false;  ///< a broadcast cannot reach some host
  HostId from{}, to{};
  MemoryKind source = MemoryKind::main, target = MemoryKind::main;  ///< of a transfer
  std::uint64_t bytes = 0;                                          ///< of data on the link
  std::uint32_t packets = 1, next = 0;                              ///< to be sent
  std::uint32_t flights = 0;             ///< packets that are neither acknowledged nor abandoned
  std::uint32_t slice = 0;               ///< packets since the operation had its turn
  std::vector<bool> landed{};            ///< by receiver and packet
  std::vector<std::uint32_t> arrived{};  ///< by receiver: packets
  Transfer transfer{};
  DmaDescriptor dma{};
  BroadcastDescriptor broadcast{};
  std::uint64_t line = 0;  ///< of operations that go one after another; 0: it is in none
  TransferStatus outcome = TransferStatus::ok;
  std::optional<Trap> trap{};

  /// Its addresses are virtual, and the Elans move its bytes now.
  bool moves_bytes() const { return kind != OperationKind::transfer && !asks; }
  std::uint64_t cookie() const {
    return kind == OperationKind::transfer    ? transfer.cookie
           : kind == OperationKind::broadcast ? broadcast.cookie
                                              : dma.cookie;
  }
  std::uint32_t group() const {
    return kind == OperationKind::transfer    ? transfer.group
           : kind == OperationKind::broadcast ? broadcast.group
                                              : no_group;
  }
  bool is_multicast() const { return group() != no_group; }
  Process by() const { return kind == OperationKind::broadcast ? broadcast.by : dma.by; }
  Address source_address() const {
    return kind == OperationKind::broadcast ? broadcast.source : dma.source;
  }
  Address target_address() const {
    return kind == OperationKind::broadcast ? broadcast.target : dma.target;
  }
  Address source_event() const {
    return kind == OperationKind::broadcast ? broadcast.source_event : dma.source_event;
  }
  Address target_event() const {
    return kind == OperationKind::broadcast ? broadcast.target_event : dma.target_event;
  }
};

}  // namespace weft::sim::elan
