// SPDX-License-Identifier: Apache-2.0
// The packets that hosts send by a Demand.
#pragma once
#include "sim/workload/workload.hpp"

namespace weft::sim {

struct DrawnPacket {
  HostId to;  ///< none: there are no more
  std::uint32_t flits;
  std::uint64_t urgent;  ///< or not. (No `bool`: copies read words, which wait for such a store.)
};

class PacketSource {
 public:
  PacketSource(Demand demand, std::size_t hosts) : demand_(std::move(demand)) {
    const std::uint64_t base = Rng(demand_.seed).next();
    for (HostId host : IdRange<HostId>(hosts)) rng_.push_back(Rng(base + host.index()));
  }

  /// The next packet of a host.
  [[gnu::always_inline]] DrawnPacket next(HostId from) {
    Rng& rng = rng_[from];
    const HostId to = demand_.pattern->next(from, rng);
    const std::uint32_t flits = demand_.lengths(rng);
    return {to, flits, demand_.urgent(rng)};
  }
  Rng& rng(HostId host) { return rng_[host]; }
  bool ends() const { return demand_.pattern->ends(); }

 private:
  Demand demand_;
  IdVector<HostId, Rng> rng_;
};

/// What a host sends back for a packet that has come: an acknowledgment or a reply, which remembers
/// when the packet was created.
inline Packet answer_to(const Packet& packet, HostId at, std::uint32_t flits, std::uint32_t kind) {
  Packet out;
  out.from = at;
  out.to = packet.from;
  out.flits = flits;
  out.urgent = packet.urgent;
  out.kind = kind;
  out.tag = packet.created;
  return out;
}

}  // namespace weft::sim
