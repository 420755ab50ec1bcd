// SPDX-License-Identifier: Apache-2.0
// The packets that hosts send by a Demand.
#pragma once
#include "sim/workload/workload.hpp"

namespace weft::sim {

class PacketSource {
 public:
  PacketSource(Demand demand, std::size_t hosts) : demand_(std::move(demand)) {
    const std::uint64_t base = Rng(demand_.seed).next();
    for (HostId host : IdRange<HostId>(hosts)) rng_.push_back(Rng(base + host.index()));
  }

  /// The next packet of a host; its `to` is none after the last one.
  Packet next(HostId from) {
    Packet packet;
    become_next(from, packet);
    return packet;
  }
  /// The same, in place of an earlier packet.
  void become_next(HostId from, Packet& packet) {
    Rng& rng = rng_[from];
    packet.from = from;
    packet.to = demand_.pattern->next(from, rng);
    packet.flits = demand_.lengths(rng);
    packet.urgent = demand_.urgent(rng);
  }
  Rng& rng(HostId host) { return rng_[host]; }
  bool ends() const { return demand_.pattern->ends(); }

 private:
  Demand demand_;
  IdVector<HostId, Rng> rng_;
};

}  // namespace weft::sim
