// SPDX-License-Identifier: Apache-2.0
// Fabric: switches, hosts and the links between them, as one immutable value. Its routes are in
// tables.hpp.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/units.hpp"

namespace weft {

using SwitchId = Id<struct SwitchTag>;
using HostId = Id<struct HostTag>;
using LinkId = Id<struct LinkTag>;
/// One direction of one switch-to-switch link. The two directions of link k are 2k and 2k+1.
using ChannelId = Id<struct ChannelTag>;
inline ChannelId reverse(ChannelId c) { return ChannelId(c.index() ^ 1U); }
inline LinkId link_of(ChannelId c) { return LinkId(c.index() / 2); }

/// Ports of a switch count from 1; port 0 is the switch itself (InfiniBand's management port).
using PortNumber = std::uint16_t;
inline constexpr PortNumber most_ports = 65'000;

/// A globally unique identifier as InfiniBand has them; 0 where the fabric has none.
using Guid = std::uint64_t;
/// A local identifier as InfiniBand has them; 0 where none is assigned.
using Lid = std::uint16_t;

struct Wire {
  Bandwidth speed = gigabits_per_second(8);
  Delay delay{};
  friend bool operator==(const Wire&, const Wire&) = default;
};

struct Switch {
  std::string name;
  PortNumber ports = 0;  ///< how many it has; 0 while building: as many as are used
  Guid guid = 0;
  Lid lid = 0;
  std::vector<int> at{};  ///< coordinates, where a generator knows them
  Duration latency{0};    ///< from port to port; 0 where it is not known
  friend bool operator==(const Switch&, const Switch&) = default;
};

/// What is at the end of a host's link. All have routes; only computers have traffic of programs.
enum class HostRole : std::uint8_t {
  computer,
  aggregation,  ///< reduces data inside a switch (SHARP)
  router,       ///< leads to another subnet
};

/// A port of a NIC. Two ports of one NIC are two hosts with the same `guid`.
struct Host {
  std::string name;
  SwitchId on{};
  PortNumber port = 0;  ///< of the switch; 0 while building: the next free one
  Wire wire{};
  Guid guid = 0;
  Guid port_guid = 0;
  Lid lid = 0;
  PortNumber nic_port = 1;
  std::uint8_t lmc = 0;  ///< it has 2^lmc LIDs, from `lid` on
  HostRole role = HostRole::computer;
  friend bool operator==(const Host&, const Host&) = default;
};

struct LinkEnd {
  SwitchId on{};
  PortNumber port = 0;  ///< 0 while building: the next free one
  friend bool operator==(const LinkEnd&, const LinkEnd&) = default;
};

struct Link {
  LinkEnd a, b;
  Wire wire{};
  friend bool operator==(const Link&, const Link&) = default;
};

/// What a port of a switch leads to: a channel to another switch, a host, or nothing.
struct Neighbour {
  ChannelId channel{};
  HostId host{};
};

class Fabric {
 public:
  const std::string& name() const { return name_; }

  std::size_t switch_count() const { return switches_.size(); }
  std::size_t host_count() const { return hosts_.size(); }
  std::size_t link_count() const { return links_.size(); }
  std::size_t channel_count() const { return channels_.size(); }
  IdRange<SwitchId> switches() const { return switches_.ids(); }
  IdRange<HostId> hosts() const { return hosts_.ids(); }
  IdRange<LinkId> links() const { return links_.ids(); }
  IdRange<ChannelId> channels() const { return channels_.ids(); }

  const Switch& operator[](SwitchId id) const { return switches_[id]; }
  const Host& operator[](HostId id) const { return hosts_[id]; }
  const Link& operator[](LinkId id) const { return links_[id]; }

  SwitchId from(ChannelId c) const { return channels_[c].from; }
  SwitchId to(ChannelId c) const { return channels_[c].to; }
  PortNumber out_port(ChannelId c) const { return channels_[c].out_port; }
  PortNumber in_port(ChannelId c) const { return channels_[c].in_port; }
  const Wire& wire(ChannelId c) const { return links_[link_of(c)].wire; }

  /// Channels leaving a switch, by port number. Those entering it are their reverses.
  std::span<const ChannelId> out(SwitchId s) const {
    return {out_.data() + out_begin_[s.index()], out_.data() + out_begin_[s.index() + 1]};
  }
  /// Hosts on a switch, by port number.
  std::span<const HostId> hosts_on(SwitchId s) const {
    return {by_switch_.data() + hosts_begin_[s.index()],
            by_switch_.data() + hosts_begin_[s.index() + 1]};
  }
  Neighbour at_port(SwitchId s, PortNumber port) const {
    const std::uint32_t entry = entry_at(s, port);
    if (entry == nothing) return {};
    if ((entry & host_bit) != 0) return {ChannelId::none(), HostId(entry & ~host_bit)};
    return {ChannelId(entry), HostId::none()};
  }
  /// The channel that leaves `s` by `port`; none when there is a host or nothing.
  ChannelId channel_at(SwitchId s, PortNumber port) const {
    const std::uint32_t entry = entry_at(s, port);
    return (entry & host_bit) != 0 ? ChannelId::none() : ChannelId(entry);
  }

  std::optional<SwitchId> find_switch(std::string_view name) const;
  std::optional<HostId> find_host(std::string_view name) const;
  std::optional<SwitchId> find_switch_guid(Guid guid) const;

  friend bool operator==(const Fabric& a, const Fabric& b) {
    return a.name_ == b.name_ && a.switches_ == b.switches_ && a.hosts_ == b.hosts_ &&
           a.links_ == b.links_;
  }

 private:
  friend class FabricBuilder;
  Fabric(std::string name, IdVector<SwitchId, Switch> switches, IdVector<HostId, Host> hosts,
         IdVector<LinkId, Link> links);
  void index_channels();
  void index_ports();
  std::uint32_t entry_at(SwitchId s, PortNumber port) const {
    const std::size_t begin = ports_begin_[s.index()];
    return port < ports_begin_[s.index() + 1] - begin ? ports_[begin + port] : nothing;
  }

  struct Channel {
    SwitchId from, to;
    PortNumber out_port, in_port;
  };
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t host_bit = 0x8000'0000U;

  std::string name_;
  IdVector<SwitchId, Switch> switches_;
  IdVector<HostId, Host> hosts_;
  IdVector<LinkId, Link> links_;

  IdVector<ChannelId, Channel> channels_;
  std::vector<ChannelId> out_;
  std::vector<std::size_t> out_begin_;
  std::vector<HostId> by_switch_;
  std::vector<std::size_t> hosts_begin_;
  std::vector<std::size_t> ports_begin_;
  std::vector<std::uint32_t> ports_;  ///< channel, host | host_bit, or nothing
  std::unordered_map<std::string, SwitchId> switch_names_;
  std::unordered_map<std::string, HostId> host_names_;
};

/// The speed of the fastest link, hosts' links included; 0 when there is none.
Bandwidth fastest_link(const Fabric& fabric);

}  // namespace weft
