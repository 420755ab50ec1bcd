// SPDX-License-Identifier: Apache-2.0
// The table of NIC models.
#include "base/error.hpp"
#include "sim/nics/nics.hpp"

namespace weft::sim {
namespace {

std::vector<Param> hca_params() {
  return {
      {"post", "60ns", "processor: write a work queue entry and ring the doorbell"},
      {"doorbell", "150ns", "doorbell over the bus"},
      {"bus", "16GB/s", "of the host's bus"},
      {"bus_latency", "250ns", "of a read over the bus; a write takes half of it"},
      {"process", "40ns", "NIC: a message"},
      {"packet", "15ns", "NIC: a packet"},
      {"inline", "64B", "data up to this size travel with the doorbell"},
      {"mtu", "4KiB", "data in a packet"},
      {"header", "30B", "of a packet, with its check sums"},
      {"poll", "50ns", "processor: take an entry from a completion queue, or see a changed word"},
      {"match", "40ns", "processor: match a tagged message"},
      {"eager", "8KiB", "tagged messages up to this size go without asking"},
      {"copy", "10GB/s", "processor: memory to memory"},
      {"expose", "1us", "register memory"},
      {"store", "100ns", "hand a cache line to another processor"},
      {"retries", "7", "of a packet that was lost"},
      {"retry_after", "20us", "until a lost packet is sent again"},
  };
}

std::vector<Param> via_params() {
  return {
      {"mhz", "1000", "clock of the processor"},
      {"post", "1000", "processor cycles: build a descriptor, ring its doorbell, reap it later"},
      {"poll", "200", "processor cycles: see a changed word or a completion"},
      {"store", "200", "processor cycles: hand a cache line to another processor"},
      {"copy", "300MB/s", "processor: memory to memory, between the ranks of a host"},
      {"pci_mhz", "33", "clock of the bus"},
      {"pci_bits", "32", "width of the bus"},
      {"pci_write", "4", "bus cycles: begin a write"},
      {"pci_read", "8", "bus cycles: begin a read"},
      {"process", "2us", "NIC: a message it sends, or a packet it receives"},
      {"receive", "1us", "NIC: a descriptor of the receive queue"},
      {"acknowledge", "200ns", "NIC: an acknowledgment"},
      {"dma", "0ns", "a DMA engine: set-up"},
      {"mtu", "1KiB", "data in a packet"},
      {"header", "16B", "of a packet, with its check sums"},
      {"longest", "64KiB", "that one descriptor sends; longer messages ask first"},
      {"rdma_read", "no", "whether remote memory can be read: an option of the specification"},
      {"register", "20us", "register memory"},
  };
}

std::vector<Param> martini_params() {
  return {
      {"post", "1.135us", "processor: begin a PIO transfer"},
      {"word", "65ns", "processor: write 8 bytes to the NIC"},
      {"pio", "512B", "data up to this size go by PIO; 0B: everything by PUSH"},
      {"transit", "1us", "PIO: from the processor to the NIC, and from the NIC to memory"},
      {"command", "500ns", "processor: write the command of a PUSH or PULL"},
      {"convert", "1us", "NIC: address conversion, protection and DMA set-up of a packet"},
      {"process", "100ns", "NIC: a packet by PIO, or an acknowledgment"},
      {"pci", "528MB/s", "of the host's bus: 64 bit at 66 MHz"},
      {"mtu", "1792B", "data in a packet: 224 flits and 5 of header and trailer"},
      {"header", "40B", "of a packet, with its trailer"},
      {"smallest", "136B", "packet: 17 flits"},
      {"window", "0", "packets of a NIC under way unacknowledged; 0: any number"},
      {"poll", "100ns", "processor: see a changed word"},
      {"match", "500ns", "processor: match a tagged message"},
      {"eager", "8KiB", "tagged messages up to this size go without asking"},
      {"copy", "400MB/s", "processor: memory to memory"},
      {"expose", "20us", "register memory"},
      {"store", "200ns", "hand a cache line to another processor"},
      {"retries", "7", "of a packet that was lost"},
      {"retry_after", "100us", "until a lost packet is sent again"},
  };
}

std::vector<Param> gm_params() {
  return {
      {"schedule", "packet", "message or packet: tokens take turns; rate: each flow at its own"},
      {"chunks", "default", "equal: packets of one size; full; default: full with rates"},
      {"mhz", "33", "clock of the LANai"},
      {"tick", "500ns", "of the LANai's real-time counter"},
      {"post", "1us", "processor: write a send descriptor to the NIC"},
      {"token", "60", "LANai cycles: SDMA makes a send token of a descriptor"},
      {"sdma", "120", "LANai cycles: SDMA prepares a packet"},
      {"pace", "8", "LANai cycles: SDMA finds the next flow by its rate"},
      {"send", "60", "LANai cycles: SEND puts a packet on the link"},
      {"recv", "80", "LANai cycles: RECV takes a packet"},
      {"rdma", "60", "LANai cycles: RDMA prepares a packet"},
      {"ack", "40", "LANai cycles: an acknowledgment"},
      {"dma", "2us", "host DMA engine: set-up for a page"},
      {"read", "97MB/s", "host DMA engine: from the host's memory"},
      {"write", "95MB/s", "host DMA engine: to the host's memory"},
      {"flow_change", "2us", "host DMA engine: turn to another flow"},
      {"direction_change", "4us", "host DMA engine: turn from sending to receiving, or back"},
      {"event", "1us", "to tell the host"},
      {"mtu", "4KiB", "data in a packet"},
      {"header", "16B", "of a packet, with its route and check sum"},
      {"send_buffers", "2", "packets in the NIC's memory, on their way out"},
      {"receive_buffers", "4", "packets in the NIC's memory, on their way in"},
      {"send_tokens", "16", "messages of a port and priority under way"},
      {"poll", "1us", "processor: see an event or a changed word"},
      {"copy", "150MB/s", "processor: memory to memory, between the ranks of a host"},
      {"expose", "20us", "register memory"},
      {"store", "200ns", "hand a cache line to another processor"},
      {"retries", "1000", "of a packet that was lost, or a message that found no receive token"},
      {"retry_after", "200us", "until it is sent again"},
  };
}

std::vector<Param> elan_params() {
  return {
      {"command", "200ns", "processor: fill out a descriptor and hand it over"},
      {"poll", "50ns", "processor: see a changed word"},
      {"interrupt", "10us", "until a process that waits blocked runs"},
      {"map_page", "20us", "system software: map a page of main memory on demand"},
      {"copy", "400MB/s", "processor: memory to memory, between the ranks of a host"},
      {"store", "200ns", "hand a cache line to another processor"},
      {"pci", "528MB/s", "of the PCI bus: 64 bit at 66 MHz"},
      {"pci_setup", "78ns", "of every burst over PCI, of a block or less"},
      {"pci_latency", "100ns", "until main memory answers a read"},
      {"bus", "114ns", "internal data bus: a block"},
      {"sdram", "1064MB/s", "reading SDRAM holds the internal bus so much longer"},
      {"fill", "60ns", "a line of the cache"},
      {"microcode", "100ns", "a microcode thread wakes, works and sleeps"},
      {"requests", "8", "to memory under way"},
      {"slice", "32", "packets of a DMA before others have their turn"},
      {"payload", "320B", "data in a packet"},
      {"block", "64B", "data in a transaction"},
      {"packet_header", "12B", "route, check sum and end of a packet"},
      {"block_header", "10B", "kind, address and check sum of a transaction"},
      {"envelope", "32B", "of a tagged message"},
      {"memory", "64MiB", "SDRAM"},
      {"tlb", "16", "entries of the MMU's buffer"},
      {"page", "8KiB", "of virtual memory"},
      {"retries", "4", "of a packet before its source looks for another route"},
      {"retry_after", "2us", "until a packet is sent again"},
  };
}

}  // namespace

std::span<const NicRow> nics() {
  static const std::vector<NicRow> rows{
      {"hca", hca, "InfiniBand queue pairs: doorbell, work queue entry, DMA, completion queue",
       hca_params()},
      {"via", via,
       "Virtual Interfaces: descriptors, doorbells, reliable connections, as in GigaNet cLAN",
       via_params()},
      {"martini", martini,
       "RHiNET-2/NI: PIO for short data, PUSH and PULL by DMA for long; packets acknowledged",
       martini_params()},
      {"gm", gm,
       "Myrinet with GM: ports, tokens, one LANai for four state machines, rate control of flows",
       gm_params()},
      {"elan", elan_nic,
       "Elan3 of QsNet: remote DMA and events in a global virtual memory, matching on the NIC",
       elan_params()},
  };
  return rows;
}

NicModel nic_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const NicRow& row = find_row(nics(), "NIC model", spec.name);
  const Params params(spec, row.params);
  NicModel model = row.make(params);
  model.spec = params.spec();
  return model;
}

NicStage::NicStage(Part on, Duration time, Bandwidth rate)
    : part(on),
      fixed(time),
      per_kibibyte(rate.bits_per_second > 0 ? (Bytes{1024} / rate).count() : 0) {}

}  // namespace weft::sim
