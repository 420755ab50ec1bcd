// SPDX-License-Identifier: Apache-2.0
// Writes packets to memory block by block, and delivers whole ones to their processes.
#include "sim/elan/units/inputters.hpp"

#include <algorithm>

#include "sim/elan/units/command_processors.hpp"
#include "sim/elan/units/event_units.hpp"

namespace weft::sim::elan {
namespace {

std::uint64_t key_of(FlightId flight, HostId at) {
  return std::uint64_t{flight} << 32U | at.index();
}

}  // namespace

Inputters::Inputters(SharedParts& shared, const InputterWiring& wiring)
    : shared_(shared), wiring_(wiring) {}

void Inputters::fire(std::uint64_t what) {
  const auto event = UnitEvent<InputDue>::from(what);
  if (event.due == InputDue::block)
    wiring_.memory.request(arrivals_[event.id].at, {false, event.id, event.more});
  else
    take(event.id);
}

// --- from the network ---------------------------------------------------------------------------

/// After the header come blocks at the speed of the link.
void Inputters::header_came(FlightId flight, HostId host) {
  if (!wiring_.sources.is_open(flight, wiring_.sources.packet(flight).attempt)) return;
  const ArrivalId id = add(flight, host);
  const Duration flit = shared_.timing.flit[host.index()];
  const std::uint32_t header = shared_.format.header_flits(), each = shared_.format.block_flits();
  for (std::uint32_t block = 0; block < arrivals_[id].blocks; ++block)
    at(shared_.now() + flit * (header + (block + 1) * each), {InputDue::block, id, block});
}

void Inputters::packet_came(FlightId flight, HostId host, unsigned hops) {
  if (!wiring_.sources.is_open(flight, wiring_.sources.packet(flight).attempt)) return;
  const auto found = arriving_.find(key_of(flight, host));
  const bool is_new = found == arriving_.end();
  const ArrivalId id = is_new ? add(flight, host) : found->second;
  if (is_new) all_blocks_came(id);
  arrivals_[id].whole = true;
  arrivals_[id].hops = hops;
  check(id);
}

void Inputters::come_from_here(FlightId flight) {
  const ArrivalId id = add(flight, wiring_.sources.host_of(flight));
  arrivals_[id].whole = true;
  all_blocks_came(id);
  check(id);
}

void Inputters::all_blocks_came(ArrivalId id) {
  for (std::uint32_t block = 0; block < arrivals_[id].blocks; ++block)
    at(shared_.now(), {InputDue::block, id, block});
}

// --- block by block -----------------------------------------------------------------------------

ArrivalId Inputters::add(FlightId flight, HostId host) {
  const TravellingPacket& packet = wiring_.sources.packet(flight);
  const std::uint64_t data =
      shared_.format.data_in(shared_.operations[packet.operation], packet.number);
  const ArrivalId id = arrivals_.acquire();
  arrivals_[id] = {.flight = flight,
                   .attempt = packet.attempt,
                   .at = host,
                   .blocks = shared_.format.blocks(data)};
  arriving_[key_of(flight, host)] = id;
  return id;
}

std::optional<BlockPlace> Inputters::target_of(ArrivalId id, std::uint32_t block) const {
  const PacketArrival& arrival = arrivals_[id];
  if (!is_open(arrival)) return std::nullopt;
  const TravellingPacket& packet = wiring_.sources.packet(arrival.flight);
  const DmaOperation& operation = shared_.operations[packet.operation];
  if (operation.asks) return BlockPlace{{}, MemoryKind::sdram};
  if (!operation.moves_bytes()) return BlockPlace{{}, operation.target};
  const Address address = operation.target_address() + shared_.format.offset(packet.number, block);
  const ProcessLocation process = shared_.operations.target_process(operation, arrival.at);
  return BlockPlace{VirtualAccess{process.context, address, Access::write, operation.by()},
                    operation.target};
}

void Inputters::block_written(ArrivalId id) {
  ++arrivals_[id].written;
  check(id);
}

/// When all blocks are written, the inputter takes a whole packet, and forgets a broken one.
void Inputters::check(ArrivalId id) {
  PacketArrival& arrival = arrivals_[id];
  if (arrival.written < arrival.blocks) return;
  if (!is_open(arrival)) {
    forget(id);
  } else if (arrival.whole) {
    arrival.taken = true;
    at(shared_.boards[arrival.at].run_microcode(), {InputDue::take, id});
  }
}

void Inputters::drop(FlightId flight) {
  const auto drop_at = [&](HostId host) {
    const auto found = arriving_.find(key_of(flight, host));
    if (found == arriving_.end()) return;
    const PacketArrival& arrival = arrivals_[found->second];
    if (!arrival.taken && arrival.written == arrival.blocks) forget(found->second);
  };
  const TravellingPacket& packet = wiring_.sources.packet(flight);
  const Operations& operations = shared_.operations;
  if (packet.to.valid())
    drop_at(packet.to);
  else
    for (const HostId host : operations.members(operations[packet.operation])) drop_at(host);
}

void Inputters::forget(ArrivalId id) {
  const PacketArrival& arrival = arrivals_[id];
  const auto found = arriving_.find(key_of(arrival.flight, arrival.at));
  if (found != arriving_.end() && found->second == id) arriving_.erase(found);
  arrivals_.release(id);
}

// --- the whole packet ---------------------------------------------------------------------------

/// Delivers and acknowledges a packet. One that has come before had lost its acknowledgment.
void Inputters::take(ArrivalId id) {
  const PacketArrival arrival = arrivals_[id];
  const bool open = is_open(arrival);
  forget(id);
  if (!open) return;
  const TravellingPacket& packet = wiring_.sources.packet(arrival.flight);
  const Operations& operations = shared_.operations;
  if (operations.has_landed(operations[packet.operation], packet.number, arrival.at))
    ++duplicates_;
  else
    land(packet, arrival.at);
  wiring_.sources.acknowledge(arrival.flight, arrival.hops);
}

/// Delivers a whole packet, which has not come before.
void Inputters::land(const TravellingPacket& packet, HostId host) {
  const OperationId id = packet.operation;
  DmaOperation& operation = shared_.operations[id];
  if (operation.outcome != TransferStatus::ok) return;
  if (operation.moves_bytes() && !write(operation, packet, host)) return;
  if (shared_.operations.land(operation, packet.number, host)) all_landed(id, host);
}

/// Writes a packet to its process's memory; refused unless all of the operation may be written.
bool Inputters::write(DmaOperation& operation, const TravellingPacket& packet, HostId host) {
  const ProcessLocation process = shared_.operations.target_process(operation, host);
  Memory& memory = shared_.memory(host);
  const Address target = operation.target_address(), event = operation.target_event();
  auto trap = memory.check(process.context, target, operation.bytes, Access::write, operation.by());
  if (!trap && event != 0) trap = wiring_.events.check(process, event, operation.by());
  if (trap) {
    shared_.operations.refuse(operation, *trap);
    return false;
  }
  const Address address = target + shared_.format.offset(packet.number, 0);
  memory.copy_in(process.context, address, packet.data, operation.by());
  if (shared_.users.listening()) report_written(process, address, packet.data.size());
  return true;
}

/// Reports written bytes block by block, as those of a packet may lie in several.
void Inputters::report_written(const ProcessLocation& of, Address address, std::uint64_t bytes) {
  while (bytes > 0) {
    const auto rest = shared_.memory(of.host).rest(of.context, address);
    const std::size_t part = std::min<std::uint64_t>(bytes, rest->bytes.size());
    if (rest->kind == MemoryKind::main) shared_.users.written(of.host, rest->bytes.first(part));
    bytes -= part;
    address += static_cast<Address>(part);
  }
}

/// The last packet of an operation has come to a host.
void Inputters::all_landed(OperationId id, HostId host) {
  DmaOperation& operation = shared_.operations[id];
  if (operation.asks) {
    wiring_.commands.respond(id);
    return;
  }
  shared_.log(operation, 6, host);
  if (operation.kind == OperationKind::transfer)
    transfer_landed(id, host);
  else
    dma_landed(operation, host);
}

void Inputters::dma_landed(DmaOperation& operation, HostId host) {
  if (operation.target_event() != 0)
    wiring_.events.set({shared_.operations.target_process(operation, host),
                        operation.target_event(), operation.cookie(), false});
  const bool asked_here = operation.kind == OperationKind::dma && operation.dma.at.host == host &&
                          host != operation.from;
  if (!asked_here || !shared_.users.listening()) return;
  operation.reported = true;
  shared_.users.done(operation.cookie(), TransferStatus::ok, std::nullopt);
}

/// The user's functions may begin other operations, which move this one in its table.
void Inputters::transfer_landed(OperationId id, HostId host) {
  DmaOperation& operation = shared_.operations[id];
  const Transfer transfer = operation.transfer;
  HostUser& user = shared_.users.host();
  if (operation.is_multicast()) {
    user.landed(transfer.cookie, host);
  } else if (transfer.move == Move::response) {
    operation.reported = true;
    user.landed(transfer.cookie, host);
    user.finished(transfer.cookie, TransferStatus::ok);
  } else {
    const TransferStatus outcome = user.admit(transfer.cookie);
    shared_.operations[id].outcome = outcome;
    if (outcome == TransferStatus::ok) user.landed(transfer.cookie, host);
  }
}

}  // namespace weft::sim::elan
