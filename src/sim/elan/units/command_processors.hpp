// SPDX-License-Identifier: Apache-2.0
// CommandProcessors: each Elan's command processor reads the descriptors that processes write over
// PCI, checks them, and hands operations to the DMA engine, some of them one after another. When an
// operation ends it sets the event at the source and notifies the requester. Figure 5 numbers the
// steps.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sim/elan/descriptors.hpp"
#include "sim/elan/units/shared_parts.hpp"

namespace weft::sim::elan {

class DmaEngines;
class EventUnits;

class CommandProcessors final : private Kernel::Handler {
 public:
  CommandProcessors(SharedParts& shared, DmaEngines& dma_engines, EventUnits& events);

  /// Issues a transfer of a processor, or of the thread processor, at a time. Throws Error, like
  /// all functions below, when one DMA cannot move so many bytes.
  void issue(const Transfer& transfer, Duration time);
  void issue(const DmaDescriptor& dma);
  void issue(const BroadcastDescriptor& broadcast);
  /// Begins a DMA that was chained to an event, and whose descriptor is in SDRAM already.
  void start_chained(HostId host, const DmaDescriptor& dma);
  /// Serves another Elan's request for data of this one, which goes to the DMA engine like a
  /// command.
  void respond(OperationId request);
  /// Ends an operation whose packets were all acknowledged, or which has failed.
  void finish(OperationId id);

 private:
  enum class CommandDue : std::uint8_t {
    posted,     ///< the processor has issued it
    commanded,  ///< the descriptor is in SDRAM
    checked,    ///< by the command processor
    ended,      ///< the source of an operation has been notified
  };
  using LineName = std::array<std::uint64_t, 2>;

  void fire(std::uint64_t what) override;
  void at(Duration time, const UnitEvent<CommandDue>& event) {
    shared_.kernel.at(time, *this, event.number());
  }
  std::uint64_t line(const LineName& name);
  DmaOperation operation_of(const Transfer& transfer);
  DmaOperation operation_of(const DmaDescriptor& dma);
  void command(OperationId id);
  void read_descriptor(OperationId id);
  void check(OperationId id);
  bool check_source(DmaOperation& operation);
  void leave_line(OperationId id);
  void report(OperationId id);

  SharedParts& shared_;
  DmaEngines& dma_engines_;
  EventUnits& events_;
  std::vector<std::uint32_t> descriptors_;  ///< by host: read so far
  std::map<LineName, std::uint64_t> line_names_;
  std::vector<std::deque<OperationId>> lines_;  ///< by number - 1
};

}  // namespace weft::sim::elan
