// SPDX-License-Identifier: Apache-2.0
// Two tables of one fabric, of which the second replaces the first while packets are under way: for
// every destination, the channels that packets can come to by a mixture of old and new entries.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/walk.hpp"

namespace weft {

/// A local identifier of a host, by its number above the first.
struct HostLid {
  HostId host{};
  unsigned lid = 0;
  friend auto operator<=>(const HostLid&, const HostLid&) = default;
};

/// LIDs that share their columns in both tables; none: the column leads to the switch itself.
struct MixedDestination {
  std::array<ColumnId, 2> column{};  ///< of the old and the new tables; none: not there
  SwitchId last{};
  std::vector<HostLid> lids{};
  std::vector<SwitchId> changed{};  ///< switches whose old and new entries differ
};

/// Which packets are followed.
enum class Mixing {
  any,            ///< every switch has the old entry or the new one, at any time
  nearest_first,  ///< a switch gets its new entry after those that its new route goes on to
  every_order,    ///< the dependencies that arise whatever the order
};

/// A packet that holds the first requests the second.
struct MixedStep {
  Hop first, second;
  std::size_t one, two;  ///< 0 or 1: the tables by which it took the first and takes the second
  /// The tables by which its host chose its level, where they differ in it.
  std::optional<std::size_t> level_by{};
};

/// How a packet may go on: a switch has the entry of one table and the lanes of one, and hosts
/// choose levels by one. Both tables must outlive it.
class MixedTables {
 public:
  MixedTables(const Fabric& fabric, const Tables& before, const Tables& after);

  std::size_t lanes() const { return lanes_; }
  /// All packets of both tables have one lane.
  bool one_lane() const { return lanes_ == 1 && levels_ == 1; }
  /// Switches look destinations up; otherwise packets carry one of two routes to its end.
  bool mix() const { return mix_; }

  /// Those to hosts come first, then those to switches.
  std::vector<MixedDestination> destinations();
  /// The rest is about packets to this one, which must outlive it.
  void aim(const MixedDestination& to);

  /// What a switch has: `here`, a port, or none.
  PortNumber port(std::size_t table, SwitchId at) const {
    return next_[table].empty() ? no_port : next_[table][at.index()];
  }
  /// The channel by which packets leave; none: they are delivered, or lost.
  ChannelId out_channel(std::size_t table, SwitchId at) const {
    const PortNumber out = port(table, at);
    return out == here || out == no_port ? ChannelId::none() : fabric_.channel_at(at, out);
  }
  /// Whether packets that meet the entries of one table only come to a switch: those of hosts, and
  /// to switches those of switches.
  bool on_route(std::size_t table, SwitchId at);
  /// Whether packets may have other lanes than before, on the same route.
  bool lanes_differ() const;
  /// Whether anything changes.
  bool changes() const;

  /// Calls `visit(MixedStep)` for each dependency.
  template <class Visit>
  void explore(Mixing mixing, Visit visit);
  /// Where there is one lane, only for those that the new entries alone do not cause. The work
  /// follows the number of entries that change.
  template <class Visit>
  void explore_changes(Mixing mixing, Visit visit);

 private:
  /// A packet at a switch. Phase 1: it has met a new entry, and so will meet no old ones.
  struct MixedPacket {
    LinkEnd in;
    Hop by;  ///< the channel is none at its first switch
    unsigned level;
    std::optional<std::size_t> level_by;
    std::uint8_t phase, table;
  };

  std::vector<SwitchId> differing() const;
  bool source_routes_differ() const;
  void start(Mixing mixing);
  std::array<unsigned, 2> levels_from(HostId from) const;
  bool may_take(const MixedPacket& packet, std::uint8_t table, Mixing mixing);
  std::size_t lane_after(std::size_t rule, const MixedPacket& packet, ChannelId out) const;
  void come(const MixedPacket& packet);
  /// Whether packets that meet the entries of one table only take this channel.
  bool on_route(std::size_t table, ChannelId channel) {
    const SwitchId from = fabric_.from(channel);
    return out_channel(table, from) == channel && on_route(table, from);
  }
  bool come_once(ChannelId channel);

