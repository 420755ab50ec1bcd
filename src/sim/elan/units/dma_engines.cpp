// SPDX-License-Identifier: Apache-2.0
// Chooses the next packet, reads its data, and injects it into the network. flights.cpp follows it
// there.
#include "sim/elan/units/dma_engines.hpp"

#include <utility>

#include "sim/elan/units/command_processors.hpp"
#include "sim/elan/units/inputters.hpp"

namespace weft::sim::elan {

DmaEngines::DmaEngines(SharedParts& shared, const DmaEngineWiring& wiring)
    : shared_(shared),
      wiring_(wiring),
      window_(shared.timing.lanes + 1),
      engines_(shared.boards.size()) {}

void DmaEngines::fire(std::uint64_t what) {
  const auto event = UnitEvent<DmaDue>::from(what);
  if (event.due == DmaDue::feed) {
    feed(HostId(event.id));
    return;
  }
  if (event.due == DmaDue::started) {
    read_data(event.id);
    return;
  }
  const TravellingPacket& packet = flights_[event.id].packet;
  const bool current =
      (packet.attempt & UnitEvent<DmaDue>::mask) == event.more && packet.operation != no_operation;
  if (!current) return;  // it was about an earlier attempt
  if (event.due == DmaDue::broke)
    failed(event.id);
  else if (event.due == DmaDue::again)
    try_again(event.id);
  else if (!flights_[event.id].suspect)
    acknowledged(event.id);
}

// --- whose packet is next -----------------------------------------------------------------------

void DmaEngines::enqueue(OperationId id) {
  DmaOperation& operation = shared_.operations[id];
  shared_.log(operation, 4, operation.from);
  operation.slice = 0;
  engine(operation.from).queue[operation.urgent ? 1 : 0].push_back(id);
  feed(operation.from);
}

/// Packets that broke come first, then urgent operations, then the others; a long one lets others
/// have their turn after some packets.
void DmaEngines::feed(HostId host) {
  DmaEngine& of = engine(host);
  while (of.sending < window_) {
    if (!of.again.empty()) {
      const FlightId id = of.again.front();
      of.again.pop_front();
      fetch(id);
      continue;
    }
    auto& queue = of.queue[of.queue[1].empty() ? 0 : 1];
    if (queue.empty()) return;
    const OperationId id = queue.front();
    DmaOperation& operation = shared_.operations[id];
    if (operation.outcome != TransferStatus::ok) {
      queue.pop_front();
      operation.next = operation.packets;
      after_packet(id);
      continue;
    }
    const std::uint32_t packet = operation.next++;
    if (operation.next == operation.packets) {
      queue.pop_front();
    } else if (++operation.slice >= shared_.model.slice && queue.size() > 1) {
      operation.slice = 0;
      queue.pop_front();
      queue.push_back(id);
    }
    fetch(add_flight(id, packet, operation.is_multicast() ? HostId::none() : operation.to));
  }
}

FlightId DmaEngines::add_flight(OperationId operation, std::uint32_t packet, HostId to) {
  const FlightId id = flights_.acquire();
  Flight& flight = flights_[id];
  const std::uint32_t attempt = flight.packet.attempt + 1;
  flight = {};
  flight.packet.operation = operation;
  flight.packet.number = packet;
  flight.packet.from = shared_.operations[operation].from;
  flight.packet.to = to;
  flight.packet.attempt = attempt;
  ++shared_.operations[operation].flights;
  return id;
}

/// Ends an operation when all its packets were sent and none is under way.
void DmaEngines::after_packet(OperationId id) {
  const DmaOperation& operation = shared_.operations[id];
  if (operation.next == operation.packets && operation.flights == 0) wiring_.commands.finish(id);
}

// --- reading ------------------------------------------------------------------------------------

void DmaEngines::fetch(FlightId id) {
  Flight& flight = flights_[id];
  const HostId host = flight.packet.from;
  ++engine(host).sending;
  flight.blocks = flight.reads =
      shared_.format.blocks(shared_.format.data_in(operation_of(flight), flight.packet.number));
  flight.ready = 0;
  flight.sent = flight.acknowledged = flight.closed = flight.failed = false;
  flight.suspect.reset();
  flight.began = shared_.boards[host].run_microcode();
  at(flight.began, {DmaDue::started, id});
}

void DmaEngines::read_data(FlightId id) {
  const HostId host = flights_[id].packet.from;
  for (std::uint32_t block = 0; block < flights_[id].blocks; ++block)
    wiring_.memory.request(host, {true, id, block});
  if (flights_[id].blocks == 0) inject(id);
}

BlockPlace DmaEngines::source_of(FlightId id, std::uint32_t block) const {
  const TravellingPacket& packet = flights_[id].packet;
  const DmaOperation& operation = shared_.operations[packet.operation];
  if (operation.asks) return {{}, MemoryKind::sdram};
  if (!operation.moves_bytes()) return {{}, operation.source};
  const Address address = operation.source_address() + shared_.format.offset(packet.number, block);
  return {VirtualAccess{shared_.operations.source_process(operation).context, address, Access::read,
                        operation.by()},
          operation.source};
}

/// Counts a block that has been read. The packet goes as soon as the blocks that are left, read as
/// fast as those before, will come in time.
void DmaEngines::block_read(FlightId id) {
  Flight& flight = flights_[id];
  --flight.reads;
  ++flight.ready;
  if (flight.acknowledged && flight.reads == 0) {
    acknowledged(id);
  } else if (!flight.sent) {
    const std::int64_t left = flight.blocks - flight.ready;
    const Duration pace = (shared_.now() - flight.began) / flight.ready;
    const Duration on_link =
        shared_.timing.flit[flight.packet.from.index()] * shared_.format.block_flits();
    if (pace * left <= on_link * (flight.blocks - 1)) inject(id);
  } else if (flight.closed) {
    settle(id);
  }
}

// --- sending ------------------------------------------------------------------------------------

void DmaEngines::inject(FlightId id) {
  Flight& flight = flights_[id];
  flight.sent = true;
  if (!load(flight)) {
    acknowledged(id);
    return;
  }
  const TravellingPacket& packet = flight.packet;
  DmaOperation& operation = operation_of(flight);
  if (packet.number == 0) shared_.log(operation, 5, operation.from);
  const bool last = packet.number + 1 == operation.packets && !operation.asks;
  if (operation.kind == OperationKind::transfer && last && !std::exchange(operation.all_sent, true))
    shared_.users.host().sent(operation.transfer.cookie);
  const bool multicast = !packet.to.valid();
  flight.answers =
      multicast ? static_cast<std::uint32_t>(shared_.operations.receivers(operation)) : 1;
  flight.last_answer = Duration{0};
  if (packet.to == operation.from) {
    wiring_.inputters.come_from_here(id);
    return;
  }
  flight.reports = flight.answers;
  wiring_.network.open(
      {.from = operation.from,
       .to = packet.to,
       .group = multicast ? operation.group() : no_group,
       .flits = shared_.format.flits(shared_.format.data_in(operation, packet.number)),
       .urgent = operation.urgent,
       .circuit = true,
       .tag = id,
       .route = multicast ? no_route_id
                          : wiring_.routes.find(operation.from, operation.dma.table, packet.to)},
      flight.reports);
}

/// Copies the bytes of a packet, as they are in memory now. Returns whether its process may read
/// them.
bool DmaEngines::load(Flight& flight) {
  DmaOperation& operation = operation_of(flight);
  if (!operation.moves_bytes()) return true;
  TravellingPacket& packet = flight.packet;
  packet.data.resize(shared_.format.data_in(operation, packet.number));
  const auto trap =
      shared_.memory(operation.from)
          .copy_out(packet.data, shared_.operations.source_process(operation).context,
                    operation.source_address() + shared_.format.offset(packet.number, 0),
                    operation.by());
  // The target may have refused another packet before.
  if (trap && !operation.trap) shared_.operations.refuse(operation, *trap);
  return !trap;
}

}  // namespace weft::sim::elan
