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
  friend bool operator==(const Hop&, const Hop&) = default;
};

enum class RouteEnd {
  reached,
  no_entry,    ///< a switch has no port for the destination
  loop,        ///< the packet comes back to a switch it has left
  dead_port,   ///< nothing is connected to the port
  wrong_host,  ///< it is delivered to another host
  no_lane,     ///< a turn leads to a lane that does not exist
};

struct Walk {
  RouteEnd end = RouteEnd::reached;
  SwitchId at{};            ///< the last switch
  PortNumber port = 0;      ///< the port it was to take there
  std::vector<Hop> hops{};  ///< switch-to-switch channels; host links are not listed
  std::size_t choices = 0;  ///< switches that might have taken another port
};

/// Where a packet is: at a switch, with all that its next lane may depend on.
struct PacketPosition {
  ColumnId column{};
  SwitchId source{}, at{};
  PortNumber in = 0;
  unsigned lane = 0;
  unsigned level = 0;  ///< service level, from its source on
  PhaseId phase = 0;   ///< of ChoiceTables
};

/// The step from one switch to the next, shared by everything that follows packets.
class Stepper {
 public:
  Stepper(const Fabric& fabric, const Tables& tables) : fabric_(fabric), tables_(tables) {}
  /// The lane on which a packet leaves by `out`; nullopt when there is no such lane.
  std::optional<Lane> lane(const PacketPosition& position, PortNumber out) const;
  /// The same by one of several candidates.
  std::optional<Lane> lane(const PacketPosition& position, const Candidate& candidate) const {
    return candidate.lane == Candidate::by_lanes ? lane(position, candidate.port)
                                                 : std::optional(candidate.lane);
  }
  /// The position after crossing a channel to the next switch.
  PacketPosition over(const PacketPosition& position, ChannelId channel, Lane lane) const {
    return {position.column, position.source, fabric_.to(channel), fabric_.in_port(channel), lane,
            position.level,  position.phase};
  }
  /// Where a packet of a host begins. Without a column, its route is its own.
  PacketPosition start(HostId from, ColumnId column) const;
  /// How the route of a packet to a host ends at a port that leads to no switch.
  RouteEnd end(HostId to, SwitchId at, PortNumber port) const;

 private:
  const Fabric& fabric_;
  const Tables& tables_;
};

/// Walks packets; keeps its buffer, so one object serves many walks. Where a route leaves a choice
/// it takes the first port, and no detour that need not be; see RouteSet for all of them.
class Walker {
 public:
  Walker(const Fabric& fabric, const Tables& tables)
      : fabric_(fabric), tables_(tables), stepper_(fabric, tables) {}
  /// The result stays valid until the next call.
  const Walk& operator()(HostId from, HostId to) { return (*this)(from, to, tables_.to_host[to]); }
  /// By a column of the host.
  const Walk& operator()(HostId from, HostId to, ColumnId column);

 private:
  PortNumber port_for(const PacketPosition& position);
  std::optional<Candidate> first_candidate(PacketPosition& position, HostId to);

  const Fabric& fabric_;
  const Tables& tables_;
  Stepper stepper_;
  Walk walk_;
};

/// "h0 -> s0:1 lane 0 -> s4:2 -> h7": human-readable.
std::string to_text(const Fabric& fabric, HostId from, HostId to, const Walk& walk);

/// The ports of one destination column from a switch on; nullopt unless it ends `here` or with the
/// port of a host.
std::optional<std::vector<PortNumber>> follow(const Fabric& fabric,
                                              std::span<const PortNumber> next, SwitchId from);

}  // namespace weft
