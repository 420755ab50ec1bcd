// SPDX-License-Identifier: Apache-2.0
// Commands: from a process's wish to the queue of a DMA engine, and from its end to those who
// asked. Figure 5 numbers the steps.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sim/elan/elans.hpp"

namespace weft::sim {
namespace {

constexpr std::uint64_t command_word = 8;

}  // namespace

Elans::JobId Elans::add(Job job) {
  const std::uint64_t payload = static_cast<std::uint64_t>(elan_.payload.count);
  const std::uint64_t bytes = job.asks ? 0 : job.bytes;
  const std::uint64_t packets = std::max<std::uint64_t>(1, (bytes + payload - 1) / payload);
  if (packets >= none) throw Error("{} bytes are more than one DMA moves", job.bytes);
  job.packets = static_cast<std::uint32_t>(packets);
  const std::size_t ends = is_multicast(job) ? tables_.groups[job.group()].members.size() : 1;
  job.landed.assign(packets * ends, false);
  job.arrived.assign(ends, 0);
  return jobs_.insert(std::move(job));
}

std::uint64_t Elans::line(const std::array<std::uint64_t, 2>& name) {
  const auto [place, is_new] = line_names_.emplace(name, lines_.size() + 1);
  if (is_new) lines_.emplace_back();
  return place->second;
}

// --- what is asked for --------------------------------------------------------------------------

void Elans::begin(const Transfer& transfer) {
  ++begun_;
  const bool multicast = transfer.group != no_group;
  if (!multicast && transfer.from == transfer.to) {
    begin_local(transfer);
    return;
  }
  Job job;
  job.what = What::transfer;
  job.asks = transfer.move == Move::read;
  job.by_nic = transfer.by_nic;
  job.urgent = transfer.urgent;
  job.from = transfer.from;
  job.to = transfer.to;
  job.bytes = transfer.move == Move::read || transfer.move == Move::event ? 0 : transfer.bytes;
  if (transfer.move == Move::message) {
    job.bytes += static_cast<std::uint64_t>(elan_.envelope.count);
    job.target = elan::MemoryKind::sdram;  // a queue of the Elan's, until it is matched
  }
  job.transfer = transfer;
  if (!multicast)
    job.line = line({std::uint64_t{transfer.from.index()} << 32U | transfer.to.index(),
                     std::uint64_t{transfer.from_processor} << 32U |
                         std::uint64_t{transfer.to_processor} << 1U | (transfer.urgent ? 1U : 0U)});
  const JobId id = add(std::move(job));
  const Duration posted =
      transfer.by_nic
          ? unit(transfer.from).thread.free_at(kernel_.now())
          : processor(transfer.from, transfer.from_processor).enter(kernel_.now(), elan_.command);
  at(posted, Due::posted, id);
}

Elans::Job Elans::job_of(const elan::DmaDescriptor& dma) {
  Job job;
  job.what = What::dma;
  job.dma = dma;
  job.urgent = dma.urgent;
  job.bytes = dma.bytes;
  job.asks = dma.at.host != dma.from.host;
  job.from = dma.at.host;
  job.to = job.asks ? dma.from.host : dma.to.host;
  if (dma.queue != elan::no_queue) job.line = line({std::uint64_t{1} << 63U | dma.by, dma.queue});
  return job;
}

void Elans::start(const elan::DmaDescriptor& dma) {
  at(kernel_.now(), Due::posted, add(job_of(dma)));
}

void Elans::start(const elan::BroadcastDescriptor& broadcast) {
  invariant(broadcast.contexts.size() == tables_.groups.at(broadcast.group).members.size(),
            "a broadcast names a process on every host of its group");
  Job job;
  job.what = What::broadcast;
  job.broadcast = broadcast;
  job.urgent = broadcast.urgent;
  job.bytes = broadcast.bytes;
  job.from = broadcast.from.host;
  at(kernel_.now(), Due::posted, add(std::move(job)));
}

void Elans::set_event(elan::Process by, const elan::ProcessLocation& where,
                      const elan::ProcessLocation& of, elan::Address event, std::uint64_t cookie) {
  elan::DmaDescriptor dma;
  dma.by = by;
  dma.at = dma.from = where;
  dma.to = of;
  dma.target_event = event;
  dma.cookie = cookie;
  start(dma);
}

// --- the command processor ----------------------------------------------------------------------

/// Its processor is done: descriptor and command go over the bus into SDRAM.
void Elans::command(JobId id) {
  const Job& job = jobs_[id];
  if (job.what == What::transfer) user_->posted(job.transfer.cookie);
  if (job.by_nic) {
    commanded(id);
    return;
  }
  Resource& pci = unit(job.from).pci;
  const auto bytes = static_cast<std::uint64_t>(elan_.descriptor.count);
  step(job, 1, job.from, pci.enter(kernel_.now(), pci_time(bytes)));
  at(pci.enter(kernel_.now(), pci_time(command_word)), Due::commanded, id);
}

/// The command processor reads the descriptor.
void Elans::commanded(JobId id) {
  const Job& job = jobs_[id];
  const HostId host = job.from;
  step(job, 2, host, kernel_.now());
  // Descriptors lie in a ring at the end of SDRAM.
  constexpr std::uint64_t ring = 64;
  const auto bytes = static_cast<std::uint64_t>(elan_.descriptor.count);
  const std::uint64_t first = static_cast<std::uint64_t>(elan_.memory.sdram.count) - system_bytes +
                              (unit(host).descriptors++ % ring) * bytes;
  Duration time{0};
  for (std::uint64_t at = first; at < first + bytes; at += memory_of(host).cache().line_bytes())
    time = std::max(time, touch(host, at, false));
  this->at(unit(host).microcode.enter(kernel_.now(), elan_.microcode + time), Due::checked, id);
}

/// A descriptor that speaks of memory its process does not have goes no further.
void Elans::check(JobId id) {
  Job& job = jobs_[id];
  step(job, 3, job.from, kernel_.now());
  const bool here = job.what == What::broadcast || (job.what == What::dma && !job.asks);
  if (here && !check_source(job)) {
    job.line = 0;  // it has no place in it yet
    end(id);
    return;
  }
  if (job.line != 0) {
    auto& line = lines_[job.line - 1];
    line.push_back(id);
    if (line.size() > 1) return;
  }
  enqueue(id);
}

/// The source may be read, and its event is one.
bool Elans::check_source(Job& job) {
  const elan::ProcessLocation place = place_of(job, job.from, true);
  job.trap = memory_of(place.host)
                 .check(place.context, job.address(true), job.bytes, elan::Access::read, job.by());
  if (!job.trap && job.source_event() != 0)
    job.trap = check_event(place, job.source_event(), job.by());
  if (job.trap) refuse(job);
  return !job.trap;
}

void Elans::refuse(Job& job) {
  job.outcome = Outcome::refused;
  ++counts_.traps;
}

void Elans::leave_line(Job& job) {
  if (job.line == 0) return;
  auto& line = lines_[std::exchange(job.line, 0) - 1];
  line.pop_front();
  if (!line.empty()) enqueue(line.front());
}

// --- within a host ------------------------------------------------------------------------------

/// Its processors share memory: the sender's copies, and the Elan has no part in it.
void Elans::begin_local(const Transfer& transfer) {
  Job job;
  job.what = What::transfer;
  job.from = job.to = transfer.from;
  job.transfer = transfer;
  const auto bytes = static_cast<std::int64_t>(transfer.bytes);
  const Duration copy = model_.copy.bits_per_second > 0 ? Bytes{bytes} / model_.copy : Duration{0};
  Resource& works = processor(transfer.from, transfer.from_processor);
  at(works.enter(kernel_.now(), elan_.command + copy) + model_.store, Due::local,
     add(std::move(job)));
}

void Elans::end_local(JobId id) {
  const Transfer transfer = jobs_[id].transfer;
  user_->posted(transfer.cookie);
  user_->sent(transfer.cookie);
  const Outcome outcome = user_->admit(transfer.cookie);
  if (outcome == Outcome::ok) user_->landed(transfer.cookie, transfer.to);
  jobs_[id].outcome = outcome;
  report(id);
}

// --- the end ------------------------------------------------------------------------------------

/// All of it was acknowledged, or it has failed: its event is set, and its host told.
void Elans::end(JobId id) {
  Job& job = jobs_[id];
  if (job.incomplete && job.outcome == Outcome::ok) job.outcome = Outcome::lost;
  leave_line(job);
  const bool answered_elsewhere = job.told && (job.asks || job.what == What::transfer);
  if (answered_elsewhere) {
    report(id);
    return;
  }
  if (job.outcome == Outcome::ok) step(job, 7, job.from, kernel_.now());
  if (job.what == What::transfer) {
    at(hand_over(job.transfer.move == Move::response ? job.to : job.from, kernel_.now(), 0),
       Due::ended, id);
    return;
  }
  if (job.outcome == Outcome::ok && job.source_event() != 0)
    set(place_of(job, job.from, true), job.source_event(), job.cookie(), true);
  report(id);
}

void Elans::report(JobId id) {
  const Job job = jobs_.extract(id);
  if (job.told) return;
  if (job.what == What::transfer)
    user_->finished(job.transfer.cookie, job.outcome);
  else if (listener_ != nullptr)
    listener_->done(job.cookie(), job.outcome, job.trap);
}

}  // namespace weft::sim
