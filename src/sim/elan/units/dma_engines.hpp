// SPDX-License-Identifier: Apache-2.0
// DmaEngines: each Elan's DMA engine chooses the next packet, reads its data, and sends it over a
// circuit, which stays open until the target has acknowledged the packet. Packets that break are
// sent again; a source whose packets do not get through changes its routes. A packet under way is a
// Flight.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/slots.hpp"
#include "sim/elan/routes.hpp"
#include "sim/elan/units/memory_requests.hpp"
#include "sim/elan/units/shared_parts.hpp"
#include "sim/network.hpp"

namespace weft::sim::elan {

class CommandProcessors;
class Inputters;

using FlightId = std::uint32_t;

/// The part of a flight that its target sees.
struct TravellingPacket {
  OperationId operation = no_operation;
  std::uint32_t number = 0;  ///< among the operation's packets
  HostId from{}, to{};       ///< no `to`: to the operation's group
  std::uint32_t attempt = 0;
  std::vector<std::byte> data{};
};

/// The network, as far as a DMA engine uses it.
class CircuitPort {
 public:
  /// Sends a packet, on which the network will report `reports` times.
  virtual void open(const Packet& packet, std::uint32_t reports) = 0;
  virtual void close(std::uint32_t network_id) = 0;

 protected:
  ~CircuitPort() = default;
};

/// What the DMA engines use.
struct DmaEngineWiring {
  CircuitPort& network;
  Routes& routes;
  MemoryRequests& memory;
  Inputters& inputters;         ///< for packets that stay within a host, and those that broke
  CommandProcessors& commands;  ///< notified of an operation's end
};

class DmaEngines final : private Kernel::Handler {
 public:
  DmaEngines(SharedParts& shared, const DmaEngineWiring& wiring);

  /// Appends an operation to the queue of its priority at its source.
  void enqueue(OperationId id);

  // The inputters.
  const TravellingPacket& packet(FlightId id) const { return flights_[id].packet; }
  /// Whether the circuit of this attempt is open and has not been seen to break.
  bool is_open(FlightId id, std::uint32_t attempt) const {
    const Flight& flight = flights_[id];
    return flight.packet.attempt == attempt && !flight.suspect && !flight.closed;
  }
  /// Sends an acknowledgment back over the circuit; the network combines those of a broadcast.
  void acknowledge(FlightId id, unsigned hops);

  // The memory.
  HostId host_of(FlightId id) const { return flights_[id].packet.from; }
  BlockPlace source_of(FlightId id, std::uint32_t block) const;
  void block_read(FlightId id);

  // The network.
  /// The circuit has reached a target; `network_id` is its packet's id in the network.
  void circuit_reached(FlightId id, std::uint32_t network_id) {
    flights_[id].network_id = network_id;
  }
  void circuit_broke(const Packet& packet, const FaultSite& site);
  /// Counts a report of the network on a flight.
  void report_came(FlightId id);

  struct DmaCounts {
    std::uint64_t retries = 0;      ///< packets sent again
    std::uint64_t reroutes = 0;     ///< times a source changed its routes
    std::uint64_t unreachable = 0;  ///< packets abandoned
  };
  const DmaCounts& counts() const { return counts_; }

 private:
  enum class DmaDue : std::uint8_t {
    started,       ///< a DMA engine begins to read a packet's data
    acknowledged,  ///< the acknowledgment is there
    broke,         ///< the error is known at the source
    again,         ///< a packet may be sent again
    feed,          ///< a DMA engine has something to do
  };
  struct Flight {
    TravellingPacket packet{};
    std::uint32_t blocks = 0, ready = 0, reads = 0;  ///< of data; at hand; to be read
    Duration began{};
    bool sent = false, acknowledged = false;
    bool closed = false;  ///< its source knows the outcome,
    bool failed = false;  ///< which is a failure
    std::uint32_t network_id = 0;
    std::uint32_t reports = 0;  ///< of the network, that are still to come
    std::uint32_t answers = 0;  ///< acknowledgments that are still to come
    Duration last_answer{};
    int tries = 0;  ///< by the present route
    std::uint32_t reroutes = 0;
    std::optional<Suspect> suspect{};  ///< the circuit broke here
  };
  struct DmaEngine {
    std::array<std::deque<OperationId>, 2> queue{};  ///< by priority
    std::deque<FlightId> again{};                    ///< packets that failed and are sent again
    std::uint32_t sending = 0;                       ///< flights that are read or under way
  };

  void fire(std::uint64_t what) override;
  void at(Duration time, const UnitEvent<DmaDue>& event) {
    shared_.kernel.at(time, *this, event.number());
  }
  DmaEngine& engine(HostId host) { return engines_[host.index()]; }
  DmaOperation& operation_of(const Flight& flight) {
    return shared_.operations[flight.packet.operation];
  }

  void feed(HostId host);
  FlightId add_flight(OperationId operation, std::uint32_t packet, HostId to);
  void fetch(FlightId id);
  void read_data(FlightId id);
  void inject(FlightId id);
  bool load(Flight& flight);
  void acknowledged(FlightId id);
  void failed(FlightId id);
  void close(Flight& flight);
  void settle(FlightId id);
  bool retry(FlightId id);
  void abandon(FlightId id);
  bool change_route(Flight& flight);
  void try_again(FlightId id);
  void send_one_by_one(FlightId id);
  void after_packet(OperationId id);

  SharedParts& shared_;
  const DmaEngineWiring wiring_;
  const std::uint32_t window_;      ///< packets of a host that are read or under way
  std::vector<DmaEngine> engines_;  ///< by host
  Slots<Flight> flights_;
  DmaCounts counts_;
};

}  // namespace weft::sim::elan
