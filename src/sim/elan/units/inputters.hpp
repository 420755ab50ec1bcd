// SPDX-License-Identifier: Apache-2.0
// Inputters: each Elan's inputter writes what the network brings to memory, block by block, and
// acknowledges a packet when all of it is there. Whoever may not write there gets a trap, and
// nothing is changed. A packet on its way into the memory of one host is a PacketArrival.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/slots.hpp"
#include "sim/elan/units/dma_engines.hpp"
#include "sim/elan/units/shared_parts.hpp"

namespace weft::sim::elan {

class CommandProcessors;
class EventUnits;

using ArrivalId = std::uint32_t;

/// What the inputters use.
struct InputterWiring {
  DmaEngines& sources;
  MemoryRequests& memory;
  CommandProcessors& commands;  ///< for packets that ask for a DMA
  EventUnits& events;
};

class Inputters final : private Kernel::Handler {
 public:
  Inputters(SharedParts& shared, const InputterWiring& wiring);

  // The network.
  void header_came(FlightId flight, HostId host);
  /// The whole packet has come, over `hops` switches.
  void packet_came(FlightId flight, HostId host, unsigned hops);

  // The DMA engines.
  /// Receives a packet for its own host, which needs no network.
  void come_from_here(FlightId flight);
  /// Forgets the arrivals of a broken packet, unless blocks of them are still to come.
  void drop(FlightId flight);

  // The memory.
  HostId host_of(ArrivalId id) const { return arrivals_[id].at; }
  /// Nothing when the packet broke on its way.
  std::optional<BlockPlace> target_of(ArrivalId id, std::uint32_t block) const;
  void block_written(ArrivalId id);

  /// Packets that arrived again.
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  enum class InputDue : std::uint8_t {
    block,  ///< a block came from the link
    take,   ///< the inputter is done with a packet
  };
  struct PacketArrival {
    FlightId flight = 0;
    std::uint32_t attempt = 0;
    HostId at{};
    unsigned hops = 0;
    std::uint32_t blocks = 0, written = 0;
    bool whole = false;
    bool taken = false;  ///< the inputter is at work on it
  };

  void fire(std::uint64_t what) override;
  void at(Duration time, const UnitEvent<InputDue>& event) {
    shared_.kernel.at(time, *this, event.number());
  }
  /// Whether nothing happened to the packet on its way.
  bool is_open(const PacketArrival& arrival) const {
    return wiring_.sources.is_open(arrival.flight, arrival.attempt);
  }

  ArrivalId add(FlightId flight, HostId host);
  void all_blocks_came(ArrivalId id);
  void check(ArrivalId id);
  void forget(ArrivalId id);
  void take(ArrivalId id);
  void land(const TravellingPacket& packet, HostId host);
  bool write(DmaOperation& operation, const TravellingPacket& packet, HostId host);
  void report_written(const ProcessLocation& of, Address address, std::uint64_t bytes);
  void all_landed(OperationId id, HostId host);
  void dma_landed(DmaOperation& operation, HostId host);
  void transfer_landed(OperationId id, HostId host);

  SharedParts& shared_;
  const InputterWiring wiring_;
  Slots<PacketArrival> arrivals_;
  std::unordered_map<std::uint64_t, ArrivalId> arriving_;  ///< by flight and host
  std::uint64_t duplicates_ = 0;
};

}  // namespace weft::sim::elan
