// SPDX-License-Identifier: Apache-2.0
// The flights of a DMA engine's packets: they are acknowledged and their circuits closed, or they
// break and are sent again, by other routes in the end.
#include <algorithm>

#include "sim/elan/units/command_processors.hpp"
#include "sim/elan/units/dma_engines.hpp"
#include "sim/elan/units/inputters.hpp"

namespace weft::sim::elan {

// --- circuits -----------------------------------------------------------------------------------

void DmaEngines::report_came(FlightId id) {
  --flights_[id].reports;
  settle(id);
}

/// Sends an error token to the source, which ignores acknowledgments behind it.
void DmaEngines::circuit_broke(const Packet& packet, const FaultSite& site) {
  const auto id = static_cast<FlightId>(packet.tag);
  Flight& flight = flights_[id];
  if (flight.closed || flight.acknowledged || flight.suspect) return;
  flight.network_id = packet.id;
  flight.suspect = Suspect{{site.channel, site.host, site.on}, site.why != Loss::corrupted};
  at(shared_.now() + shared_.timing.token(site.hops), {DmaDue::broke, id, flight.packet.attempt});
}

void DmaEngines::acknowledge(FlightId id, unsigned hops) {
  Flight& flight = flights_[id];
  flight.last_answer = std::max(flight.last_answer, shared_.now() + shared_.timing.token(hops));
  if (--flight.answers == 0)
    at(flight.last_answer, {DmaDue::acknowledged, id, flight.packet.attempt});
}

/// Closes the circuit of a packet whose acknowledgment has arrived at the source.
void DmaEngines::acknowledged(FlightId id) {
  Flight& flight = flights_[id];
  flight.acknowledged = true;
  if (flight.reads > 0) return;  // sent before all of it was read: block_read() calls again
  const OperationId operation = flight.packet.operation;
  const HostId host = flight.packet.from;
  shared_.boards[host].run_microcode();
  close(flight);
  --shared_.operations[operation].flights;
  settle(id);
  after_packet(operation);
  feed(host);
}

/// Closes the circuit of a packet whose error has arrived at the source.
void DmaEngines::failed(FlightId id) {
  Flight& flight = flights_[id];
  const HostId host = flight.packet.from;
  flight.failed = true;
  close(flight);
  settle(id);
  feed(host);
}

void DmaEngines::close(Flight& flight) {
  flight.closed = true;
  if (flight.reports > 0) wiring_.network.close(flight.network_id);
  --engine(flight.packet.from).sending;
}

// --- the end of a flight ------------------------------------------------------------------------

/// Ends a closed flight once nothing of it is under way any more, or sends its packet again.
void DmaEngines::settle(FlightId id) {
  Flight& flight = flights_[id];
  if (!flight.closed || flight.reports > 0 || flight.reads > 0) return;
  if (flight.failed) wiring_.inputters.drop(id);
  ++flight.packet.attempt;
  if (flight.failed && operation_of(flight).outcome == TransferStatus::ok) {
    if (retry(id)) return;
    abandon(id);
  }
  const bool lost = flights_[id].failed;
  const OperationId operation = flights_[id].packet.operation;
  flights_[id].packet.operation = no_operation;
  flights_.release(id);
  if (!lost) return;
  --shared_.operations[operation].flights;
  after_packet(operation);
}

/// Schedules another attempt; returns whether there is one.
bool DmaEngines::retry(FlightId id) {
  Flight& flight = flights_[id];
  if (++flight.tries > shared_.model.retries && !change_route(flight)) return false;
  at(shared_.now() + shared_.model.retry_after, {DmaDue::again, id, flight.packet.attempt});
  return true;
}

/// Abandons a packet, as no route is left to its host. The other hosts of a broadcast still get all
/// of it.
void DmaEngines::abandon(FlightId id) {
  const Flight& flight = flights_[id];
  if (!flight.packet.to.valid()) {
    send_one_by_one(id);
    return;
  }
  DmaOperation& operation = operation_of(flight);
  if (operation.is_multicast())
    operation.incomplete = true;
  else
    operation.outcome = TransferStatus::lost;
  ++counts_.unreachable;
}

/// Changes the route of a packet that failed several times in a row; returns whether there is
/// another.
bool DmaEngines::change_route(Flight& flight) {
  constexpr std::uint32_t most = 64;
  const TravellingPacket& packet = flight.packet;
  if (!packet.to.valid() || !flight.suspect || flight.reroutes == most) return false;
  if (!wiring_.routes.avoid(packet.from, packet.to, *flight.suspect)) return false;
  flight.tries = 0;
  ++flight.reroutes;
  ++counts_.reroutes;
  return true;
}

void DmaEngines::try_again(FlightId id) {
  ++counts_.retries;
  const HostId host = flights_[id].packet.from;
  engine(host).again.push_back(id);
  feed(host);
}

/// Sends the packet of a broadcast that does not get through to each host that lacks it.
void DmaEngines::send_one_by_one(FlightId id) {
  const OperationId operation = flights_[id].packet.operation;
  const std::uint32_t packet = flights_[id].packet.number;
  const HostId from = flights_[id].packet.from;
  const Operations& operations = shared_.operations;
  for (const HostId host : operations.members(operations[operation])) {
    if (host == from || operations.has_landed(operations[operation], packet, host)) continue;
    engine(from).again.push_back(add_flight(operation, packet, host));
  }
  at(shared_.now(), {DmaDue::feed, static_cast<std::uint32_t>(from.index())});
}

}  // namespace weft::sim::elan
