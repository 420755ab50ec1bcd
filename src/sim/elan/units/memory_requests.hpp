// SPDX-License-Identifier: Apache-2.0
// MemoryRequests: the DMA engines' reads and the inputters' writes, a block each, from the MMU over
// the buses to memory. Up to Model::requests of an Elan are under way at once; the others wait.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/elan/units/shared_parts.hpp"

namespace weft::sim::elan {

class DmaEngines;
class Inputters;

/// Where a block is: at a virtual address, or just in one of the memories.
struct BlockPlace {
  std::optional<VirtualAccess> address{};
  MemoryKind kind = MemoryKind::main;  ///< without an address, or where nothing is mapped at it
};

struct MemoryRequest {
  bool reads = false;
  std::uint32_t id = 0;  ///< the flight that is read, or the arrival that is written
  std::uint32_t block = 0;
};

class MemoryRequests final : private Kernel::Handler {
 public:
  MemoryRequests(SharedParts& shared, DmaEngines& readers, Inputters& writers);
  /// The reader's block_read or the writer's block_written is called when it is done.
  void request(HostId host, const MemoryRequest& request);

 private:
  enum class RequestDue : std::uint8_t {
    read_translated,
    write_translated,
    fetched,  ///< a block came over PCI
    read,     ///< a block is through the bus
    crossed,  ///< a block is through the bus, on its way to main memory
    written,  ///< a block is in memory
  };
  /// The requests of an Elan.
  struct RequestQueue {
    std::uint32_t under_way = 0;
    std::deque<MemoryRequest> waiting{};
  };

  void fire(std::uint64_t what) override;
  void at(Duration time, const UnitEvent<RequestDue>& event) {
    shared_.kernel.at(time, *this, event.number());
  }
  HostId host_of(const MemoryRequest& request) const;
  std::optional<BlockPlace> place_of(const MemoryRequest& request) const;
  void issue(HostId host, const MemoryRequest& request);
  void access(HostId host, const MemoryRequest& request, const BlockPlace& place);
  void end(HostId host);

  SharedParts& shared_;
  DmaEngines& readers_;
  Inputters& writers_;
  std::vector<RequestQueue> queues_;  ///< by host
};

}  // namespace weft::sim::elan
