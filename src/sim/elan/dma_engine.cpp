// SPDX-License-Identifier: Apache-2.0
// The DMA engine: whose packet is next, how its data are read, and what becomes of it until its
// circuit is closed. Packets that break are sent again; a source that does not get through changes
// its routes.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sim/elan/elans.hpp"

namespace weft::sim {

// --- whose packet is next -----------------------------------------------------------------------

void Elans::enqueue(JobId id) {
  Job& job = jobs_[id];
  step(job, 4, job.from, kernel_.now());
  job.slice = 0;
  unit(job.from).queue[job.urgent ? 1 : 0].push_back(id);
  feed(job.from);
}

/// Packets that broke come first, then urgent DMAs, then the others; a long one lets others have
/// their turn after some packets.
void Elans::feed(HostId host) {
  Unit& of = unit(host);
  while (of.sending < window_) {
    if (!of.again.empty()) {
      const FlightId id = of.again.front();
      of.again.pop_front();
      fetch(id);
      continue;
    }
    auto& queue = of.queue[of.queue[1].empty() ? 0 : 1];
    if (queue.empty()) return;
    const JobId id = queue.front();
    Job& job = jobs_[id];
    if (job.outcome != Outcome::ok) {
      queue.pop_front();
      job.next = job.packets;
      after_packet(id);
      continue;
    }
    const std::uint32_t packet = job.next++;
    if (job.next == job.packets) {
      queue.pop_front();
    } else if (++job.slice >= elan_.slice && queue.size() > 1) {
      job.slice = 0;
      queue.pop_front();
      queue.push_back(id);
    }
    fetch(add_flight(id, packet, is_multicast(job) ? HostId::none() : job.to));
  }
}

Elans::FlightId Elans::add_flight(JobId job, std::uint32_t packet, HostId to) {
  const FlightId id = flights_.acquire();
  Flight& flight = flights_[id];
  const std::uint32_t attempt = flight.attempt + 1;
  flight = {};
  flight.attempt = attempt;
  flight.job = job;
  flight.packet = packet;
  flight.from = jobs_[job].from;
  flight.to = to;
  ++jobs_[job].flights;
  return id;
}

// --- reading ------------------------------------------------------------------------------------

void Elans::fetch(FlightId id) {
  Flight& flight = flights_[id];
  const Job& job = jobs_[flight.job];
  Unit& of = unit(job.from);
  ++of.sending;
  flight.blocks = flight.reads = blocks_of(packet_bytes(job, flight.packet));
  flight.ready = 0;
  flight.sent = flight.acknowledged = flight.told = flight.failed = false;
  flight.suspect.reset();
  const Duration start = of.microcode.enter(kernel_.now(), elan_.microcode);
  flight.began = start;
  at(start, Due::started, id);
}

/// So many requests to memory may be under way; the others wait.
void Elans::request(HostId host, const Request& request) {
  Unit& of = unit(host);
  if (of.requests < elan_.requests) {
    ++of.requests;
    issue(host, request);
  } else {
    of.waiting.push_back(request);
  }
}

void Elans::release(HostId host) {
  Unit& of = unit(host);
  if (of.waiting.empty()) {
    --of.requests;
    return;
  }
  const Request next = of.waiting.front();
  of.waiting.pop_front();
  issue(host, next);
}

/// Finds the address first.
void Elans::issue(HostId host, const Request& request) {
  if (!request.reads && is_void(request.id)) {
    at(kernel_.now(), Due::written, request.id);
    return;
  }
  const Flight& flight = flights_[request.reads ? request.id : arrivals_[request.id].flight];
  const Job& job = jobs_[flight.job];
  Duration time{0};
  if (job.what != What::transfer && !job.asks)
    time = translation_time(host, place_of(job, host, request.reads), address(job, flight, request),
                            request.reads ? elan::Access::read : elan::Access::write, job.by());
  if (time.count() > 0)
    at(kernel_.now() + time, request.reads ? Due::read_at : Due::write_at, request.id,
       request.block);
  else
    access(request);
}

elan::Address Elans::address(const Job& job, const Flight& flight, const Request& request) const {
  return job.address(request.reads) +
         static_cast<elan::Address>(offset(flight.packet, request.block));
}

void Elans::access(const Request& request) {
  if (!request.reads && is_void(request.id)) {
    at(kernel_.now(), Due::written, request.id);
    return;
  }
  const Flight& flight = flights_[request.reads ? request.id : arrivals_[request.id].flight];
  const Job& job = jobs_[flight.job];
  const HostId host = request.reads ? flight.from : arrivals_[request.id].at;
  elan::MemoryKind store = request.reads ? job.source : job.target;
  if (job.asks)
    store = elan::MemoryKind::sdram;
  else if (job.what != What::transfer)
    if (const auto view = memory_of(host).view(place_of(job, host, request.reads).context,
                                               address(job, flight, request), 1))
      store = view->kind;
  Unit& of = unit(host);
  if (!request.reads) {
    at(through_bus(host), store == elan::MemoryKind::main ? Due::through : Due::written, request.id,
       request.block);
  } else if (store == elan::MemoryKind::main) {
    at(of.pci.enter(kernel_.now(), pci_time(block_size())) + elan_.pci_latency, Due::fetched,
       request.id, request.block);
  } else {
    at(of.bus.enter(kernel_.now(), elan_.bus + elan_.block / elan_.sdram), Due::read, request.id,
       request.block);
  }
}

/// A block is at hand. The packet goes as soon as the blocks that are left will come in time, as
/// fast as those before.
void Elans::read_block(FlightId id) {
  Flight& flight = flights_[id];
  const HostId host = jobs_[flight.job].from;
  --flight.reads;
  ++flight.ready;
  if (flight.acknowledged && flight.reads == 0) {
    answered(id);
  } else if (!flight.sent) {
    const std::int64_t left = flight.blocks - flight.ready;
    const Duration pace = (kernel_.now() - flight.began) / flight.ready;
    const Duration on_link = flit_time_[host.index()] * block_flits();
    if (pace * left <= on_link * (flight.blocks - 1)) inject(id);
  } else if (flight.told) {
    settle_flight(id);
  }
  release(host);
}

// --- the packet ---------------------------------------------------------------------------------

void Elans::inject(FlightId id) {
  Flight& flight = flights_[id];
  flight.sent = true;
  if (!load(flight)) {
    answered(id);
    return;
  }
  Job& job = jobs_[flight.job];
  if (flight.packet == 0) step(job, 5, job.from, kernel_.now());
  if (job.what == What::transfer && flight.packet + 1 == job.packets && !job.asks &&
      !std::exchange(job.all_sent, true))
    user_->sent(job.transfer.cookie);
  const bool multicast = !flight.to.valid();
  flight.answers = multicast ? static_cast<std::uint32_t>(members(job)) : 1;
  flight.last_answer = Duration{0};
  if (flight.to == job.from) {  // within the host
    arrive_here(id);
    return;
  }
  flight.reports = flight.answers;
  send({.from = job.from,
        .to = flight.to,
        .group = multicast ? job.group() : no_group,
        .flits = flits_of(packet_bytes(job, flight.packet)),
        .urgent = job.urgent,
        .circuit = true,
        .tag = id,
        .route = multicast ? no_route_id : routes_.find(job.from, job.dma.table, flight.to)},
       flight.reports);
}

/// The bytes of a packet, as they are in memory now.
bool Elans::load(Flight& flight) {
  Job& job = jobs_[flight.job];
  if (job.what == What::transfer || job.asks) return true;
  flight.data.resize(packet_bytes(job, flight.packet));
  const elan::ProcessLocation place = place_of(job, job.from, true);
  const auto trap = memory_of(job.from).copy_out(
      flight.data, place.context,
      job.address(true) + static_cast<elan::Address>(offset(flight.packet, 0)), job.by());
  if (trap && !job.trap) {  // the target may have refused it before
    job.trap = trap;
    refuse(job);
  }
  return !trap;
}

/// The acknowledgment is there: the circuit may be closed.
void Elans::answered(FlightId id) {
  Flight& flight = flights_[id];
  flight.acknowledged = true;
  if (flight.reads > 0) return;  // it was sent before all of it was read, and is not forgotten yet
  const JobId job = flight.job;
  const HostId host = flight.from;
  unit(host).microcode.enter(kernel_.now(), elan_.microcode);
  close(flight);
  --jobs_[job].flights;
  settle_flight(id);
  after_packet(job);
  feed(host);
}

/// The error is known.
void Elans::failed(FlightId id) {
  Flight& flight = flights_[id];
  const HostId host = flight.from;
  flight.failed = true;
  close(flight);
  settle_flight(id);
  feed(host);
}

void Elans::close(Flight& flight) {
  flight.told = true;
  if (flight.reports > 0) network_.close(flight.network_id);
  --unit(flight.from).sending;
}

/// Of a flight that its source is done with: when nothing of it is under way any more, it is over,
/// or tried again.
void Elans::settle_flight(FlightId id) {
  Flight& flight = flights_[id];
  if (!flight.told || flight.reports > 0 || flight.reads > 0) return;
  if (flight.failed) drop_arrivals(id);
  ++flight.attempt;
  if (flight.failed && jobs_[flight.job].outcome == Outcome::ok) {
    if (++flight.tries <= elan_.retries || change_route(flight)) {
      at(kernel_.now() + elan_.retry_after, Due::again, id, flight.attempt & event_mask);
      return;
    }
    if (flight.to.valid()) {
      Job& job = jobs_[flight.job];
      if (is_multicast(job))
        job.incomplete = true;  // the others are to have all of it
      else
        job.outcome = Outcome::lost;
      ++counts_.unreachable;
    } else {
      one_by_one(id);
    }
  }
  const JobId job = flights_[id].failed ? flights_[id].job : none;
  flights_[id].job = none;
  flights_.release(id);
  if (job == none) return;
  --jobs_[job].flights;  // given up
  after_packet(job);
}

/// So often in a row it did not get through: another way, if there is one.
bool Elans::change_route(Flight& flight) {
  constexpr std::uint32_t most = 64;
  if (!flight.to.valid() || !flight.suspect || flight.reroutes == most) return false;
  if (!routes_.avoid(flight.from, flight.to, *flight.suspect)) return false;
  flight.tries = 0;
  ++flight.reroutes;
  ++counts_.reroutes;
  return true;
}

void Elans::try_again(FlightId id) {
  ++counts_.retries;
  const HostId host = flights_[id].from;
  unit(host).again.push_back(id);
  feed(host);
}

/// A broadcast does not get through: those of its hosts that do not have the packet get it alone.
void Elans::one_by_one(FlightId id) {
  const JobId job = flights_[id].job;
  const std::uint32_t packet = flights_[id].packet;
  const HostId from = flights_[id].from;
  for (const HostId host : tables_.groups[jobs_[job].group()].members) {
    if (host == from || has_landed(jobs_[job], packet, host)) continue;
    unit(from).again.push_back(add_flight(job, packet, host));
  }
  at(kernel_.now(), Due::feed, static_cast<std::uint32_t>(from.index()));
}

/// All packets were sent, and nothing of them is under way: the job is over.
void Elans::after_packet(JobId id) {
  const Job& job = jobs_[id];
  if (job.next == job.packets && job.flights == 0) end(id);
}

}  // namespace weft::sim
