// SPDX-License-Identifier: Apache-2.0
// Operations: the table of all operations that the Elans execute, and their receivers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/slots.hpp"
#include "fabric/tables.hpp"
#include "sim/elan/model.hpp"
#include "sim/elan/operation.hpp"

namespace weft::sim::elan {

class Operations {
 public:
  /// The routing tables name the groups of multicasts; they must outlive the operations.
  Operations(const Model& model, const Tables& tables, std::size_t hosts);

  /// Throws Error when one operation cannot move so many bytes.
  OperationId add(DmaOperation operation);
  DmaOperation remove(OperationId id) { return operations_.extract(id); }
  DmaOperation& operator[](OperationId id) { return operations_[id]; }
  const DmaOperation& operator[](OperationId id) const { return operations_[id]; }

  /// Ends the operation's progress by a trap.
  void refuse(DmaOperation& operation, const Trap& trap);
  std::uint64_t traps() const { return traps_; }

  /// Of a multicast's group, the sender included where it is a member.
  const std::vector<HostId>& members(const DmaOperation& operation) const {
    return tables_.groups[operation.group()].members;
  }
  /// How many hosts acknowledge each packet.
  std::size_t receivers(const DmaOperation& operation) const;
  ProcessLocation source_process(const DmaOperation& operation) const {
    return operation.kind == OperationKind::broadcast ? operation.broadcast.from
                                                      : operation.dma.from;
  }
  ProcessLocation target_process(const DmaOperation& operation, HostId host) const;

  bool has_landed(const DmaOperation& operation, std::uint32_t packet, HostId host) const {
    return operation.landed[receiver(operation, host) * operation.packets + packet];
  }
  /// Records a packet's first arrival. Returns whether the host has all packets now.
  bool land(DmaOperation& operation, std::uint32_t packet, HostId host) const;

 private:
  std::size_t receiver(const DmaOperation& operation, HostId host) const {
    return operation.is_multicast() ? member_of_[operation.group()][host.index()] : 0;
  }

  const Tables& tables_;
  std::uint64_t payload_;
  Slots<DmaOperation> operations_;
  std::vector<std::vector<std::uint32_t>> member_of_;  ///< by group and host: its place, or none
  std::uint64_t traps_ = 0;
};

}  // namespace weft::sim::elan
