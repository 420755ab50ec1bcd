// SPDX-License-Identifier: Apache-2.0
// Tables: what steers packets through a Fabric. Where they go (destination tables, those that leave
// choices, or source routes), on which lane (in the three forms hardware has), and multicast
// groups.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/choice_tables.hpp"
#include "fabric/fabric.hpp"
#include "fabric/grid.hpp"

namespace weft {

/// Entries of a column other than a port: the packet has come to its last switch, which hands it
/// to the host's own port; or there is no route.
inline constexpr PortNumber here = 0;
inline constexpr PortNumber no_port = std::numeric_limits<PortNumber>::max();

/// Out-port by destination at each switch (InfiniBand's LFT, RHiNET): next[column][switch] is a
/// port, `here` or `no_port`.
using DestinationTables = Grid<PortNumber>;

/// Tags of source routes from here on name a group of links; those below are ports.
inline constexpr PortNumber first_link_group = most_ports + 1;
inline constexpr std::size_t most_link_groups = no_port - first_link_group;

/// A list of tags per source switch and destination, a tag for every switch on the route (Myrinet,
/// QsNet); the host's own port comes after it, unless the list ends with the port of a host. A tag
/// is a port, or names a group of ports of which the switch may take any (QsNet). A group belongs
/// to no single switch: after different choices, different switches may read the same tag.
class SourceRoutes {
 public:
  SourceRoutes() = default;
  explicit SourceRoutes(std::size_t switches) : switches_(switches), begin_{0} {}
  /// Routes are added by column, then source switch; nullopt where there is no route.
  void push_back(const std::optional<std::vector<PortNumber>>& route);
  std::optional<std::span<const PortNumber>> route(ColumnId to, SwitchId from) const;
  std::size_t size() const { return switches_ == 0 ? 0 : (begin_.size() - 1) / switches_; }
  std::size_t width() const { return switches_; }
  IdRange<ColumnId> ids() const { return IdRange<ColumnId>(size()); }

  /// The tag that names these ports from now on.
  PortNumber add_links(std::vector<PortNumber> ports);
  const std::vector<std::vector<PortNumber>>& link_groups() const { return link_groups_; }
  /// The ports that a tag names; may refer to the tag itself. None: there is no such group.
  std::span<const PortNumber> ports(const PortNumber& tag) const {
    if (tag < first_link_group || tag == no_port) return {&tag, 1};
    const std::size_t group = tag - std::size_t{first_link_group};
    if (group >= link_groups_.size()) return {};
    return link_groups_[group];
  }
  friend bool operator==(const SourceRoutes&, const SourceRoutes&) = default;

 private:
  std::size_t switches_ = 0;
  std::vector<std::size_t> begin_;
  std::vector<PortNumber> tags_;  ///< a missing route is the single entry no_port
  std::vector<std::vector<PortNumber>> link_groups_;
};

/// Tags as a key to compare and hash: packets with the same tags left continue alike.
inline std::string_view as_key(std::span<const PortNumber> tags) {
  return {reinterpret_cast<const char*>(tags.data()), tags.size_bytes()};
}

/// What a switch does with the lane of a packet that turns from one port to another.
class LaneOp {
 public:
  constexpr LaneOp() = default;
  static constexpr LaneOp set(Lane lane) { return LaneOp(lane); }
  static constexpr LaneOp keep() { return LaneOp(0x80); }
  static constexpr LaneOp plus_one() { return LaneOp(0x81); }
  static constexpr LaneOp minus_one() { return LaneOp(0x82); }
  /// The lane after the turn; anything from the number of lanes upwards does not exist.
  constexpr unsigned operator()(unsigned lane) const {
    // Without branches: a simulator would guess them wrong.
    const bool relative = code_ >= 0x80 && code_ <= 0x82;
    const unsigned step =
        static_cast<unsigned>(code_ == 0x81) - static_cast<unsigned>(code_ == 0x82);
    return (relative ? lane : code_) + step;
  }
  constexpr bool is_set() const { return code_ < 0x80; }
  /// As the field says.
  constexpr std::uint8_t code() const { return code_; }
  friend constexpr bool operator==(LaneOp, LaneOp) = default;

 private:
  constexpr explicit LaneOp(std::uint8_t code) : code_(code) {}
  std::uint8_t code_ = 0xFF;  ///< 0-63: that lane; 0x80-0x82: relative; 0xFF: turn not allowed
};

/// Lane by (in-port, out-port) and the lane before, as in RHiNET.
class TurnLanes {
 public:
  TurnLanes() = default;
  TurnLanes(const Fabric& fabric, LaneOp from_host, LaneOp otherwise);
  LaneOp& at(SwitchId s, PortNumber in, PortNumber out) { return ops_[place(s, in, out)]; }
  LaneOp at(SwitchId s, PortNumber in, PortNumber out) const { return ops_[place(s, in, out)]; }
  /// Whether the fabric has as many switches, with as many ports each, as the one it was made for.
  bool fits(const Fabric& fabric) const;
  friend bool operator==(const TurnLanes&, const TurnLanes&) = default;

