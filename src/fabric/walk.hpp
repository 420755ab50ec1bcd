// SPDX-License-Identifier: Apache-2.0
// Following a packet through the tables, hop by hop, as the switches would.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

struct Hop {
  ChannelId channel{};
  Lane lane = 0;
};

enum class Arrival {
  reached,
  no_entry,    ///< a switch has no port for the destination
  loop,        ///< the packet comes back to a switch it has left
  dead_port,   ///< nothing is connected to the port
  wrong_host,  ///< it is delivered to somebody else
  no_lane,     ///< a turn leads to a lane that does not exist
};

struct Walk {
  Arrival end = Arrival::reached;
  SwitchId at{};            ///< the last switch
  PortNumber port = 0;      ///< the port it was to take there
  std::vector<Hop> hops{};  ///< switch-to-switch channels; host links are not listed
};

/// Walks packets; keeps its buffer, so one object serves many walks.
class Walker {
 public:
  Walker(const Fabric& fabric, const Tables& tables) : fabric_(fabric), tables_(tables) {}
  /// The result stays valid until the next call.
  const Walk& operator()(HostId from, HostId to);

 private:
  PortNumber port_for(ColumnId column, SwitchId source, SwitchId at) const;
  unsigned lane_for(ColumnId column, SwitchId source, PortNumber in, PortNumber out,
                    unsigned lane) const;
  void finish(HostId to, SwitchId at, PortNumber port);

  const Fabric& fabric_;
  const Tables& tables_;
  Walk walk_;
};

/// "h0 -> s0:1 lane 0 -> s4:2 -> h7", for people.
std::string to_text(const Fabric& fabric, HostId from, HostId to, const Walk& walk);

/// The ports of one destination column from a switch on; nullopt unless it ends `here` or with the
/// port of a host.
std::optional<std::vector<PortNumber>> follow(const Fabric& fabric,
                                              std::span<const PortNumber> next, SwitchId from);

}  // namespace weft
