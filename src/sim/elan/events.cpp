// SPDX-License-Identifier: Apache-2.0
// Events: words in SDRAM that count how often they were set, and what their Elan does at a count:
// copy a block to main memory, or begin a DMA.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "sim/elan/elans.hpp"

namespace weft::sim {

/// Whether a process may set it. It must be in SDRAM: the PCI bus cannot add to a word of main
/// memory in one piece.
std::optional<elan::Trap> Elans::check_event(const elan::ProcessLocation& of, elan::Address event,
                                             elan::Process by) {
  elan::Memory& memory = memory_of(of.host);
  if (auto trap = memory.check(of.context, event, event_bytes, elan::Access::write, by))
    return trap;
  const auto view = memory.view(of.context, event, event_bytes);
  if (view && view->kind == elan::MemoryKind::sdram) return std::nullopt;
  return elan::Trap{by, of.context, event, elan::Access::write, elan::Fault::event_in_main};
}

std::span<std::byte> Elans::event_word(const elan::ProcessLocation& of, elan::Address event) {
  const auto view = memory_of(of.host).view(of.context, event, event_bytes);
  if (!view) throw Error("event {:#x}: context {} has no memory there", event, of.context);
  if (view->kind != elan::MemoryKind::sdram)
    throw Error(
        "event {:#x} is in main memory: events live in Elan memory only, as PCI cannot add "
        "to a word in one piece",
        event);
  return view->bytes;
}

std::uint64_t Elans::event_count(const elan::ProcessLocation& of, elan::Address event) {
  std::uint64_t count = 0;
  std::memcpy(&count, event_word(of, event).data(), sizeof count);
  return count;
}

void Elans::on_event(const elan::ProcessLocation& of, elan::Address event, std::uint64_t count,
                     const elan::BlockCopyDescriptor& copy) {
  arm(of, event, {count, copy, {}});
}

void Elans::on_event(const elan::ProcessLocation& of, elan::Address event, std::uint64_t count,
                     const elan::DmaDescriptor& dma) {
  arm(of, event, {count, {}, dma});
}

void Elans::arm(const elan::ProcessLocation& of, elan::Address event, const Unit::Armed& armed) {
  if (event_count(of, event) >= armed.count)
    act(of, armed, {});
  else
    unit(of.host).armed[{of.context, event}].push_back(armed);
}

void Elans::release_block(const elan::ProcessLocation& of, elan::Address address) {
  const std::uint64_t end = address + memory_of(of.host).release(of.context, address);
  auto& all = unit(of.host).armed;
  for (auto next = all.lower_bound({of.context, address});
       next != all.end() && next->first.first == of.context && next->first.second < end;)
    next = all.erase(next);
}

/// To find the word and have it at hand.
Duration Elans::event_time(const elan::ProcessLocation& of, elan::Address event) {
  elan::Memory& memory = memory_of(of.host);
  const auto owner = memory.process_of(of.context);
  if (!owner) return Duration{0};
  const Duration found = translation_time(of.host, of, event, elan::Access::write, *owner);
  const auto word = memory.translate(of.context, event, elan::Access::write, *owner);
  const auto* there = std::get_if<elan::Translation>(&word);
  return there == nullptr ? found : std::max(found, touch(of.host, there->physical.at, true));
}

/// Steps 8 and 11 of figure 5: the inputter, or the DMA engine, sets an event.
void Elans::set(const elan::ProcessLocation& of, elan::Address event, std::uint64_t cookie,
                bool at_source) {
  Unit& where = unit(of.host);
  const Duration time = elan_.microcode + event_time(of, event);
  at(where.microcode.enter(kernel_.now(), time), Due::set,
     notices_.insert({of, event, cookie, at_source, {}}));
}

void Elans::set_now(std::uint32_t id) {
  const Notice notice = notices_.extract(id);
  const auto view = memory_of(notice.of.host).view(notice.of.context, notice.event, event_bytes);
  if (!view) return;  // its process has gone
  std::uint64_t count = 0;
  std::memcpy(&count, view->bytes.data(), sizeof count);
  ++count;
  std::memcpy(view->bytes.data(), &count, sizeof count);
  if (steps_)
    steps_->push_back({notice.cookie, notice.at_source ? 8 : 11, notice.of.host, kernel_.now()});
  auto& all = unit(notice.of.host).armed;
  if (const auto found = all.find({notice.of.context, notice.event}); found != all.end()) {
    std::vector<Unit::Armed> due;
    std::erase_if(found->second, [&](const Unit::Armed& armed) {
      if (armed.count > count) return false;
      due.push_back(armed);
      return true;
    });
    if (found->second.empty()) all.erase(found);
    for (const Unit::Armed& armed : due) act(notice.of, armed, notice);
  }
  if (listener_ != nullptr) listener_->event(notice.of, notice.event, count);
}

/// Steps 9 and 12: the DMA engine copies, or begins what was chained to the event.
void Elans::act(const elan::ProcessLocation& of, const Unit::Armed& armed, const Notice& because) {
  if (armed.dma) {
    Job job = job_of(*armed.dma);
    const JobId id = add(std::move(job));
    at(unit(of.host).microcode.enter(kernel_.now(), elan_.microcode), Due::checked, id);
    return;
  }
  Unit& where = unit(of.host);
  const elan::BlockCopyDescriptor copy = *armed.copy;
  const Duration started = where.microcode.enter(kernel_.now(), elan_.microcode);
  if (steps_ && because.event != 0)
    steps_->push_back({because.cookie, because.at_source ? 9 : 12, of.host, started});
  const Duration done = where.pci.slip_in(started, pci_time(copy.bytes));
  Notice notice = because;
  notice.of = of;
  notice.copy = copy;
  at(done, Due::copied, notices_.insert(notice));
}

/// Steps 10 and 13: the process sees it in main memory.
void Elans::copied(std::uint32_t id) {
  const Notice notice = notices_.extract(id);
  elan::Memory& memory = memory_of(notice.of.host);
  const auto from = memory.view(notice.of.context, notice.copy.from, notice.copy.bytes);
  const auto to = memory.view(notice.of.context, notice.copy.to, notice.copy.bytes);
  if (!from || !to) return;  // released meanwhile
  std::memmove(to->bytes.data(), from->bytes.data(), notice.copy.bytes);
  if (steps_ && notice.event != 0)
    steps_->push_back({notice.cookie, notice.at_source ? 10 : 13, notice.of.host, kernel_.now()});
  if (listener_ != nullptr && to->kind == elan::MemoryKind::main)
    listener_->written(notice.of.host, to->bytes);
}

Duration Elans::look(HostId host, Duration from) {
  return unit(host).pci.slip_in(from, pci_time(event_bytes)) + elan_.pci_latency;
}

// --- the thread processor -----------------------------------------------------------------------

Duration Elans::nic_work(HostId host, Duration time) {
  // A microcode thread schedules it. It reads an envelope out of its queue, and the record of a
  // receive, through the cache and the bus that the other units use.
  Unit& of = unit(host);
  const auto line = memory_of(host).cache().line_bytes();
  const auto queue = static_cast<std::uint64_t>(elan_.memory.sdram.count) - 2 * system_bytes;
  const std::uint64_t slot = of.envelopes++ % (system_bytes / (2 * line));
  Duration memory = touch(host, queue + 2 * slot * line, true);
  memory = std::max(memory, touch(host, queue + (2 * slot + 1) * line, true));
  return of.thread.enter(of.microcode.enter(kernel_.now(), elan_.microcode), time + memory);
}

Duration Elans::hand_over(HostId host, Duration from, std::uint64_t bytes) {
  Unit& of = unit(host);
  Duration time = pci_time(event_bytes);  // the notice
  const std::uint64_t block = block_size();
  for (std::uint64_t at = 0; at < bytes; at += block) time += pci_time(std::min(block, bytes - at));
  return of.pci.slip_in(from + elan_.microcode, time);
}

}  // namespace weft::sim
