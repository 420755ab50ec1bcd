// SPDX-License-Identifier: Apache-2.0
// Takes requests to memory through MMU, internal bus and PCI.
#include "sim/elan/units/memory_requests.hpp"

#include "sim/elan/units/dma_engines.hpp"
#include "sim/elan/units/inputters.hpp"

namespace weft::sim::elan {

MemoryRequests::MemoryRequests(SharedParts& shared, DmaEngines& readers, Inputters& writers)
    : shared_(shared), readers_(readers), writers_(writers), queues_(shared.boards.size()) {}

HostId MemoryRequests::host_of(const MemoryRequest& request) const {
  return request.reads ? readers_.host_of(request.id) : writers_.host_of(request.id);
}

std::optional<BlockPlace> MemoryRequests::place_of(const MemoryRequest& request) const {
  return request.reads ? readers_.source_of(request.id, request.block)
                       : writers_.target_of(request.id, request.block);
}

void MemoryRequests::request(HostId host, const MemoryRequest& request) {
  RequestQueue& queue = queues_[host.index()];
  if (queue.under_way < shared_.model.requests) {
    ++queue.under_way;
    issue(host, request);
  } else {
    queue.waiting.push_back(request);
  }
}

/// Ends a request and begins the next.
void MemoryRequests::end(HostId host) {
  RequestQueue& queue = queues_[host.index()];
  if (queue.waiting.empty()) {
    --queue.under_way;
    return;
  }
  const MemoryRequest next = queue.waiting.front();
  queue.waiting.pop_front();
  issue(host, next);
}

/// The MMU translates the address first. A block that is not wanted any more is done at once.
void MemoryRequests::issue(HostId host, const MemoryRequest& request) {
  const auto place = place_of(request);
  if (!place) {
    at(shared_.now(), {RequestDue::written, request.id});
    return;
  }
  if (place->address) {
    const Duration time = shared_.boards[host].translation_time(*place->address);
    if (time.count() > 0) {
      at(shared_.now() + time,
         {request.reads ? RequestDue::read_translated : RequestDue::write_translated, request.id,
          request.block});
      return;
    }
  }
  access(host, request, *place);
}

void MemoryRequests::access(HostId host, const MemoryRequest& request, const BlockPlace& place) {
  MemoryKind kind = place.kind;
  if (place.address)
    if (const auto view =
            shared_.memory(host).view(place.address->context, place.address->address, 1))
      kind = view->kind;
  Board& board = shared_.boards[host];
  const bool main = kind == MemoryKind::main;
  if (!request.reads)
    at(board.cross_bus(),
       {main ? RequestDue::crossed : RequestDue::written, request.id, request.block});
  else if (main)
    at(board.fetch_block(), {RequestDue::fetched, request.id, request.block});
  else
    at(board.read_sdram(), {RequestDue::read, request.id, request.block});
}

void MemoryRequests::fire(std::uint64_t what) {
  const auto event = UnitEvent<RequestDue>::from(what);
  const bool reads = event.due == RequestDue::read_translated || event.due == RequestDue::fetched ||
                     event.due == RequestDue::read;
  const MemoryRequest request{reads, event.id, event.more};
  const HostId host = host_of(request);
  switch (event.due) {
    case RequestDue::read_translated:
    case RequestDue::write_translated:
      if (const auto place = place_of(request))
        access(host, request, *place);
      else
        at(shared_.now(), {RequestDue::written, request.id});
      return;
    case RequestDue::fetched:
      at(shared_.boards[host].cross_bus(), {RequestDue::read, request.id, request.block});
      return;
    case RequestDue::crossed:
      at(shared_.boards[host].cross_pci(shared_.format.block_bytes()),
         {RequestDue::written, request.id, request.block});
      return;
    case RequestDue::read:
      readers_.block_read(request.id);
      end(host);
      return;
    case RequestDue::written:
      writers_.block_written(request.id);
      end(host);
      return;
  }
}

}  // namespace weft::sim::elan
