// SPDX-License-Identifier: Apache-2.0
// Elans: hosts whose NICs are Elans (QsNet). It owns the units of all NICs, as the block diagram
// names them, and connects them with the network: processes hand commands over the PCI bus to the
// command processor; the DMA engine reads memory in blocks and sends packets, each of which holds a
// circuit through the network; the inputter of the target writes them to memory and acknowledges;
// then the circuit is closed. Command processor, DMA engine, inputter and events are threads of one
// microcode processor, which serves one at a time, as do the thread processor and the buses.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/slots.hpp"
#include "sim/elan/descriptors.hpp"
#include "sim/elan/memory/memory.hpp"
#include "sim/elan/model.hpp"
#include "sim/elan/routes.hpp"
#include "sim/elan/units/command_processors.hpp"
#include "sim/elan/units/dma_engines.hpp"
#include "sim/elan/units/event_units.hpp"
#include "sim/elan/units/inputters.hpp"
#include "sim/elan/units/memory_requests.hpp"
#include "sim/elan/units/shared_parts.hpp"
#include "sim/elan/units/thread_processors.hpp"
#include "sim/elan/users.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim {

struct ElanCounts {
  std::uint64_t retries = 0;      ///< packets sent again
  std::uint64_t reroutes = 0;     ///< times a source changed its routes
  std::uint64_t duplicates = 0;   ///< packets that arrived again
  std::uint64_t unreachable = 0;  ///< packets abandoned
  std::uint64_t traps = 0;
};

class Elans final : public HostModel, private elan::CircuitPort {
 public:
  /// Throws Error like Network.
  Elans(const NicModel& nic, const elan::Model& model, const HostSetup& setup);

  // HostModel.
  void begin(const Transfer& transfer) override;
  Duration nic_work(HostId host, Duration time) override { return threads_.work(host, time); }
  Duration hand_over(HostId host, Duration from, std::uint64_t bytes) override {
    return shared_.boards[host].hand_over(from, bytes);
  }
  std::span<const std::string_view> part_names() const override;
  const Resource& part(HostId host, std::size_t index) const override;
  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override;

  // In virtual addresses. The processor's work has been done; commands go over PCI.
  void listen(ElanUser& user) { shared_.users.listen(user); }
  elan::Memory& memory_of(HostId host) { return shared_.memory(host); }
  void start(const elan::DmaDescriptor& dma) { commands_.issue(dma); }
  void start(const elan::BroadcastDescriptor& broadcast);
  /// How often an event has been set. Throws Error unless it is in SDRAM that the process has.
  std::uint64_t event_count(const elan::ProcessLocation& of, elan::Address event) {
    return events_.count(of, event);
  }
  /// A processor reads a word of its Elan over PCI. Return when the word arrives, and the least
  /// time that the read takes.
  Duration look(HostId host, Duration from);
  Duration look_time() const {
    return shared_.model.pci_time(elan::event_bytes) + shared_.model.pci_latency;
  }
  /// Arms an action: the Elan acts when the event has reached its count, or now if it has. Throws
  /// Error like event_count.
  void on_event(const elan::ProcessLocation& of, elan::Address event,
                const elan::EventAction& action) {
    events_.arm(of, event, action);
  }
  /// Releases a block of a process, and disarms the events in it. Throws Error like
  /// Memory::release.
  void release_block(const elan::ProcessLocation& of, elan::Address address);
  /// Loads table `number` of a host (0 is the default) with lists of tags by destination; packets
  /// to others follow the fabric's tables. Throws Error.
  void load_routes(HostId host, std::uint32_t number, const std::map<HostId, elan::Tags>& routes) {
    routes_.load(host, number, routes);
  }
  const elan::Model& elan_model() const { return shared_.model; }
  /// Keeps the steps of figure 5 of every DMA.
  void record_steps() { shared_.steps.start(); }
  const std::vector<elan::DmaStep>& steps() const { return shared_.steps.steps(); }
  ElanCounts counts() const;

 private:
  void* find_capability(const std::type_info& type) override {
    return type == typeid(Elans) ? this : nullptr;
  }
  // Driver.
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override;
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override;
  void reached(Network& network, const Packet& packet, HostId at) override;
  void filled(Network& network, const Packet& packet, HostId at, bool whole,
              unsigned hops) override;
  void broken(Network& network, const Packet& packet, const FaultSite& site) override;
  void end_report(const Packet& packet);
  // CircuitPort.
  void open(const Packet& packet, std::uint32_t reports) override { send(packet, reports); }
  void close(std::uint32_t network_id) override { network_.close(network_id); }
  // Transfers within a host, which bypass the Elan.
  void begin_local(const Transfer& transfer);
  void fire(std::uint64_t local) override;

  const elan::Model model_of_elan_;
  elan::SharedParts shared_;
  elan::Routes routes_;
  elan::DmaEngines dma_engines_;
  elan::Inputters inputters_;
  elan::MemoryRequests memory_requests_;
  elan::CommandProcessors commands_;
  elan::EventUnits events_;
  elan::ThreadProcessors threads_;
  Slots<Transfer> local_;
};

}  // namespace weft::sim
