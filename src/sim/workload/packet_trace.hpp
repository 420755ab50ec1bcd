// SPDX-License-Identifier: Apache-2.0
// Packet traces: what became of every measured packet, and of its flits, while a workload runs.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/workload/workload.hpp"

namespace weft::sim {

/// The end of a packet, or of one copy of a multicast packet.
struct TracedPacket {
  std::uint64_t number = 0;  ///< from 1, in the order of injection; copies share it
  Packet packet{};
  bool injected = true;  ///< or it was lost before
  HostId at{};           ///< where it arrived, or who does not get it
  unsigned hops = 0;
  std::optional<Loss> lost{};
  std::vector<ChannelId> route{};  ///< links between switches that it took, in order
};

struct TracedFlit {
  std::uint64_t packet = 0;  ///< TracedPacket::number
  FlitDeparture link{};
};

/// Called with the network at the cycle in which it happens; an empty function is not called.
struct PacketTrace {
  std::function<void(const Network&, const TracedPacket&)> packet{};
  std::function<void(const Network&, const TracedFlit&)> flit{};

  bool wanted() const { return packet || flit; }
};

/// The same workload, traced. The network needs NetworkOptions::flit_departures. Packets that the
/// meter does not sample are left out.
std::unique_ptr<Workload> traced(std::unique_ptr<Workload> workload, const Meter& meter,
                                 PacketTrace trace);

}  // namespace weft::sim
