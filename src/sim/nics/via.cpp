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
#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

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

TransferStages outgoing(const ViaHost& host, std::int64_t descriptor) {
  const Pci& pci = host.pci;
  TransferStages path;
  path.post = {{Part::processor, host.post}};
  path.submit = {pci.writes(doorbell), {Part::nic, host.process}, pci.reads(descriptor)};
  path.packet_out = {{Part::dma_out, host.dma}, pci.reads_data()};
  path.packet_in = {{Part::nic, host.process}, {Part::dma_in, host.dma}, pci.writes_data()};
  path.ack_out = {{Part::nic, host.acknowledge}};
  path.ack_in = {{Part::nic, host.acknowledge}, pci.writes(status)};
  return path;
}

TransferStages within_via_host(const ViaHost& host) {
  TransferStages path;
  path.post = {{Part::processor, host.post, host.copy}};
  path.submit = {{Part::latency, host.store}};
  return path;
}

ViaHost host_of(const Params& params) {
  const Clock processor{params.whole("mhz")};
  ViaHost host{.pci = {{params.whole("pci_mhz")},
                       params.whole("pci_bits") / 8,
                       params.whole("pci_write"),
                       params.whole("pci_read")},
               .post = processor.cycles(params.whole("post")),
               .poll = processor.cycles(params.whole("poll")),
               .process = params.duration("process"),
               .receive = params.duration("receive"),
               .acknowledge = params.duration("acknowledge"),
               .dma = params.duration("dma"),
               .store = processor.cycles(params.whole("store")),
               .copy = params.bandwidth("copy")};
  return host;
}

}  // namespace

std::vector<Param> via_params() {
  return {{"mhz", clock_rate, "1000", "clock of the processor"},
          {"post", cycle_count, "1000",
           "processor cycles: build a descriptor, ring its doorbell, reap it later"},
          {"poll", cycle_count, "200", "processor cycles: see a changed word or a completion"},
          {"store", cycle_count, "200", "processor cycles: hand a cache line to another processor"},
          {"copy", BandwidthText{}, "300MB/s",
           "processor: memory to memory, between the ranks of a host"},
          {"pci_mhz", Whole{1, 10'000, "MHz"}, "33", "clock of the bus"},
          {"pci_bits", Whole{8, 1024, "bits"}, "32", "width of the bus"},
          {"pci_write", cycle_count, "4", "bus cycles: begin a write"},
          {"pci_read", cycle_count, "8", "bus cycles: begin a read"},
          {"process", DurationText{}, "2us", "NIC: a message it sends, or a packet it receives"},
          {"receive", DurationText{}, "1us", "NIC: a descriptor of the receive queue"},
          {"acknowledge", DurationText{}, "200ns", "NIC: an acknowledgment"},
          {"dma", DurationText{}, "0ns", "a DMA engine: set-up"},
          {"mtu", packet_data, "1KiB", "data in a packet"},
          {"header", BytesText{}, "16B", "of a packet, with its check sums"},
          {"longest", BytesText{}, "64KiB", "that one descriptor sends; longer messages ask first"},
          {"rdma_read", YesNo{}, "no",
           "whether remote memory can be read: an option of the specification"},
          {"register", DurationText{}, "20us", "register memory"}};
}

NicModel via(const Params& params) {
  const ViaHost host = host_of(params);
  const Pci& pci = host.pci;
  NicModel model;

  TransferStages message = outgoing(host, control_segment + data_segment);
  message.deliver = {{Part::nic, host.receive},
                     pci.reads(control_segment + data_segment),
                     pci.writes(status),
                     pci.writes(completion),
                     {Part::processor, host.poll}};
  const TransferStages write = outgoing(host, control_segment + address_segment + data_segment);
  TransferStages notice = write;
  notice.deliver = message.deliver;
  notice.deliver.pop_back();  // whoever waits for it polls
  TransferStages read = write;
  read.packet_out = {};
  read.packet_in = {{Part::nic, host.process}};
  TransferStages response = write;
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
  model.eager = params.bytes("longest");
  model.poll = host.poll;
  model.descriptor = host.post;
  model.expose = params.duration("register");
  model.store = host.store;
  return model;
}

}  // namespace weft::sim
