// SPDX-License-Identifier: Apache-2.0
// Sets events, and executes the actions armed for them.
#include "sim/elan/units/event_units.hpp"

#include <algorithm>
#include <cstring>
#include <variant>

#include "base/error.hpp"
#include "sim/elan/units/command_processors.hpp"

namespace weft::sim::elan {

EventUnits::EventUnits(SharedParts& shared, CommandProcessors& commands)
    : shared_(shared), commands_(commands), armed_(shared.boards.size()) {}

void EventUnits::fire(std::uint64_t what) {
  const auto event = UnitEvent<EventDue>::from(what);
  const PendingNotice pending = pending_.extract(event.id);
  if (event.due == EventDue::set)
    set_now(pending.notice);
  else
    copied(pending);
}

std::optional<Trap> EventUnits::check(const ProcessLocation& of, Address event, Process by) {
  Memory& memory = shared_.memory(of.host);
  if (auto trap = memory.check(of.context, event, event_bytes, Access::write, by)) return trap;
  const auto view = memory.view(of.context, event, event_bytes);
  if (view && view->kind == MemoryKind::sdram) return std::nullopt;
  return Trap{by, of.context, event, Access::write, Fault::event_in_main};
}

std::span<std::byte> EventUnits::word(const ProcessLocation& of, Address event) {
  const auto view = shared_.memory(of.host).view(of.context, event, event_bytes);
  if (!view) throw Error("event {:#x}: context {} has no memory there", event, of.context);
  if (view->kind != MemoryKind::sdram)
    throw Error(
        "event {:#x} is in main memory: events live in Elan memory only, as PCI cannot add "
        "to a word in one piece",
        event);
  return view->bytes;
}

std::uint64_t EventUnits::count(const ProcessLocation& of, Address event) {
  std::uint64_t count = 0;
  std::memcpy(&count, word(of, event).data(), sizeof count);
  return count;
}

void EventUnits::arm(const ProcessLocation& of, Address event, const EventAction& action) {
  if (count(of, event) >= action.count)
    act(action, {.of = of});
  else
    armed_[of.host.index()][{of.context, event}].push_back(action);
}

void EventUnits::disarm(const ProcessLocation& of, AddressRange memory) {
  ArmedActions& all = armed_[of.host.index()];
  for (auto next = all.lower_bound({of.context, static_cast<Address>(memory.first)});
       next != all.end() && next->first.first == of.context && next->first.second < memory.end;)
    next = all.erase(next);
}

/// The time until the event's address is translated and its line is in the cache.
Duration EventUnits::access_time(const EventNotice& notice) {
  const auto& [host, context] = notice.of;
  Board& board = shared_.boards[host];
  const auto owner = board.memory().process_of(context);
  if (!owner) return Duration{0};
  const Duration found = board.translation_time({context, notice.event, Access::write, *owner});
  const auto word = board.memory().translate(context, notice.event, Access::write, *owner);
  const auto* there = std::get_if<Translation>(&word);
  return there == nullptr ? found : std::max(found, board.touch(there->physical.at, true));
}

void EventUnits::set(const EventNotice& notice) {
  const Duration time = access_time(notice);
  at(shared_.boards[notice.of.host].run_microcode(time),
     {EventDue::set, pending_.insert({notice})});
}

void EventUnits::set_now(const EventNotice& notice) {
  const HostId host = notice.of.host;
  const auto view = shared_.memory(host).view(notice.of.context, notice.event, event_bytes);
  if (!view) return;  // its process has gone
  std::uint64_t count = 0;
  std::memcpy(&count, view->bytes.data(), sizeof count);
  ++count;
  std::memcpy(view->bytes.data(), &count, sizeof count);
  shared_.steps.add({notice.cookie, notice.at_source ? 8 : 11, host, shared_.now()});
  ArmedActions& all = armed_[host.index()];
  if (const auto found = all.find({notice.of.context, notice.event}); found != all.end()) {
    std::vector<EventAction> due;
    std::erase_if(found->second, [&](const EventAction& action) {
      if (action.count > count) return false;
      due.push_back(action);
      return true;
    });
    if (found->second.empty()) all.erase(found);
    for (const EventAction& action : due) act(action, notice);
  }
  shared_.users.event(notice.of, notice.event, count);
}

/// Steps 9 and 12: the DMA engine copies, or begins what was chained to the event.
void EventUnits::act(const EventAction& action, const EventNotice& because) {
  const HostId host = because.of.host;
  if (action.dma) {
    commands_.start_chained(host, *action.dma);
    return;
  }
  Board& board = shared_.boards[host];
  const Duration started = board.run_microcode();
  if (because.event != 0)
    shared_.steps.add({because.cookie, because.at_source ? 9 : 12, host, started});
  at(board.slip_over_pci(started, action.copy->bytes),
     {EventDue::copied, pending_.insert({because, *action.copy})});
}

/// Steps 10 and 13: the process sees it in main memory.
void EventUnits::copied(const PendingNotice& pending) {
  const auto& [notice, copy] = pending;
  const HostId host = notice.of.host;
  Memory& memory = shared_.memory(host);
  const auto from = memory.view(notice.of.context, copy.from, copy.bytes);
  const auto to = memory.view(notice.of.context, copy.to, copy.bytes);
  if (!from || !to) return;  // released meanwhile
  std::memmove(to->bytes.data(), from->bytes.data(), copy.bytes);
  if (notice.event != 0)
    shared_.steps.add({notice.cookie, notice.at_source ? 10 : 13, host, shared_.now()});
  if (to->kind == MemoryKind::main) shared_.users.written(host, to->bytes);
}

}  // namespace weft::sim::elan
