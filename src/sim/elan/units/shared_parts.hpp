// SPDX-License-Identifier: Apache-2.0
// SharedParts: what the units of all Elans have in common: time, the boards, the packet format, the
// table of operations, and the users to notify.
#pragma once
#include <optional>
#include <vector>

#include "sim/elan/operations.hpp"
#include "sim/elan/packet_format.hpp"
#include "sim/elan/units/board.hpp"
#include "sim/elan/users.hpp"

namespace weft::sim::elan {

/// How fast the network is, as an Elan sees it.
struct LinkTiming {
  std::vector<Duration> flit{};  ///< by host, on its link
  Duration hop{};                ///< of a token through a switch
  std::uint32_t lanes = 1;       ///< packets that a link carries at once

  /// The time of a token over `hops` switches and the links between them.
  Duration token(unsigned hops) const { return hop * (hops + 1); }
};

/// Keeps the steps of figure 5 of every DMA, once it is started.
class StepLog {
 public:
  void start() { steps_.emplace(); }
  void add(const DmaStep& step) {
    if (steps_) steps_->push_back(step);
  }
  bool wants(const DmaOperation& of) const { return steps_ && of.kind == OperationKind::dma; }
  const std::vector<DmaStep>& steps() const { return *steps_; }

 private:
  std::optional<std::vector<DmaStep>> steps_;
};

struct SharedParts {
  Kernel& kernel;
  const Model& model;
  PacketFormat format;
  LinkTiming timing;
  Boards boards;
  Operations operations;
  Users users;
  StepLog steps{};

  Duration now() const { return kernel.now(); }
  Memory& memory(HostId host) { return boards[host].memory(); }
  /// Logs that an operation has reached a step of figure 5.
  void log(const DmaOperation& operation, int number, HostId at) {
    if (steps.wants(operation)) steps.add({operation.cookie(), number, at, now()});
  }
};

/// An event of a unit: what is due, for which of its items, and a small number more.
template <class Due>
struct UnitEvent {
  Due due{};
  std::uint32_t id = 0;
  std::uint32_t more = 0;  ///< modulo 2^24

  static constexpr std::uint32_t mask = 0xff'ffffU;
  std::uint64_t number() const {
    return std::uint64_t{id} << 32U | std::uint64_t{more & mask} << 8U |
           static_cast<std::uint8_t>(due);
  }
  static UnitEvent from(std::uint64_t number) {
    return {static_cast<Due>(number & 0xffU), static_cast<std::uint32_t>(number >> 32U),
            static_cast<std::uint32_t>(number >> 8U) & mask};
  }
};

}  // namespace weft::sim::elan
