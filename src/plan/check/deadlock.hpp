// SPDX-License-Identifier: Apache-2.0
// The deadlock check: a certificate of deadlock freedom, or a dependency cycle.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/walk.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/check/graph/dependencies.hpp"

namespace weft {

/// What a packet waits for that has several choices; the switches decide that, not the tables.
enum class WaitKind {
  commit,       ///< the one that was chosen when it came to the switch
  cut_through,  ///< any of them, with all of it in one buffer
  wormhole,     ///< any of them, while it holds all lanes that its flits are in
  /// The same, but lanes are given away before they are empty: a packet that comes to stand behind
  /// another one waits for that, so every choice must be safe.
  wormhole_queues,
};

/// Ends "switches": "that wait for any choice (wormhole)".
std::string_view switches_text(WaitKind waiting);

/// One wait of a cycle: a packet that holds `channel` on `lane` requests the next wait's channel.
struct ChannelWait {
  ChannelId channel{};
  Lane lane = 0;
  HostId from{}, to{};  ///< a route that does so; none when a packet of a group does
  unsigned lid = 0;     ///< of `to`, above its first: the route is to this one
  std::string group{};
  std::size_t choices = 1;  ///< that the packet has; where switches wait for any, all are blocked
};

/// A cycle of channels that wait for each other: the last waits for the first.
struct DependencyCycle {
  std::vector<ChannelWait> waits;
  /// Packets take any choice that is free, but all that each has are the lane of the next one.
  bool by_any_choice = false;
  /// "s0 port 1 lane 0 waits for s1 port 2 lane 0, on the route from h0 to h9", one line a wait.
  std::vector<std::string> describe(const Fabric& fabric) const;
};

/// A packet that holds lanes one behind the other, and waits for any of some others.
struct BlockedPacket {
  std::vector<Hop> holds, wants;
  HostId from{}, to{};
  unsigned lid = 0;
  std::string group{};
};
/// Packets that share no lane; all that each may take next is held by these packets, and none of
/// them can be left out.
struct BlockedPackets {
  std::vector<BlockedPacket> packets;
  /// "a packet from h0 to h2 holds s0 port 1 lane 0 and waits for s1 port 1 lane 0 or s1 port 2
  /// lane 0: all of its 2 choices are held by these packets", a line each.
  std::vector<std::string> describe(const Fabric& fabric) const;
};

/// Neither numbers nor blocked packets were found, though channels may wait for each other.
struct NotJudged {
  std::string why;
  DependencyCycle cycle;  ///< by some choices
};

/// A certificate, a cycle, why there is neither (a packet runs out of lanes), or packets that block
/// each other though they take any choice; or nothing is known.
using DeadlockVerdict =
    std::variant<Certificate, DependencyCycle, Refused, BlockedPackets, NotJudged>;

/// If tables leave choices and not every choice is safe, it matters what packets wait for.
DeadlockVerdict deadlock(const Fabric& fabric, const Tables& tables,
                         WaitKind waiting = WaitKind::wormhole);

/// A short cycle of a dependency graph; empty when it has none.
std::vector<LaneChannel> find_cycle(const DependencyGraph& graph);
/// The certificate of a graph without cycles.
Certificate numbered(const DependencyGraph& graph, int lanes);

}  // namespace weft
