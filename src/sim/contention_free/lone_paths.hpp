// SPDX-License-Identifier: Apache-2.0
// LonePaths: the links that packets take through the tables, and the cycles that they need when
// nothing is in their path: those that the flit simulator counts for a packet that is alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/walk.hpp"
#include "sim/network.hpp"
#include "sim/timing.hpp"

namespace weft::sim {

/// A flit's time on a link, in 1/65536 cycles, as LinkCycles has it.
inline Cycle cycles_for(std::uint64_t flits, std::uint64_t interval) {
  return (flits * interval + 0xFFFF) >> 16U;
}

/// From the NIC of a host to another host, or to where the path breaks.
struct LonePath {
  HostId to{};
  std::optional<Loss> broken{};
  unsigned hops = 0;                ///< switches
  Cycle head = 0;                   ///< cycles of the first flit
  std::uint64_t last_interval = 0;  ///< of the last link
  std::uint64_t stored = 0;   ///< before it, for every flit but the first, where switches store
  std::uint64_t slowest = 0;  ///< interval of a link
  Cycle only_head = 0;        ///< that the first flit needs more than others after that link

  Cycle cycles(std::uint32_t flits) const {
    return std::max(head + cycles_for(flits - 1, stored + last_interval),
                    head - only_head + cycles_for(flits - 1, slowest));
  }
};

/// From a host to the members of a group but itself.
struct GroupPaths {
  std::vector<LonePath> members{};
  std::vector<ChannelId> channels{};  ///< all of the tree, in the packet's direction
  std::size_t copies = 0;             ///< sent by switches, to switches and to members
};

class LonePaths {
 public:
  LonePaths(const Fabric& fabric, const Tables& tables, const SwitchModel& model);

  const Timing& timing() const { return timing_; }
  /// A packet's path by the tables; its flits are counted on the links of it. Valid until the next
  /// call.
  const LonePath& take(HostId from, HostId to, std::uint32_t flits);
  const GroupPaths& take_group(std::uint32_t group, HostId from, std::uint32_t flits);
  /// Flits on links between switches.
  std::vector<LaneUse> lane_use();

 private:
  struct LinkTime {
    Cycle flight = 0;
    std::uint64_t interval = 0;
  };
  /// The path of a pair, and the flits over it that are not counted on its links yet.
  struct PairPath {
    HostId from{};
    LonePath path{};
    std::uint64_t flits = 0;
  };
  PairPath& of_pair(HostId from, HostId to);
  LonePath find_path(HostId from, HostId to);
  void count_flits(PairPath& pair);
  LonePath from_host(HostId from) const;
  void cross(LonePath& path, const LinkTime& link) const;
  GroupPaths find_group(const Group& group, HostId from) const;
  std::uint64_t& flits_on(ChannelId channel, Lane lane) {
    return on_channels_[channel.index() * static_cast<std::size_t>(tables_.lane_count) + lane];
  }

  const Fabric& fabric_;
  const Tables& tables_;
  Timing timing_;
  Cycle in_switch_;  ///< of a head, before the crossbar is allocated
  bool stores_;      ///< switches wait for whole packets
  Walker walk_;
  IdVector<ChannelId, LinkTime> links_;
  IdVector<HostId, LinkTime> from_hosts_, to_hosts_;
  std::vector<PairPath> recent_;  ///< each pair has its place, which it shares with others
  std::vector<std::uint64_t> on_channels_;  ///< flits, by channel and lane
  std::map<std::pair<std::uint32_t, HostId>, GroupPaths> groups_;
};

}  // namespace weft::sim
