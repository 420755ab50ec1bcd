// SPDX-License-Identifier: Apache-2.0
// The inputter: what the network brings is written to memory block by block, and acknowledged when
// it is there. Whoever may not write there is told so, and nothing is changed.
#include <algorithm>

#include "base/error.hpp"
#include "sim/elan/elans.hpp"

namespace weft::sim {
namespace {

std::uint64_t key_of(std::uint32_t flight, HostId at) {
  return std::uint64_t{flight} << 32U | at.index();
}

}  // namespace

// --- what the network tells ---------------------------------------------------------------------

void Elans::delivered(Network&, const Packet& packet, HostId, unsigned) { end_report(packet); }

void Elans::lost(Network&, const Packet& packet, HostId, Loss) { end_report(packet); }

void Elans::end_report(const Packet& packet) {
  enter();
  reported();
  const auto id = static_cast<FlightId>(packet.tag);
  --flights_[id].reports;
  settle_flight(id);
  leave();
}

/// An error token is on its way to the source. Whatever was acknowledged meanwhile is not heard of.
void Elans::broken(Network&, const Packet& packet, const Breakage& breakage) {
  enter();
  const auto id = static_cast<FlightId>(packet.tag);
  Flight& flight = flights_[id];
  if (!flight.told && !flight.acknowledged && !flight.suspect) {
    flight.network_id = packet.id;
    flight.suspect = elan::Suspect{{breakage.channel, breakage.host, breakage.on},
                                   breakage.why != Loss::corrupted};
    at(kernel_.now() + token_time(breakage.hops), Due::broke, id, flight.attempt & event_mask);
  }
  leave();
}

void Elans::reached(Network&, const Packet& packet, HostId host) {
  enter();
  const auto id = static_cast<FlightId>(packet.tag);
  if (!flights_[id].suspect && !flights_[id].told) {
    const ArrivalId arrival = add_arrival(id, host);
    // The header, then block after block at the speed of the link.
    const Duration flit = flit_time_[host.index()];
    for (std::uint32_t block = 0; block < arrivals_[arrival].blocks; ++block)
      at(kernel_.now() + flit * (header_flits() + (block + 1) * block_flits()), Due::came, arrival,
         block);
  }
  leave();
}

void Elans::filled(Network&, const Packet& packet, HostId host, bool whole, unsigned hops) {
  enter();
  const auto id = static_cast<FlightId>(packet.tag);
  flights_[id].network_id = packet.id;
  const auto found = arriving_.find(key_of(id, host));
  ArrivalId arrival = found == arriving_.end() ? none : found->second;
  if (whole && !flights_[id].suspect && !flights_[id].told) {
    if (arrival == none) {
      arrival = add_arrival(id, host);
      all_came(arrival);
    }
    arrivals_[arrival].whole = true;
    arrivals_[arrival].hops = hops;
    check_arrival(arrival);
  }
  leave();
}

// --- block by block -----------------------------------------------------------------------------

Elans::ArrivalId Elans::add_arrival(FlightId flight, HostId host) {
  const ArrivalId id = arrivals_.acquire();
  const Flight& of = flights_[flight];
  arrivals_[id] = {};
  arrivals_[id].flight = flight;
  arrivals_[id].attempt = of.attempt;
  arrivals_[id].at = host;
  arrivals_[id].blocks = blocks_of(packet_bytes(jobs_[of.job], of.packet));
  arriving_[key_of(flight, host)] = id;
  return id;
}

/// A packet for this host itself needs no network.
void Elans::arrive_here(FlightId id) {
  const ArrivalId arrival = add_arrival(id, flights_[id].from);
  arrivals_[arrival].whole = true;
  all_came(arrival);
  check_arrival(arrival);
}

void Elans::all_came(ArrivalId id) {
  for (std::uint32_t block = 0; block < arrivals_[id].blocks; ++block)
    at(kernel_.now(), Due::came, id, block);
}

/// It broke on its way: nothing more becomes of it.
bool Elans::is_void(ArrivalId id) const {
  const Arrival& arrival = arrivals_[id];
  const Flight& flight = flights_[arrival.flight];
  return flight.attempt != arrival.attempt || flight.suspect || flight.told;
}

void Elans::block_came(ArrivalId id, std::uint32_t block) {
  request(arrivals_[id].at, {false, id, block});
}

/// On to main memory.
void Elans::block_through(ArrivalId id, std::uint32_t block) {
  at(unit(arrivals_[id].at).pci.enter(kernel_.now(), pci_time(block_size())), Due::written, id,
     block);
}

void Elans::block_written(ArrivalId id) {
  const HostId host = arrivals_[id].at;
  ++arrivals_[id].written;
  check_arrival(id);
  release(host);
}

void Elans::check_arrival(ArrivalId id) {
  Arrival& arrival = arrivals_[id];
  if (arrival.written < arrival.blocks) return;
  if (is_void(id)) {
    forget_arrival(id);
  } else if (arrival.whole) {
    arrival.taken = true;
    at(unit(arrival.at).microcode.enter(kernel_.now(), elan_.microcode), Due::take, id);
  }
}

/// Of a packet that broke: those of which nothing more is to come.
void Elans::drop_arrivals(FlightId id) {
  const auto drop = [&](HostId host) {
    const auto found = arriving_.find(key_of(id, host));
    if (found == arriving_.end()) return;
    const Arrival& arrival = arrivals_[found->second];
    if (!arrival.taken && arrival.written == arrival.blocks) forget_arrival(found->second);
  };
  const Flight& flight = flights_[id];
  if (flight.to.valid())
    drop(flight.to);
  else
    for (const HostId host : tables_.groups[jobs_[flight.job].group()].members) drop(host);
}

void Elans::forget_arrival(ArrivalId id) {
  Arrival& arrival = arrivals_[id];
  const auto found = arriving_.find(key_of(arrival.flight, arrival.at));
  if (found != arriving_.end() && found->second == id) arriving_.erase(found);
  arrivals_.release(id);
}

// --- the whole packet ---------------------------------------------------------------------------

bool Elans::has_landed(const Job& job, std::uint32_t packet, HostId host) const {
  return job.landed[member(job, host) * job.packets + packet];
}

void Elans::take(ArrivalId id) {
  const Arrival arrival = arrivals_[id];
  const bool over = is_void(id);
  forget_arrival(id);
  if (over) return;
  const Flight& flight = flights_[arrival.flight];
  const JobId job_id = flight.job;
  if (has_landed(jobs_[job_id], flight.packet, arrival.at)) {
    ++counts_.duplicates;  // its acknowledgment was lost
  } else {
    land(arrival.flight, arrival.at);
  }
  answer(arrival.flight, arrival.hops);
}

/// The packet is all there, for the first time.
void Elans::land(FlightId id, HostId host) {
  const Flight& flight = flights_[id];
  const JobId job_id = flight.job;
  Job& job = jobs_[job_id];
  if (job.outcome != Outcome::ok) return;
  if (job.what != What::transfer && !job.asks && !store(job, flight, host)) return;
  const std::size_t place = member(job, host);
  job.landed[place * job.packets + flight.packet] = true;
  if (++job.arrived[place] == job.packets) all_landed(job_id, host);
}

/// Writes a packet to its process's memory; refused unless all of the DMA may be written.
bool Elans::store(Job& job, const Flight& flight, HostId host) {
  const elan::ProcessLocation place = place_of(job, host, false);
  elan::Memory& memory = memory_of(host);
  const elan::Address target = job.address(false), event = job.target_event();
  job.trap = memory.check(place.context, target, job.bytes, elan::Access::write, job.by());
  if (!job.trap && event != 0) job.trap = check_event(place, event, job.by());
  if (job.trap) {
    refuse(job);
    return false;
  }
  const auto address = target + static_cast<elan::Address>(offset(flight.packet, 0));
  memory.copy_in(place.context, address, flight.data, job.by());
  tell_written(place, address, flight.data.size());
  return true;
}

/// Block by block: the bytes of a packet may lie in several.
void Elans::tell_written(const elan::ProcessLocation& of, elan::Address address,
                         std::uint64_t bytes) {
  if (listener_ == nullptr) return;
  while (bytes > 0) {
    const auto rest = memory_of(of.host).rest(of.context, address);
    const std::size_t part = std::min<std::uint64_t>(bytes, rest->bytes.size());
    if (rest->kind == elan::MemoryKind::main) listener_->written(of.host, rest->bytes.first(part));
    bytes -= part;
    address += static_cast<elan::Address>(part);
  }
}

/// A job's last packet has come to a host.
void Elans::all_landed(JobId id, HostId host) {
  if (jobs_[id].asks) {
    respond(id);
    return;
  }
  Job& job = jobs_[id];
  step(job, 6, host, kernel_.now());
  if (job.what != What::transfer) {
    if (job.target_event() != 0)
      set(place_of(job, host, false), job.target_event(), job.cookie(), false);
    const bool asker = job.what == What::dma && job.dma.at.host == host && host != job.from;
    if (asker && listener_ != nullptr) {
      job.told = true;
      listener_->done(job.cookie(), Outcome::ok, std::nullopt);
    }
    return;
  }
  const Transfer transfer = job.transfer;
  if (is_multicast(job)) {
    user_->landed(transfer.cookie, host);
  } else if (transfer.move == Move::response) {
    job.told = true;
    user_->landed(transfer.cookie, host);
    user_->finished(transfer.cookie, Outcome::ok);
  } else {
    const Outcome outcome = user_->admit(transfer.cookie);
    jobs_[id].outcome = outcome;
    if (outcome == Outcome::ok) user_->landed(transfer.cookie, host);
  }
}

/// Another Elan asks for what is here: it goes to the DMA engine like a command.
void Elans::respond(JobId id) {
  Job& asked = jobs_[id];
  if (asked.what == What::transfer) {
    asked.outcome = user_->admit(asked.transfer.cookie);
    if (asked.outcome != Outcome::ok) return;
  }
  Job job = jobs_[id];
  job.asks = false;
  job.next = job.flights = 0;
  job.from = asked.to;
  if (job.what == What::transfer) {
    job.to = job.transfer.from;
    job.transfer.move = Move::response;
    job.bytes = job.transfer.bytes;
    job.line = 0;
  } else {
    job.to = job.dma.to.host;
    asked.line = 0;  // its place in the line goes to the DMA
  }
  asked.told = true;
  const bool keeps_place = job.line != 0;
  const JobId next = add(std::move(job));
  if (jobs_[next].what == What::dma && !check_source(jobs_[next])) {
    end(next);
    return;
  }
  if (keeps_place) lines_[jobs_[next].line - 1].front() = next;
  enqueue(next);
}

/// An acknowledgment goes back over the circuit; those of a broadcast are combined on their way.
void Elans::answer(FlightId id, unsigned hops) {
  Flight& flight = flights_[id];
  flight.last_answer = std::max(flight.last_answer, kernel_.now() + token_time(hops));
  if (--flight.answers == 0) at(flight.last_answer, Due::answered, id, flight.attempt & event_mask);
}

}  // namespace weft::sim