 private:
  std::size_t place(SwitchId s, PortNumber in, PortNumber out) const {
    return begin_[s.index()] + std::size_t{in} * width_[s.index()] + out;
  }
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> width_;
  std::vector<LaneOp> ops_;
};

/// Service level by (source, destination), kept to the end; at each switch the lane follows from
/// (in-port, out-port, service level), as in InfiniBand. Without a map the lane is the level.
struct ServiceLanes {
  Grid<std::uint8_t> level;  ///< level[column][source]
  struct Map {
    /// lane[switch] holds (in-port, out-port, level) row by row, ports from 0.
    std::vector<std::vector<Lane>> lane;
    int levels = 0;
    Lane operator()(SwitchId s, const Switch& data, PortNumber in, PortNumber out,
                    unsigned level) const {
      const std::size_t width = std::size_t{data.ports} + 1;
      return lane[s.index()][(in * width + out) * static_cast<std::size_t>(levels) + level];
    }
    friend bool operator==(const Map&, const Map&) = default;
  };
  std::optional<Map> map{};
  bool by_host = false;  ///< sources are hosts, not switches: those of one switch may differ
  std::uint8_t of(const Fabric& fabric, ColumnId to, HostId from) const {
    return level[to][by_host ? from.index() : fabric[from].on.index()];
  }
  friend bool operator==(const ServiceLanes&, const ServiceLanes&) = default;
};

/// Every turn of every switch has the same lanes, by level.
ServiceLanes::Map uniform_map(const Fabric& fabric, const std::vector<Lane>& by_level);

/// Everything travels on lane 0.
struct OneLane {
  /// Or on lanes that are not known: tables of another program, without its service levels. Then
  /// a certificate holds (a cycle of lanes is one of channels), but a cycle proves nothing.
  bool levels_unknown = false;
  friend bool operator==(const OneLane&, const OneLane&) = default;
};

struct PortSet {
  SwitchId on{};
  std::vector<PortNumber> ports;
  friend bool operator==(const PortSet&, const PortSet&) = default;
};

/// The one port by which a switch sends packets of a group towards its root.
struct UpPort {
  SwitchId on{};
  PortNumber port = 0;
  friend bool operator==(const UpPort&, const UpPort&) = default;
};

/// A multicast group: which ports a switch copies a packet to (never back out of the in-port). A
/// group with a root is as in QsNet: packets first go up to the root, uncopied, and are copied from
/// there on, down; the root may send a copy back by the in-port. Any host with a route up may send,
/// and gets no copy itself.
struct Group {
  std::string name;
  std::vector<HostId> members;
  std::optional<HostId> source{};  ///< the only sender; none: any member sends (a shared tree)
  Lane lane = 0;
  std::vector<PortSet> out{};  ///< by switch; host ports included
  std::optional<SwitchId> root{};
  std::vector<UpPort> up{};  ///< only with a root
  /// Its service level: then the lane follows from it at every switch, as that of unicast packets.
  std::optional<std::uint8_t> level{};
  friend bool operator==(const Group&, const Group&) = default;
};

/// The column to a further LID of a host: with an LMC of n it has 2^n, each with its own routes.
struct FurtherColumn {
  HostId host{};
  unsigned lid = 1;  ///< above the host's first
  ColumnId column{};
  friend bool operator==(const FurtherColumn&, const FurtherColumn&) = default;
};

struct Tables {
  std::string engine;                  ///< what made them, as a spec
  IdVector<HostId, ColumnId> to_host;  ///< the column that leads to each host
  /// Columns to the switches themselves (InfiniBand management); empty where nobody needs them.
  IdVector<SwitchId, ColumnId> to_switch{};
  /// By column, then host, then LID; hosts send to the first LID unless a program chooses another.
  std::vector<FurtherColumn> further{};
  std::variant<DestinationTables, SourceRoutes, ChoiceTables> paths{};
  int lane_count = 1;
  std::variant<OneLane, TurnLanes, ServiceLanes> lanes{};
  std::vector<Group> groups{};
  friend bool operator==(const Tables&, const Tables&) = default;
};

std::size_t column_count(const Tables& tables);

/// The lane on which a packet of a group goes from one port of a switch to another.
inline Lane group_lane(const Fabric& fabric, const Tables& tables, const Group& group, LinkEnd in,
                       PortNumber out) {
  if (!group.level) return group.lane;
  const auto& map = std::get<ServiceLanes>(tables.lanes).map;
  return map ? (*map)(in.on, fabric[in.on], in.port, out, *group.level) : Lane{*group.level};
}

inline bool are_levels_unknown(const Tables& tables) {
  const auto* one_lane = std::get_if<OneLane>(&tables.lanes);
  return one_lane != nullptr && one_lane->levels_unknown;
}

/// Throws Error unless a group of links, number `index` of its tables, has ports of the fabric's
/// switches, each once.
void require_links(const Fabric& fabric, std::span<const PortNumber> ports, std::size_t index);

/// Whether packets of a pair may take different routes: some entries or tags name several ports.
bool leave_choices(const Tables& tables);

/// The same paths written as lists of ports; choice tables stay what they are.
Tables as_source_routes(const Fabric& fabric, const Tables& tables);

/// Throws Error when the tables name switches, hosts, columns, ports or lanes that the fabric (or
/// the number of lanes) does not have, or tags are left when a route has come to a host. Whether
/// routes arrive is for the checks to decide.
void require_fit(const Fabric& fabric, const Tables& tables);

}  // namespace weft
