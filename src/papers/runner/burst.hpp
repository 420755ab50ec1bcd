// SPDX-License-Identifier: Apache-2.0
// A burst: packets that are all there at the start, simulated until the last has arrived.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/tables.hpp"

namespace weft::papers {

struct BurstPacket {
  HostId from{};
  HostId to{};                              ///< none: to the members of a group
  std::uint32_t group = ~std::uint32_t{0};  ///< index into Tables::groups
};

struct Burst {
  const Fabric& fabric;
  const Tables& tables;
  std::string switches;              ///< spec of sim/switch_model.hpp
  Bytes size{};                      ///< of every packet, on the wire
  std::vector<BurstPacket> packets;  ///< those of one host leave it in this order
};

struct LaneFlits {
  ChannelId channel{};
  Lane lane = 0;
  std::uint64_t flits = 0;
};

struct BurstResult {
  Duration time{};                 ///< until the last flit arrived
  Duration packet{};               ///< of one packet on one link
  std::uint64_t deliveries = 0;    ///< packets, and copies of multicast packets
  std::uint64_t flit_hops = 0;     ///< switch traversals
  std::string deadlock{};          ///< which packets wait for which, where they do so for ever
  std::vector<LaneFlits> lanes{};  ///< between switches, where flits went
};

/// Throws Error when fabric, tables, switches and size do not fit together.
BurstResult run_burst(const Burst& burst);

}  // namespace weft::papers
