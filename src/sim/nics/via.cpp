// SPDX-License-Identifier: Apache-2.0
// via: a NIC with Virtual Interfaces (VIA specification 1.0, 1997), as GigaNet's cLAN had. The
// processor builds a descriptor in registered memory (a control segment, a data segment and, for
// RDMA, an address segment) and rings the doorbell of a send queue. The NIC fetches the descriptor
// and the data over the PCI bus and sends packets; the target's NIC writes them to memory. A send
// also consumes a descriptor of the target's receive queue: its NIC fetches that, writes back its
// status and adds an entry to the completion queue. RDMA does without.
//
// Connections are reliable: every message is acknowledged, NIC to NIC, and an error (no receive
// posted, memory that is not open) breaks the connection. What the processor does takes cycles of
// its clock, what the bus does cycles of the bus; the NIC has a clock of its own.
#include "sim/nics/parts/common.hpp"
#include "sim/nics/rows.hpp"

namespace weft::sim {
namespace {

// Sizes of the specification's segments and entries.
constexpr std::int64_t control_segment = 32, address_segment = 16, data_segment = 16;
constexpr std::int64_t doorbell = 4, status = 8, completion = 8;

struct Clock {
  std::int64_t megahertz;
  Duration cycles(std::int64_t count) const { return Duration(count * 1'000'000 / megahertz); }
};

struct Pci {
  Clock clock;
  std::int64_t width, write_setup, read_setup;

  /// A transaction: its set-up and a cycle for every word.
  Duration transaction(std::int64_t setup, std::int64_t bytes) const {
    return clock.cycles(setup + (bytes + width - 1) / width);
  }
  NicStage writes(std::int64_t bytes) const { return {Part::bus, transaction(write_setup, bytes)}; }
  NicStage reads(std::int64_t bytes) const { return {Part::bus, transaction(read_setup, bytes)}; }
  Bandwidth speed() const { return {clock.megahertz * 1'000'000 * width * 8}; }
  /// The data of a packet, which need not fill a word.
  NicStage writes_data() const { return {Part::bus, clock.cycles(write_setup), speed()}; }
  NicStage reads_data() const { return {Part::bus, clock.cycles(read_setup), speed()}; }
};

struct ViaHost {
  Pci pci;
  Duration post, poll, process, receive, acknowledge, dma, store;
  Bandwidth copy;
};

Path outgoing(const ViaHost& host, std::int64_t descriptor) {
  const Pci& pci = host.pci;
  Path path;
  path.post = {{Part::processor, host.post}};
  path.submit = {pci.writes(doorbell), {Part::nic, host.process}, pci.reads(descriptor)};
  path.packet_out = {{Part::dma_out, host.dma}, pci.reads_data()};
  path.packet_in = {{Part::nic, host.process}, {Part::dma_in, host.dma}, pci.writes_data()};
  path.ack_out = {{Part::nic, host.acknowledge}};
  path.ack_in = {{Part::nic, host.acknowledge}, pci.writes(status)};
  return path;
}

Path within_via_host(const ViaHost& host) {
  Path path;
  path.post = {{Part::processor, host.post, host.copy}};
  path.submit = {{Part::latency, host.store}};
  return path;
}

ViaHost host_of(const Params& params) {
  const auto count = [&](const char* name) { return params.integer(name, 0, 1'000'000); };
  const Clock processor{params.integer("mhz", 1, 100'000)};
  ViaHost host{.pci = {{params.integer("pci_mhz", 1, 10'000)},
                       params.integer("pci_bits", 8, 1024) / 8,
                       count("pci_write"),
                       count("pci_read")},
               .post = processor.cycles(count("post")),
               .poll = processor.cycles(count("poll")),
               .process = params.duration("process"),
               .receive = params.duration("receive"),
               .acknowledge = params.duration("acknowledge"),
               .dma = params.duration("dma"),
               .store = processor.cycles(count("store")),
               .copy = params.bandwidth("copy")};
  return host;
}

}  // namespace

NicModel via(const Params& params) {
  const ViaHost host = host_of(params);
  const Pci& pci = host.pci;
  NicModel model;

  Path message = outgoing(host, control_segment + data_segment);
  message.deliver = {{Part::nic, host.receive},
                     pci.reads(control_segment + data_segment),
                     pci.writes(status),
                     pci.writes(completion),
                     {Part::processor, host.poll}};
  const Path write = outgoing(host, control_segment + address_segment + data_segment);
  Path notice = write;
  notice.deliver = message.deliver;
  notice.deliver.pop_back();  // whoever waits for it polls
  Path read = write;
  read.packet_out = {};
  read.packet_in = {{Part::nic, host.process}};
  Path response = write;
  response.submit = {{Part::nic, host.process}};
  response.deliver = {pci.writes(status), {Part::processor, host.poll}};
  model.paths[at(Move::message)] = {message};
  model.paths[at(Move::write)] = {write};
  model.paths[at(Move::notice)] = {notice};
  model.paths[at(Move::read)] = {read};
  model.paths[at(Move::response)] = {response};
  model.paths[at(Move::event)] = {read};

  model.local.fill(within_via_host(host));
  model.local[at(Move::message)].deliver = {{Part::processor, host.poll}};

  set_packets(model, params);
  model.reads = params.flag("rdma_read");
  model.insists_on_descriptors = true;
  model.connections = true;
  model.eager = bytes_of(params, "longest");
  model.poll = host.poll;
  model.descriptor = host.post;
  model.expose = params.duration("register");
  model.store = host.store;
  return model;
}

}  // namespace weft::sim
