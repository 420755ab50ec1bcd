// SPDX-License-Identifier: Apache-2.0
// ChoiceRoutes: all positions that packets may come to by ChoiceTables, through every candidate,
// detour and intermediate destination. Packets that came by the same channel, on the same lane and
// in the same phase, with the same level and aim go on alike and share a position.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fabric/walk.hpp"

namespace weft {

class ChoiceRoutes {
 public:
  using Index = std::uint32_t;
  static constexpr Index no_position = ~Index{0};

  /// What packets are on their way to: hosts of a switch, whose columns agree in all phases; or
  /// without hosts, an intermediate destination.
  struct Aim {
    std::vector<HostId> hosts{};
    std::vector<ColumnId> columns{};  ///< by phase; none in those that lead elsewhere
    ColumnId first_column{};          ///< that gives the service level
  };
  /// Where packets join those of an aim: at a host, or at the end of a channel, as they have come
  /// to their intermediate destination, or decide on a detour.
  struct Start {
    ChannelId by{};  ///< none: from the host
    HostId source{};
    Lane lane = 0;
    PhaseId phase = 0;
    std::uint8_t level = 0;
  };
  struct Position {
    ChannelId by{};   ///< none: packets are at their host
    HostId source{};  ///< of one packet that comes here
    SwitchId at{};
    Lane lane = 0;
    PhaseId phase = 0;
    std::uint8_t level = 0;
    bool delivers = false;             ///< some packets leave for their host here
    bool arrives = false;              ///< its intermediate destination: it goes on to its host
    RouteEnd end = RouteEnd::reached;  ///< or how the first candidate fails
    PortNumber port = here;            ///< of that candidate
    Index first = 0, count = 0;        ///< of its next hops
  };
  struct ChoiceHop {
    ChannelId by{};
    Lane lane = 0;
    std::uint8_t preference = 0;
    Index to = 0;  ///< a position
  };
  /// Routes to further LIDs as well, or to the first of each host alone.
  enum class FollowedLids { first, all };

  /// Needs tables with choices.
  ChoiceRoutes(const Fabric& fabric, const Tables& tables, FollowedLids lids);

  /// Those of hosts come first.
  const std::vector<Aim>& aims() const { return aims_; }
  std::size_t host_aims() const { return host_aims_; }
  /// That of packets to the first LID of a host; no_aim without a column.
  std::size_t aim_of(HostId host) const { return aim_of_[host]; }
  static constexpr std::size_t no_aim = ~std::size_t{0};

  /// All packets that are ever on their way to an aim. The positions of the aim before are dropped.
  void explore(std::size_t aim);
  /// Or those alone that start so.
  void explore(std::size_t aim, std::span<const Start> starts);

  const std::vector<Position>& positions() const { return positions_; }
  std::span<const ChoiceHop> next_hops(const Position& position) const {
    return {next_hops_.data() + position.first, position.count};
  }
  /// Those that a packet takes first.
  std::span<const ChoiceHop> preferred(const Position& position) const;
  /// The position where packets that start so are; no_position if none were explored.
  Index at(const Start& start) const;
  /// Whether packets decide here between their aim and a detour.
  bool decides(const Position& position) const {
    return !position.arrives && !position.delivers && !aims_[aim_].hosts.empty() &&
           choices_.phases[position.phase].detour.has_value();
  }
  Start detour(const Position& position) const {
    return {position.by, position.source, position.lane, *choices_.phases[position.phase].detour,
            position.level};
  }

  /// A host that packets on their way to an aim may be for, another than their own if possible.
  HostId target(std::size_t aim, HostId from) const;

  /// The starts at hosts, one for all hosts of a switch that begin alike.
  std::vector<Start> host_starts(std::size_t aim) const;
  /// That of a host, in any phase that leads to such an aim.
  std::vector<Start> host_starts(std::size_t aim, HostId source) const;
  /// How many hosts such a start stands for.
  std::size_t hosts_at(const Start& start) const;
  /// Those of packets that have been at an intermediate destination.
  const std::vector<Start>& arrivals() const { return arrivals_; }
  /// The place of such a start among them.
  std::size_t arrival(const Start& start) const { return arrival_of_.at(key(start)); }
  /// Those of packets that take a detour.
  const std::vector<Start>& detours() const { return detours_; }

 private:
  void add_hosts(FollowedLids lids);
  std::size_t add_host(HostId host, ColumnId first_column);
  bool same_rows(const Aim& a, const Aim& b) const;
  bool delivers(ChoiceTables::Entry entry, HostId host) const;
  bool may_deliver(ChoiceTables::Entry entry, HostId host) const;
  ChoiceTables::Entry entry(const Aim& aim, PhaseId phase, SwitchId at) const;
  void find_sources();
  void find_joints();
  void begin(std::size_t aim);
  void follow();
  Index enter(const Start& start);
  void expand(Index index);
  void take(const Position& from, const Candidate& candidate, Position& out);
  void fail(Position& position, RouteEnd end, PortNumber port) const;
  std::size_t key(const Start& start) const;
  std::vector<Start> undrawn_starts(std::size_t aim) const;
  std::vector<PhaseId> first_phases(unsigned level) const;

  const Fabric& fabric_;
  const Tables& tables_;
  const ChoiceTables& choices_;
  Stepper stepper_;
  const ServiceLanes* service_ = nullptr;
  std::vector<Aim> aims_;
  std::size_t host_aims_ = 0;
  IdVector<HostId, std::size_t> aim_of_;
  std::vector<HostId> sources_;  ///< one of those on a switch that begin alike
  bool sources_alike_ = true;    ///< all hosts of a switch do
  std::size_t levels_ = 1;
  std::vector<Start> arrivals_, detours_;
  std::unordered_map<std::size_t, std::size_t> arrival_of_;  ///< by key
  std::size_t aim_ = 0;
  std::vector<Position> positions_;
  std::vector<ChoiceHop> next_hops_;
  std::vector<Index> known_;  ///< positions by key
  std::vector<std::size_t> used_keys_;
};

}  // namespace weft
