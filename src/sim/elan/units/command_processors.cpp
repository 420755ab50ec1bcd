// SPDX-License-Identifier: Apache-2.0
// Takes a process's command to the queue of a DMA engine, and reports the end of an operation to
// its requester.
#include "sim/elan/units/command_processors.hpp"

#include <algorithm>
#include <utility>

#include "sim/elan/units/dma_engines.hpp"
#include "sim/elan/units/event_units.hpp"

namespace weft::sim::elan {
namespace {

constexpr std::uint64_t command_bytes = 8;
constexpr std::uint64_t descriptor_ring = 64;  ///< descriptors in the ring at the end of SDRAM

}  // namespace

CommandProcessors::CommandProcessors(SharedParts& shared, DmaEngines& dma_engines,
                                     EventUnits& events)
    : shared_(shared),
      dma_engines_(dma_engines),
      events_(events),
      descriptors_(shared.boards.size()) {}

void CommandProcessors::fire(std::uint64_t what) {
  const auto event = UnitEvent<CommandDue>::from(what);
  switch (event.due) {
    case CommandDue::posted:
      command(event.id);
      return;
    case CommandDue::commanded:
      read_descriptor(event.id);
      return;
    case CommandDue::checked:
      check(event.id);
      return;
    case CommandDue::ended:
      report(event.id);
      return;
  }
}

// --- what is asked for --------------------------------------------------------------------------

/// The number of the line with this name; its operations go one after another.
std::uint64_t CommandProcessors::line(const LineName& name) {
  const auto [place, is_new] = line_names_.emplace(name, lines_.size() + 1);
  if (is_new) lines_.emplace_back();
  return place->second;
}

DmaOperation CommandProcessors::operation_of(const Transfer& transfer) {
  DmaOperation operation;
  operation.kind = OperationKind::transfer;
  operation.asks = transfer.move == Move::read;
  operation.by_nic = transfer.by_nic;
  operation.urgent = transfer.urgent;
  operation.from = transfer.from;
  operation.to = transfer.to;
  const bool no_data = transfer.move == Move::read || transfer.move == Move::event;
  operation.bytes = no_data ? 0 : transfer.bytes;
  if (transfer.move == Move::message) {
    operation.bytes += static_cast<std::uint64_t>(shared_.model.envelope.count);
    operation.target = MemoryKind::sdram;  // a queue of the Elan's, until it is matched
  }
  operation.transfer = transfer;
  if (transfer.group == no_group)
    operation.line =
        line({std::uint64_t{transfer.from.index()} << 32U | transfer.to.index(),
              std::uint64_t{transfer.from_processor} << 32U |
                  std::uint64_t{transfer.to_processor} << 1U | (transfer.urgent ? 1U : 0U)});
  return operation;
}

DmaOperation CommandProcessors::operation_of(const DmaDescriptor& dma) {
  DmaOperation operation;
  operation.kind = OperationKind::dma;
  operation.dma = dma;
  operation.urgent = dma.urgent;
  operation.bytes = dma.bytes;
  operation.asks = dma.at.host != dma.from.host;
  operation.from = dma.at.host;
  operation.to = operation.asks ? dma.from.host : dma.to.host;
  if (dma.queue != no_queue) operation.line = line({std::uint64_t{1} << 63U | dma.by, dma.queue});
  return operation;
}

void CommandProcessors::issue(const Transfer& transfer, Duration time) {
  at(time, {CommandDue::posted, shared_.operations.add(operation_of(transfer))});
}

void CommandProcessors::issue(const DmaDescriptor& dma) {
  at(shared_.now(), {CommandDue::posted, shared_.operations.add(operation_of(dma))});
}

void CommandProcessors::issue(const BroadcastDescriptor& broadcast) {
  DmaOperation operation;
  operation.kind = OperationKind::broadcast;
  operation.broadcast = broadcast;
  operation.urgent = broadcast.urgent;
  operation.bytes = broadcast.bytes;
  operation.from = broadcast.from.host;
  at(shared_.now(), {CommandDue::posted, shared_.operations.add(std::move(operation))});
}

void CommandProcessors::start_chained(HostId host, const DmaDescriptor& dma) {
  const OperationId id = shared_.operations.add(operation_of(dma));
  at(shared_.boards[host].run_microcode(), {CommandDue::checked, id});
}

// --- the command --------------------------------------------------------------------------------

/// Writes descriptor and command over PCI into SDRAM. Those of the thread processor are there
/// already.
void CommandProcessors::command(OperationId id) {
  if (shared_.operations[id].kind == OperationKind::transfer)
    shared_.users.host().posted(shared_.operations[id].transfer.cookie);
  const DmaOperation& operation = shared_.operations[id];
  if (operation.by_nic) {
    read_descriptor(id);
    return;
  }
  Board& board = shared_.boards[operation.from];
  const Duration written =
      board.cross_pci(static_cast<std::uint64_t>(shared_.model.descriptor.count));
  if (shared_.steps.wants(operation))
    shared_.steps.add({operation.cookie(), 1, operation.from, written});
  at(board.cross_pci(command_bytes), {CommandDue::commanded, id});
}

void CommandProcessors::read_descriptor(OperationId id) {
  const DmaOperation& operation = shared_.operations[id];
  const HostId host = operation.from;
  shared_.log(operation, 2, host);
  const auto bytes = static_cast<std::uint64_t>(shared_.model.descriptor.count);
  const std::uint64_t first = shared_.model.sdram_bytes() - system_ring_bytes +
                              (descriptors_[host.index()]++ % descriptor_ring) * bytes;
  Board& board = shared_.boards[host];
  Duration time{0};
  for (std::uint64_t line = first; line < first + bytes;
       line += board.memory().cache().line_bytes())
    time = std::max(time, board.touch(line, false));
  at(board.run_microcode(time), {CommandDue::checked, id});
}

/// Rejects a descriptor that names memory its process does not have, and queues the others.
void CommandProcessors::check(OperationId id) {
  DmaOperation& operation = shared_.operations[id];
  shared_.log(operation, 3, operation.from);
  if (operation.moves_bytes() && !check_source(operation)) {
    operation.line = 0;  // it has no place in the line yet
    finish(id);
    return;
  }
  if (operation.line != 0) {
    auto& line = lines_[operation.line - 1];
    line.push_back(id);
    if (line.size() > 1) return;
  }
  dma_engines_.enqueue(id);
}

/// Whether the source may be read, and its event is one.
bool CommandProcessors::check_source(DmaOperation& operation) {
  const ProcessLocation process = shared_.operations.source_process(operation);
  auto trap = shared_.memory(process.host)
                  .check(process.context, operation.source_address(), operation.bytes, Access::read,
                         operation.by());
  if (!trap && operation.source_event() != 0)
    trap = events_.check(process, operation.source_event(), operation.by());
  if (trap) shared_.operations.refuse(operation, *trap);
  return !trap;
}

void CommandProcessors::respond(OperationId request) {
  if (shared_.operations[request].kind == OperationKind::transfer) {
    const TransferStatus outcome =
        shared_.users.host().admit(shared_.operations[request].transfer.cookie);
    shared_.operations[request].outcome = outcome;
    if (outcome != TransferStatus::ok) return;
  }
  DmaOperation& asked = shared_.operations[request];
  DmaOperation response = asked;
  response.asks = false;
  response.next = response.flights = 0;
  response.from = asked.to;
  if (response.kind == OperationKind::transfer) {
    response.to = response.transfer.from;
    response.transfer.move = Move::response;
    response.bytes = response.transfer.bytes;
    response.line = 0;
  } else {
    response.to = response.dma.to.host;
    asked.line = 0;  // its place in the line goes to the response
  }
  asked.reported = true;
  const OperationId next = shared_.operations.add(std::move(response));
  DmaOperation& operation = shared_.operations[next];
  const std::uint64_t line = operation.line;
  if (operation.kind == OperationKind::dma && !check_source(operation)) {
    finish(next);
    return;
  }
  if (line != 0) lines_[line - 1].front() = next;
  dma_engines_.enqueue(next);
}

// --- the end ------------------------------------------------------------------------------------

void CommandProcessors::leave_line(OperationId id) {
  const std::uint64_t number = std::exchange(shared_.operations[id].line, 0);
  if (number == 0) return;
  auto& line = lines_[number - 1];
  line.pop_front();
  if (!line.empty()) dma_engines_.enqueue(line.front());
}

/// Sets the source's event, and reports the end. The Elan that serves a request reports its end.
void CommandProcessors::finish(OperationId id) {
  leave_line(id);
  DmaOperation& operation = shared_.operations[id];
  if (operation.incomplete && operation.outcome == TransferStatus::ok)
    operation.outcome = TransferStatus::lost;
  const bool is_transfer = operation.kind == OperationKind::transfer;
  if (operation.reported && (operation.asks || is_transfer)) {
    report(id);
    return;
  }
  if (operation.outcome == TransferStatus::ok) shared_.log(operation, 7, operation.from);
  if (is_transfer) {
    const HostId notified =
        operation.transfer.move == Move::response ? operation.to : operation.from;
    at(shared_.boards[notified].hand_over(shared_.now(), 0), {CommandDue::ended, id});
    return;
  }
  if (operation.outcome == TransferStatus::ok && operation.source_event() != 0)
    events_.set({shared_.operations.source_process(operation), operation.source_event(),
                 operation.cookie(), true});
  report(id);
}

void CommandProcessors::report(OperationId id) {
  const DmaOperation operation = shared_.operations.remove(id);
  if (operation.reported) return;
  if (operation.kind == OperationKind::transfer)
    shared_.users.host().finished(operation.transfer.cookie, operation.outcome);
  else
    shared_.users.done(operation.cookie(), operation.outcome, operation.trap);
}

}  // namespace weft::sim::elan
