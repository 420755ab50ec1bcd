// SPDX-License-Identifier: Apache-2.0
// The table of NIC models.
#include "base/error.hpp"
#include "sim/nics/rows.hpp"

namespace weft::sim {

std::span<const NicRow> nics() {
  static const std::vector<NicRow> rows{
      {"hca",
       hca,
       "InfiniBand queue pairs: doorbell, work queue entry, DMA, completion queue",
       {{"post", "60ns", "processor: write a work queue entry and ring the doorbell"},
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
        {"retry_after", "20us", "until a lost packet is sent again"}}},
      {"via",
       via,
       "Virtual Interfaces: descriptors, doorbells, reliable connections, as in GigaNet cLAN",
       {{"mhz", "1000", "clock of the processor"},
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
        {"register", "20us", "register memory"}}},
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
