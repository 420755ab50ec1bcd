// SPDX-License-Identifier: Apache-2.0
// EventUnits: events are words in SDRAM that count how often they were set. At a count the Elan
// executes the action armed for it: it copies a block to main memory, or begins a DMA.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/slots.hpp"
#include "sim/elan/descriptors.hpp"
#include "sim/elan/memory/exports.hpp"
#include "sim/elan/units/shared_parts.hpp"

namespace weft::sim::elan {

class CommandProcessors;

/// An event that an operation sets.
struct EventNotice {
  ProcessLocation of{};
  Address event = 0;
  std::uint64_t cookie = 0;  ///< of the operation
  bool at_source = false;
};

/// What the Elan does when an event has been set `count` times: one of the two.
struct EventAction {
  std::uint64_t count = 0;
  std::optional<BlockCopyDescriptor> copy{};
  std::optional<DmaDescriptor> dma{};
};

class EventUnits final : private Kernel::Handler {
 public:
  EventUnits(SharedParts& shared, CommandProcessors& commands);

  /// Why a process may not set the event, if so. It must be in SDRAM: the PCI bus cannot add to a
  /// word of main memory in one piece.
  std::optional<Trap> check(const ProcessLocation& of, Address event, Process by);
  /// How often it has been set. Throws Error unless the event is in SDRAM that the process has.
  std::uint64_t count(const ProcessLocation& of, Address event);
  /// Steps 8 and 11 of figure 5: the DMA engine, or the inputter, sets an event.
  void set(const EventNotice& notice);
  /// Arms an action, which happens at its count, or now if that has been reached. Throws Error like
  /// count.
  void arm(const ProcessLocation& of, Address event, const EventAction& action);
  /// Removes the actions of events in memory that the process has released.
  void disarm(const ProcessLocation& of, AddressRange memory);

 private:
  enum class EventDue : std::uint8_t {
    set,
    copied,  ///< a block copy is in main memory
  };
  /// An event to be set, or a block copy under way.
  struct PendingNotice {
    EventNotice notice{};
    BlockCopyDescriptor copy{};
  };
  using ArmedActions = std::map<std::pair<Context, Address>, std::vector<EventAction>>;

  void fire(std::uint64_t what) override;
  void at(Duration time, const UnitEvent<EventDue>& event) {
    shared_.kernel.at(time, *this, event.number());
  }
  std::span<std::byte> word(const ProcessLocation& of, Address event);
  Duration access_time(const EventNotice& notice);
  void set_now(const EventNotice& notice);
  void act(const EventAction& action, const EventNotice& because);
  void copied(const PendingNotice& pending);

  SharedParts& shared_;
  CommandProcessors& commands_;
  std::vector<ArmedActions> armed_;  ///< by host
  Slots<PendingNotice> pending_;
};

}  // namespace weft::sim::elan