  const Fabric& fabric_;
  std::array<const Tables*, 2> tables_;
  bool mix_, same_rules_;
  std::size_t lanes_, levels_;
  std::vector<HostId> sources_;  ///< hosts whose packets may start on different lanes

  const MixedDestination* to_ = nullptr;
  std::array<std::span<const PortNumber>, 2> next_;
  std::array<bool, 2> marked_{};               ///< whether on_route_ is filled in
  std::array<std::vector<bool>, 2> on_route_;  ///< by switch
  std::uint32_t search_ = 0;
  /// By channel, lane, level and phase: the search that came there.
  std::vector<std::uint32_t> seen_;
  std::vector<MixedPacket> queue_;
  std::vector<ChannelId> channels_;  ///< to follow
};

template <class Visit>
void MixedTables::explore(Mixing mixing, Visit visit) {
  start(mixing);
  const bool every_order = mixing == Mixing::every_order;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const MixedPacket packet = queue_[i];
    for (const std::uint8_t table : {std::uint8_t{0}, std::uint8_t{1}}) {
      const ChannelId out = out_channel(table, packet.in.on);
      if (!out.valid() || !may_take(packet, table, mixing)) continue;
      const bool junction = every_order && packet.phase != table;
      if (junction && lane_after(0, packet, out) != lane_after(1, packet, out)) continue;
      for (const std::size_t rule : {std::size_t{0}, std::size_t{1}}) {
        if (every_order ? rule != table : rule == 1 && same_rules_) continue;
        const std::size_t lane = lane_after(rule, packet, out);
        if (lane >= lanes_) continue;
        const Hop next{out, static_cast<Lane>(lane)};
        if (packet.by.channel.valid())
          visit(MixedStep{packet.by, next, packet.table, table, packet.level_by});
        if (junction) continue;
        const std::uint8_t phase = mixing == Mixing::any ? std::uint8_t{0} : table;
        come({{fabric_.to(out), fabric_.in_port(out)},
              next,
              packet.level,
              packet.level_by,
              phase,
              table});
      }
    }
  }
}

/// At switches that change packets turn from old routes to new ones and, in any order, from new
/// ones to old. From there on they are followed until they are on new routes again.
template <class Visit>
void MixedTables::explore_changes(Mixing mixing, Visit visit) {
  ++search_;
  channels_.clear();
  const bool any = mixing == Mixing::any;
  const auto step = [&](ChannelId in, std::size_t one, SwitchId at, std::size_t two) {
    if (const ChannelId out = out_channel(two, at); out.valid())
      visit(MixedStep{{in, 0}, {out, 0}, one, two});
  };
  const auto leave = [&](std::size_t table, SwitchId at) {
    const ChannelId out = out_channel(table, at);
    if (out.valid() && !on_route(1, out) && come_once(out)) channels_.push_back(out);
  };
  for (SwitchId s : to_->changed) {
    for (ChannelId reversed : fabric_.out(s)) {
      const ChannelId in = reverse(reversed);
      if (on_route(0, in)) {
        step(in, 0, s, 0);
        if (any || on_route(1, s)) step(in, 0, s, 1);
      }
      if (any && on_route(1, in)) step(in, 1, s, 0);
    }
    if (on_route(0, s) || (any && on_route(1, s))) leave(0, s);
    if (any && on_route(0, s)) leave(1, s);
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const ChannelId in = channels_[i];
    const SwitchId at = fabric_.to(in);
    const std::size_t by = out_channel(0, fabric_.from(in)) == in ? 0 : 1;
    step(in, by, at, 0);
    leave(0, at);
    if (!any) continue;
    step(in, by, at, 1);
    leave(1, at);
  }
}

}  // namespace weft
