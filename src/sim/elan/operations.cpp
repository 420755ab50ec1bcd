// SPDX-License-Identifier: Apache-2.0
// Keeps operations, and finds the receivers of multicasts among the members of their groups.
#include "sim/elan/operations.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace weft::sim::elan {
namespace {

constexpr std::uint32_t no_member = ~std::uint32_t{0};

}  // namespace

Operations::Operations(const Model& model, const Tables& tables, std::size_t hosts)
    : tables_(tables), payload_(static_cast<std::uint64_t>(model.payload.count)) {
  for (const Group& group : tables_.groups) {
    auto& places = member_of_.emplace_back(hosts, no_member);
    for (std::size_t i = 0; i < group.members.size(); ++i)
      places[group.members[i].index()] = static_cast<std::uint32_t>(i);
  }
}

OperationId Operations::add(DmaOperation operation) {
  const std::uint64_t bytes = operation.asks ? 0 : operation.bytes;
  const std::uint64_t packets = std::max<std::uint64_t>(1, (bytes + payload_ - 1) / payload_);
  if (packets >= ~std::uint32_t{0})
    throw Error("{} bytes are more than one DMA moves", operation.bytes);
  operation.packets = static_cast<std::uint32_t>(packets);
  const std::size_t ends = operation.is_multicast() ? members(operation).size() : 1;
  operation.landed.assign(packets * ends, false);
  operation.arrived.assign(ends, 0);
  return operations_.insert(std::move(operation));
}

void Operations::refuse(DmaOperation& operation, const Trap& trap) {
  operation.trap = trap;
  operation.outcome = TransferStatus::refused;
  ++traps_;
}

std::size_t Operations::receivers(const DmaOperation& operation) const {
  if (!operation.is_multicast()) return 1;
  const bool self = member_of_[operation.group()][operation.from.index()] != no_member;
  return members(operation).size() - (self ? 1 : 0);
}

ProcessLocation Operations::target_process(const DmaOperation& operation, HostId host) const {
  if (operation.kind != OperationKind::broadcast) return operation.dma.to;
  return {host, operation.broadcast.contexts[receiver(operation, host)]};
}

bool Operations::land(DmaOperation& operation, std::uint32_t packet, HostId host) const {
  const std::size_t place = receiver(operation, host);
  operation.landed[place * operation.packets + packet] = true;
  return ++operation.arrived[place] == operation.packets;
}

}  // namespace weft::sim::elan
