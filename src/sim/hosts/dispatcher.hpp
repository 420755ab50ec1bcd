// SPDX-License-Identifier: Apache-2.0
// Dispatcher: decides whose packet a NIC sends next. Flows with packets wait in circular queues as
// in GM, one of connections (a target host each) and one of the sub-ports of each connection
// (Gulati 2001, section 4.1), or a Pacer dispatches them at their rates. Urgent flows go before all
// others.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/pacer.hpp"
#include "base/units.hpp"
#include "sim/hosts/nic_model.hpp"

namespace weft::sim {

class Dispatcher {
 public:
  using FlowId = std::uint32_t;      ///< the caller's number
  using Connection = std::uint32_t;  ///< the same for the flows to one host

  Dispatcher(Schedule schedule, Duration tick) : schedule_(schedule), tick_(tick) {}

  /// Registers a flow; returns the dispatcher's own number for it.
  std::uint32_t add(FlowId flow, Connection connection, bool urgent);
  void set_interval(std::uint32_t place, Duration interval, Duration now);
  Duration interval(std::uint32_t place) const { return known_[place].interval; }
  /// Reports that an idle flow has packets to send.
  void wake(std::uint32_t place, Duration now);
  /// The flow whose packet goes now, if any.
  std::optional<FlowId> next(Duration now);
  /// Reports that a packet of the flow goes, and whether it ends its message and empties the flow.
  void sent(std::uint32_t place, Duration now, bool ends_message, bool ends_flow);
  /// When the next packet may go; nothing when no flow has packets.
  std::optional<Duration> due(Duration now);

 private:
  struct Known {
    FlowId flow;
    Connection connection;
    bool urgent;
    Pacer::FlowNumber paced;
    Duration interval{0};
  };
  /// Round robin among connections, and among the flows of each.
  struct Rounds {
    std::deque<Connection> connections;
    std::map<Connection, std::deque<std::uint32_t>> flows;
  };
  Pacer::Tick ticks(Duration now) const {
    return static_cast<Pacer::Tick>(static_cast<std::uint64_t>(now / tick_));
  }

  Schedule schedule_;
  Duration tick_;
  std::vector<Known> known_;
  std::array<Rounds, 2> rounds_;  ///< urgent first
  std::array<Pacer, 2> pacers_;
  std::array<std::vector<std::uint32_t>, 2> paced_;  ///< the pacers' flows
};

}  // namespace weft::sim
